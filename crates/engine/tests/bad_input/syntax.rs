//! Texts that are not valid TOML, JSON or UTF-8.

use longfat_engine::scenario::Scenario;
use proptest::prelude::*;

use super::{SOUND, complaints, complaints_with};

const SOUND_JSON: &str = r#"{
  "schema_version": 1,
  "duration": "10 ms",
  "topology": { "kind": "n-source", "sources": 2, "access": { "delay": "5 us" }, "bottleneck": { "delay": "5 us" } },
  "port": { "buffer": "1000 cells", "policy": { "kind": "epd" } }
}
"#;

fn canonical(bytes: &[u8], file: &str) -> Result<String, Vec<String>> {
    Scenario::parse(bytes, file, &[]).map(|scenario| scenario.canonical())
}

#[test]
fn a_byte_order_mark_and_windows_line_ends_do_not_matter() {
    let plain = canonical(SOUND.as_bytes(), "sound.toml").expect("it is sound");
    for (text, file) in [(SOUND, "sound.toml"), (SOUND_JSON, "sound.json")] {
        assert_eq!(canonical(text.as_bytes(), file), Ok(plain.clone()), "{file}");
        assert_eq!(canonical(text.replace('\n', "\r\n").as_bytes(), file), Ok(plain.clone()), "{file} with CR LF");
        assert_eq!(canonical(format!("\u{FEFF}{text}").as_bytes(), file), Ok(plain.clone()), "{file} with a mark");
    }
}

#[test]
fn an_empty_file_is_told_what_is_missing() {
    for text in ["", "\n\n", "# nothing\n", "\u{FEFF}"] {
        let problems = complaints(text.as_bytes(), "empty.toml");
        let missing = ["schema_version", "duration", "topology", "port"];
        for (problem, key) in problems.iter().zip(missing) {
            assert!(problem.starts_with(&format!("empty.toml:1:1: {key}: missing; expected ")), "{problem}");
        }
        assert_eq!(problems.len(), missing.len(), "{problems:#?}");
    }
    for text in ["", "  \n"] {
        assert_eq!(complaints(text.as_bytes(), "empty.json"), ["empty.json:1:1: not valid JSON: the file is empty"]);
    }
}

#[test]
fn binary_files_and_broken_utf_8_are_called_by_their_names() {
    let all_bytes: Vec<u8> = (0..=255).collect();
    for file in ["image.toml", "image.json"] {
        let problems = complaints(&all_bytes, file);
        assert!(problems.len() == 1 && problems[0].contains(": a binary file; expected a text"), "{problems:?}");
        // The é before the broken byte is two bytes but one column.
        let problems = complaints(b"a = 1\n# \xC3\xA9 \xFF\n", file);
        let expected = format!("{file}:2:5: not valid UTF-8; expected a text in TOML or JSON, encoded in UTF-8");
        assert_eq!(problems, [expected]);
    }
}

#[test]
fn what_is_not_toml_is_located() {
    let cases = [
        ("duration = 5 ms\n", "1:12"),
        ("a = 1\nb = \n", "2:5"),
        ("[port\nbuffer = 1\n", "1:6"),
        ("a = \"open\n", "1:"),
        ("a = 1\n\na = 2\n", "3:1"),
        ("{ \"duration\": \"5 ms\" }", "1:1"),
    ];
    for (text, place) in cases {
        let problems = complaints(text.as_bytes(), "bad.toml");
        let located = |problem: &String| problem.starts_with(&format!("bad.toml:{place}"));
        assert!(problems.iter().any(located), "{text:?}: {place} is not in {problems:#?}");
        assert!(problems.iter().all(|problem| problem.contains("not valid TOML: ")), "{problems:#?}");
    }
}

#[test]
fn what_is_not_json_is_located_and_no_extension_of_json_is_accepted() {
    let cases = [
        ("{ \"a\": 1, }", "1:9"),
        ("{ \"a\": 1 \"b\": 2 }", "1:9"),
        ("{ // comment\n \"a\": 1 }", "1:3"),
        ("{ a: 1 }", "1:3"),
        ("{ \"a\": 'b' }", "1:8"),
        ("{ \"a\": 0x10 }", "1:8"),
        ("{ \"a\": NaN }", "1:8"),
        ("{ \"é\": \"ü\", ! }", "1:13"),
        ("{} {}", "1:4"),
        ("{ \"a\": ", "1:"),
    ];
    for (text, place) in cases {
        let problems = complaints(text.as_bytes(), "bad.json");
        assert_eq!(problems.len(), 1, "{text:?}: {problems:#?}");
        let expected = format!("bad.json:{place}");
        assert!(problems[0].starts_with(&expected), "{text:?}: {expected} is not where {} is", problems[0]);
        assert!(problems[0].contains("not valid JSON: "), "{problems:?}");
    }
    for (text, found) in [("[]", "a list"), ("null", "null"), ("\"x\"", "the text \"x\""), ("7", "the number 7")] {
        let expected = format!("bad.json:1:1: expected a table, found {found}");
        assert_eq!(complaints(text.as_bytes(), "bad.json"), [expected]);
    }
}

