//! Problems of a text, with messages that say what is wrong and what is expected.

use super::document::Place;

/// A mistake, with its position, the key concerned and a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Position of the mistake.
    pub place: Place,
    /// Dotted path of the key; empty for the document itself.
    pub path: String,
    /// Message: what is wrong, and what is expected.
    pub message: String,
}

/// Most problems of a text that are told; more have a common cause, or are made to cost time.
pub const MOST_PROBLEMS: usize = 100;

/// A line for each of the first [`MOST_PROBLEMS`], and one that counts the others.
pub fn limited<T>(problems: &[T], line: impl Fn(&T) -> String, source: &str) -> Vec<String> {
    let told = problems.iter().take(MOST_PROBLEMS).map(line);
    let more = problems.len().saturating_sub(MOST_PROBLEMS);
    told.chain((more > 0).then(|| format!("{source}: and {more} more problems"))).collect()
}

/// Longest name that is compared with the known ones; longer ones are no typing mistakes.
const LONGEST_SLIP: usize = 64;

/// Returns `; did you mean "…"?` if one of `known` is close to `found`, otherwise an empty text. A difference in case alone is the closest.
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
        .filter(|(distance, candidate)| *distance <= slips_in(candidate, found))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| format!("; did you mean \"{candidate}\"?"))
        .unwrap_or_default()
}

/// Wrong letters with which a name is still meant: a third of its letters; in a name of two letters none is wrong, but there may be one more.
fn slips_in(name: &str, found: &str) -> usize {
    let letters = name.chars().count();
    if letters == 2 { usize::from(found.len() > 2) } else { letters / 3 }
}

/// Most names that a message lists.
const MOST_LISTED: usize = 60;

/// Formats a list of names: `"a", "b", "c"`; counts those beyond the first 60.
#[must_use]
pub fn listed<'k>(names: impl IntoIterator<Item = &'k str>) -> String {
    let mut names = names.into_iter();
    let first: Vec<_> = names.by_ref().take(MOST_LISTED).map(|name| format!("\"{name}\"")).collect();
    match names.count() {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_two_letters_is_recognized_but_a_different_word_is_not() {
        assert_eq!(did_you_mean("dealy", ["rate", "delay"]), "; did you mean \"delay\"?");
        assert_eq!(did_you_mean("colour", ["rate", "delay"]), "");
        assert_eq!(did_you_mean("r", ["z"]), "");
        assert_eq!(did_you_mean("lpz", ["lp"]), "; did you mean \"lp\"?");
        assert_eq!(did_you_mean("lq", ["lp"]), "");
        assert_eq!(did_you_mean("CUBIC", ["cubit", "cubic"]), "; did you mean \"cubic\"?");
        assert_eq!(did_you_mean(&"x".repeat(1_000_000), ["delay"]), "");
    }
}
