//! Errors in a scenario's text: one clear message per error, with its position; no panic for any bytes.

mod capacity;
mod classes;
mod graphs;
mod lists;
mod places;
mod proxies;
mod reordering;
mod sizes;
mod stacks;
mod syntax;
mod transport;
mod values;

use longfat_engine::scenario::Scenario;

/// A small valid scenario.
const SOUND: &str = r#"
schema_version = 1
duration = "10 ms"
topology = { kind = "n-source", sources = 2, access = { delay = "5 us" }, bottleneck = { delay = "5 us" } }
port = { buffer = "1000 cells", policy = { kind = "epd" } }
"#;

/// Errors of a text.
#[track_caller]
fn complaints(bytes: &[u8], file: &str) -> Vec<String> {
    match Scenario::parse(bytes, file, &[]) {
        Ok(_) => panic!("{} was accepted", String::from_utf8_lossy(&bytes[..bytes.len().min(500)])),
        Err(problems) => problems,
    }
}

/// Errors of the valid scenario with some values replaced.
#[track_caller]
fn complaints_with(overrides: &[(&str, &str)]) -> Vec<String> {
    let owned: Vec<_> = overrides.iter().map(|(path, value)| ((*path).into(), (*value).into())).collect();
    match Scenario::parse(SOUND.as_bytes(), "sound.toml", &owned) {
        Ok(_) => panic!("{overrides:?} was accepted"),
        Err(problems) => problems,
    }
}

/// Asserts that one override gives exactly one error, at that path, which contains all `words`.
#[track_caller]
fn assert_refused(path: &str, value: &str, words: &[&str]) {
    let problems = complaints_with(&[(path, value)]);
    assert_eq!(problems.len(), 1, "{path} = {value}: {problems:#?}");
    assert!(problems[0].starts_with(&format!("--set {path}={value}: {path}: ")), "{}", problems[0]);
    for word in words {
        assert!(problems[0].contains(word), "\"{word}\" is missing in: {}", problems[0]);
    }
}
