//! What is wrong with a text, and what would be right.

use super::document::Place;

/// One mistake: where it is, which key it concerns, and what would be right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where the mistake was written.
    pub place: Place,
    /// The dotted path of the key, empty for the document itself.
    pub path: String,
    /// What was wrong and what would be right.
    pub message: String,
}

/// Nobody mistypes a longer name; comparing one would take memory for nothing.
const LONGEST_SLIP: usize = 64;

/// `; did you mean "…"?` when one of `known` is close to `found`, otherwise nothing. None is closer than one that differs in
/// capitals alone.
#[must_use]
pub fn did_you_mean<'k>(found: &str, known: impl IntoIterator<Item = &'k str>) -> String {
    if found.len() > LONGEST_SLIP {
        return String::new();
    }
    let distance = |candidate: &str| {
        if found.eq_ignore_ascii_case(candidate) { 0 } else { strsim::damerau_levenshtein(found, candidate) }
    };
    known
        .into_iter()
        .map(|candidate| (distance(candidate), candidate))
        .filter(|(distance, candidate)| *distance <= candidate.chars().count() / 3)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| format!("; did you mean \"{candidate}\"?"))
        .unwrap_or_default()
}

/// Words for a list of names: `"a", "b", "c"`.
#[must_use]
pub fn listed<'k>(names: impl IntoIterator<Item = &'k str>) -> String {
    names.into_iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_two_letters_is_recognized_but_a_different_word_is_not() {
        assert_eq!(did_you_mean("dealy", ["rate", "delay"]), "; did you mean \"delay\"?");
        assert_eq!(did_you_mean("colour", ["rate", "delay"]), "");
        assert_eq!(did_you_mean("r", ["z"]), "");
        assert_eq!(did_you_mean("CUBIC", ["cubit", "cubic"]), "; did you mean \"cubic\"?");
        assert_eq!(did_you_mean(&"x".repeat(1_000_000), ["delay"]), "");
    }
}
