//! Expected texts, stored as files beside the tests.

use std::path::Path;

/// Compares a text with the file of that name below `tests`, or rewrites the file if `LONGFAT_BLESS` is set.
///
/// # Panics
/// If they differ, with the first different line.
#[track_caller]
pub fn assert_as_expected(file: &str, actual: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(file);
    if std::env::var_os("LONGFAT_BLESS").is_some() {
        std::fs::write(&path, actual).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        return;
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_else(|error| {
        panic!("{}: {error}; LONGFAT_BLESS=1 writes it", path.display());
    });
    let expected = expected.replace("\r\n", "\n");
    if expected == actual {
        return;
    }
    let (mut old, mut new) = (expected.lines(), actual.lines());
    let difference = (1..).map(|line| (line, old.next(), new.next())).find(|(_, old, new)| old != new || old.is_none());
    let (line, old, new) = difference.expect("the iterator never ends");
    panic!(
        "tests/{file}:{line} differs\n  expected: {}\n  happened: {}\nLONGFAT_BLESS=1 rewrites the file",
        old.unwrap_or("(end of file)"),
        new.unwrap_or("(nothing more)"),
    );
}