#[test]
fn a_key_given_twice_is_refused_in_toml_and_in_json() {
    let toml = format!("{SOUND}duration = \"20 ms\"\n");
    assert_eq!(complaints(toml.as_bytes(), "twice.toml"), ["twice.toml:6:1: not valid TOML: duplicate key"]);
    let json = SOUND_JSON.replace("\"port\": {", "\"duration\": \"20 ms\", \"port\": { \"buffer\": \"2000 cells\",");
    let problems = complaints(json.as_bytes(), "twice.json");
    assert_eq!(problems, ["twice.json:5:3: duration: given twice", "twice.json:5:58: port.buffer: given twice"]);
    // Once as written and once in base units counts as twice.
    let both = format!("{SOUND}duration_ps = 5\n");
    let problems = complaints(both.as_bytes(), "twice.toml");
    assert_eq!(problems, ["twice.toml:6:1: duration: given twice, as \"duration\" and as \"duration_ps\""]);
    let problems = complaints_with(&[("duration", "20 ms"), ("duration_ps", "5")]);
    assert!(problems[0].contains("given twice, as \"duration\" and as \"duration_ps\""), "{problems:?}");
}

#[test]
fn an_override_goes_before_what_the_text_has_under_the_other_name() {
    let canonical = |text: &str, source: &str, set: &[(&str, &str)]| {
        let set: Vec<_> = set.iter().map(|(path, value)| ((*path).into(), (*value).into())).collect();
        Scenario::parse(text.as_bytes(), source, &set).unwrap().canonical()
    };
    let written = |set| canonical(SOUND, "sound.toml", set);
    let longer = written(&[("duration", "20 ms")]);
    assert_eq!(written(&[("duration_ps", "20_000_000_000")]), longer);
    let resolved = written(&[]);
    assert_ne!(resolved, longer);
    assert_eq!(canonical(&resolved, "resolved.json", &[("duration", "20 ms")]), longer);
}

/// Test threads have stacks of 2 MiB: a reader that recursed for each bracket would not survive this.
#[test]
fn nesting_without_end_is_refused_and_not_followed() {
    const DEPTH: usize = 100_000;
    let open = |text: &str| text.repeat(DEPTH);
    let texts = [
        (format!("a = {}", open("[")), "deep.toml"),
        (format!("a = {}{}", open("["), open("]")), "deep.toml"),
        (format!("a = {}", open("{ a = ")), "deep.toml"),
        (format!("a{} = 1", open(".a")), "deep.toml"),
        (format!("[a{}]\nb = 1", open(".a")), "deep.toml"),
        (format!("[[a{}]]\nb = 1", open(".a")), "deep.toml"),
        (open("["), "deep.json"),
        (format!("{}{}", open("["), open("]")), "deep.json"),
        (open("{ \"a\": "), "deep.json"),
    ];
    for (text, file) in texts {
        let problems = complaints(text.as_bytes(), file);
        assert!(problems[0].contains("recurs") || problems[0].contains("depth"), "{file}: {}", problems[0]);
        assert!(problems.len() < 10, "{} complaints about one mistake: {:#?}", problems.len(), &problems[..10]);
    }
}

#[test]
fn an_override_with_an_endless_path_is_refused() {
    let path = format!("tcp{}", ".a".repeat(200_000));
    let problems = Scenario::parse(SOUND.as_bytes(), "sound.toml", &[(path, "1".into())]).map(|_| ()).unwrap_err();
    assert_eq!(problems.len(), 1);
}

proptest! {
    /// Random bytes, and valid texts with random damage: a result, never a panic, and every error has a position.
    #[test]
    fn no_bytes_make_the_reader_panic(
        random in prop::collection::vec(any::<u8>(), 0..40),
        place in 0.0..1.0_f64,
        removed in 0_usize..30,
        json in any::<bool>(),
        alone in prop::bool::weighted(0.1),
    ) {
        let (sound, file) = if json { (SOUND_JSON, "some.json") } else { (SOUND, "some.toml") };
        let mut bytes = sound.as_bytes().to_vec();
        #[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "an index")]
        let begin = (place * bytes.len() as f64) as usize;
        bytes.splice(begin..(begin + removed).min(bytes.len()), random.iter().copied());
        let bytes = if alone { random } else { bytes };
        if let Err(problems) = Scenario::parse(&bytes, file, &[]) {
            prop_assert!(!problems.is_empty());
            for problem in problems {
                prop_assert!(problem.starts_with(&format!("{file}:")), "{problem} has no place");
            }
        }
    }
}
