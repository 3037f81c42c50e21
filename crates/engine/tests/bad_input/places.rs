//! Positions of errors; all errors of a text are reported at once.

use longfat_engine::registry::Entry;
use longfat_engine::switch::drop_policy::POLICIES;

use super::{SOUND, complaints, complaints_with};

/// Lines and columns count from 1; a column is a character, not a byte.
const MANY: &str = r#"schema_version = 1
# Übertragung über Satellit
titel = "größer" # an unknown key after nothing
duration = 20

[topology]
kind = "n-sauce"

[port]
buffer = "1000 cells"
policy = { kind = "selective-drop", threshold = 1.5, zz = 0.8 }
arrival_order = "seeded-randon"

[tcp]
"größe" = 1
flavor = "vanila"
mss = "512 bytes"
receiver_window = "5 Mb"

[traffic]
kind = "infinite"
start = "1 ms" # é é é
stop = 2
"#;

#[test]
fn all_mistakes_are_told_at_once_each_with_its_place() {
    // Position, path and beginning of each message, counted by hand in the text above.
    let by_hand = [
        ("3:1", "titel", "unknown key"),
        ("4:12", "duration", "expected a length of time"),
        (
            "7:8",
            "topology",
            "unknown topology \"n-sauce\"; known: \"n-source\", \"graph\", \"terminals\"; did you mean \"n-source\"?",
        ),
        ("11:49", "port.policy.threshold", "expected a share of the buffer"),
        ("11:54", "port.policy.zz", "unknown key; known: \"threshold\", \"z\""),
        ("12:17", "port.arrival_order", "unknown choice \"seeded-randon\""),
        ("15:1", "tcp.größe", "unknown key"),
        ("16:10", "tcp.flavor", "unknown TCP flavor \"vanila\"; known: \"vanilla\", \"tahoe\", \"reno\", \"newreno\""),
        ("17:7", "tcp.mss", "unknown unit \"bytes\""),
        ("18:19", "tcp.receiver_window", "unknown unit \"Mb\""),
        ("23:1", "traffic.stop", "unknown key"),
    ];
    let mut problems = complaints(MANY.as_bytes(), "many.toml");
    for (place, path, message) in by_hand {
        let expected = format!("many.toml:{place}: {path}: {message}");
        let found = problems.iter().position(|problem| problem.starts_with(&expected));
        let found = found.unwrap_or_else(|| panic!("{expected} is not among {problems:#?}"));
        problems.remove(found);
    }
    assert!(problems.is_empty(), "not expected: {problems:#?}");
}

#[test]
fn windows_line_ends_and_a_byte_order_mark_move_no_place() {
    let plain = complaints(MANY.as_bytes(), "many.toml");
    assert_eq!(complaints(MANY.replace('\n', "\r\n").as_bytes(), "many.toml"), plain);
    assert_eq!(complaints(format!("\u{FEFF}{MANY}").as_bytes(), "many.toml"), plain);
}

#[test]
fn columns_count_characters_on_the_same_line() {
    let text = "x = { \"é\" = \"日本\", y = 1 }\n";
    let problems = complaints(text.as_bytes(), "wide.toml");
    assert!(problems.iter().any(|problem| problem.starts_with("wide.toml:1:1: x: unknown key")), "{problems:#?}");
    let text = format!("{}measure = {{ \"é\" = \"日本\", throughputs = 1 }}\n", &SOUND[1..]);
    let problems = complaints(text.as_bytes(), "wide.toml");
    let expected = "wide.toml:5:25: measure.throughputs: unknown key; did you mean \"throughput\"?";
    assert!(problems.iter().any(|problem| problem == expected), "{expected} is not among {problems:#?}");
}

#[test]
fn mistakes_in_json_are_told_at_once_with_their_places_too() {
    let text = "{\n  \"größe\": \"日本\", \"duration\": 5,\n  \"schema_version\": 1,\n  \"port\": { \"bufer\": \"9 cells\" }\n}\n";
    let problems = complaints(text.as_bytes(), "many.json");
    let by_hand = [
        "many.json:2:3: größe: unknown key",
        "many.json:2:30: duration: expected a length of time",
        "many.json:1:1: topology: missing",
        "many.json:4:13: port.bufer: unknown key; did you mean \"buffer\"?",
        "many.json:4:11: port.buffer: missing",
    ];
    for expected in by_hand {
        assert!(problems.iter().any(|problem| problem.starts_with(expected)), "{expected} is not among {problems:#?}");
    }
    assert_eq!(problems.len(), by_hand.len(), "{problems:#?}");
}

#[test]
fn a_mistake_between_parts_is_shown_at_the_part_that_was_written_or_overridden() {
    let text = format!("{}tcp.receiver_window = \"100 B\"\n", SOUND);
    let expected =
        "small.toml:6:23: tcp.receiver_window: 100 B cannot hold one segment of 512 B; nothing would ever be sent";
    assert_eq!(complaints(text.as_bytes(), "small.toml"), [expected]);
    let problems =
        complaints_with(&[("tcp.mss", "9180 B"), ("port.buffer", "192 cells"), ("port.policy", "tail-drop")]);
    let expected = "--set port.buffer=192 cells: port.buffer: 192 cells cannot hold one packet";
    assert!(problems.len() == 1 && problems[0].starts_with(expected), "{problems:?}");
}

#[test]
fn a_misspelt_key_is_told_which_one_was_meant() {
    for (wrong, right) in [("sead", "seed"), ("durations", "duration"), ("trafic", "traffic"), ("topolgy", "topology")]
    {
        let text = format!("{SOUND}{wrong} = 1\n");
        let problems = complaints(text.as_bytes(), "slip.toml");
        let expected = format!("slip.toml:6:1: {wrong}: unknown key; did you mean \"{right}\"?");
        assert_eq!(problems, [expected]);
    }
}

#[test]
fn an_unknown_kind_is_told_all_that_are_known() {
    let problems = complaints_with(&[("port.policy", "red")]);
    let known = POLICIES.iter().map(|entry: &Entry<_>| format!("\"{}\"", entry.name)).collect::<Vec<_>>().join(", ");
    assert_eq!(problems, [format!("--set port.policy=red: port.policy: unknown drop policy \"red\"; known: {known}")]);
}
