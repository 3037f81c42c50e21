//! Properties of error messages: readable lines, each with a position.

/// Longest line of a message that people can read.
const LONGEST_LINE: usize = 4000;

/// Panics unless there are lines, each of which begins with the name of the text.
pub fn is_for_people(problems: &[String], source: &str) {
    assert!(!problems.is_empty(), "refused without a word");
    for problem in problems {
        assert!(problem.starts_with(source), "no place: {problem}");
        assert!(problem.len() <= LONGEST_LINE, "nobody reads {} bytes: {problem:.200}", problem.len());
    }
}
