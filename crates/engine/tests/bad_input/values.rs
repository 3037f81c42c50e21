//! Rejected values.

use longfat_engine::framing::FRAMINGS;
use longfat_engine::run;
use longfat_engine::scenario::Scenario;
use proptest::prelude::*;

use super::{SOUND, assert_refused, complaints_with};
use crate::support::declared::fragment;

#[test]
fn a_number_without_a_unit_is_refused_with_the_units_accepted() {
    assert_refused(
        "duration",
        "20",
        &["a length of time with its unit", "ms", "\"5 ms\" (in quotes)", "the number 20"],
    );
    assert_refused("duration", "\"20\"", &["20 has no unit", "such as \"5 ms\""]);
    assert_refused("tcp.mss", "512", &["B, kB = 1000 B, KiB = 1024 B", "the number 512"]);
    assert_refused("topology.access.rate", "155.52", &["bit/s, kbit/s, Mbit/s, Gbit/s"]);
    assert_refused("port.buffer", "1000", &["such as \"1 BDP\"", "the number 1000"]);
    assert_refused("traffic.start", "uniform(0 ms, 1)", &["1 has no unit"]);
}

#[test]
fn a_wrong_unit_is_refused_with_the_right_ones() {
    assert_refused("topology.access.rate", "5 Mb", &["unknown unit \"Mb\"", "Mbit/s"]);
    assert_refused("topology.access.rate", "5 mbit/s", &["unknown unit \"mbit/s\"", "did you mean"]);
    assert_refused("duration", "5 MS", &["unknown unit \"MS\""]);
    assert_refused("tcp.mss", "512 bytes", &["unknown unit \"bytes\""]);
    assert_refused("port.buffer", "12000 bytes", &["a number of cells", "12000 bytes"]);
    assert_refused("port.buffer", "1000000 BDP", &["1000000 BDP is more than 1000 round trips"]);
    assert_refused("topology.access.delay", "5 Mbit/s", &["unknown unit \"Mbit/s\"", "a length of time"]);
}

#[test]
fn an_example_of_a_buffer_suits_every_framing() {
    for framing in ["aal5", "packet", "ethernet"] {
        let problems = complaints_with(&[("framing", framing), ("port.policy", "tail-drop"), ("port.buffer", "many")]);
        let [problem] = &problems[..] else { panic!("{problems:?}") };
        let example = problem.split("such as \"").nth(1).and_then(|rest| rest.split('"').next()).expect("an example");
        let set = [("framing", framing), ("port.policy", "tail-drop"), ("port.buffer", example)];
        let owned: Vec<_> = set.iter().map(|(path, value)| ((*path).into(), (*value).into())).collect();
        assert!(Scenario::parse(SOUND.as_bytes(), "sound.toml", &owned).is_ok(), "{framing}: {example}");
    }
}

#[test]
fn a_kind_set_over_the_table_of_another_is_one_error_that_says_what_to_set() {
    let sound = SOUND.replace("epd", "tail-drop").replace("1000 cells", "1 BDP");
    let text =
        format!("{sound}framing = \"packet\"\npath = {{ kind = \"rain\", lasting = \"5 s\", depth = \"10 dB\" }}\n");
    let set = |path: &str, value: &str| Scenario::parse(text.as_bytes(), "rain.toml", &[(path.into(), value.into())]);
    assert_eq!(
        set("path.kind", "leo").expect_err("lasting and depth are of rain"),
        [
            "--set path.kind=leo: path.kind: \"leo\" has no \"lasting\", \"depth\", which the table has for another kind; \
             set path=leo, which replaces the whole table"
        ]
    );
    assert!(set("path", "leo").is_ok());
    // A key that is set beside the kind is a mistake of its own.
    let problems = complaints_with(&[("path.kind", "leo"), ("path.lasting", "5 s")]);
    assert!(problems[0].contains("path.lasting: unknown key; known: "), "{problems:?}");
}

#[test]
fn a_model_that_nobody_can_provide_is_refused_with_the_way_to_have_it() {
    for path in ["port.policy", "port.queue", "traffic", "loss"] {
        let known: &[&str] = &["unknown ", "congestion control (tcp.flavor)", "CONTRIBUTING.md"];
        assert_refused(path, "external", known);
    }
}

#[test]
fn negative_and_zero_sizes_are_refused() {
    for path in ["duration", "tcp.timer_granularity", "tcp.retransmission_timeout.maximum"] {
        assert_refused(path, "0 s", &["must be more than zero"]);
        assert_refused(path, "-1 s", &["a length of time", "-1 s"]);
    }
    assert_refused("topology.bottleneck.rate", "0 bit/s", &["must be more than zero"]);
    assert_refused("topology.bottleneck.delay", "-5 ms", &["a length of time"]);
    assert_refused("tcp.mss", "0 B", &["must be more than zero"]);
    assert_refused("tcp.mss", "-512 B", &["a size"]);
    assert_refused("tcp.initial_ssthresh", "0 B", &["must be more than zero"]);
    assert_refused("topology.sources", "0", &["a whole number from 1 to 100000", "the number 0"]);
    assert_refused("topology.sources", "-1", &["a whole number from 1 to 100000", "the number -1"]);
    assert_refused("seed", "-1", &["a whole number from 0"]);
    assert_refused("port.buffer", "-5 cells", &["a number of cells"]);
    assert_refused("port.policy.threshold", "0", &["above 0, at most 1"]);
    assert_refused("port.policy.threshold", "-0.5", &["above 0, at most 1"]);
    for z in ["0", "-1", "nan", "inf"] {
        let problems = complaints_with(&[("port.policy.kind", "fba"), ("port.policy.z", z)]);
        assert!(problems.len() == 1 && problems[0].contains("expected a number above 0"), "z = {z}: {problems:?}");
    }
}

#[test]
fn a_buffer_smaller_than_a_packet_is_refused() {
    let tail_drop = ("port.policy", "tail-drop");
    // 512 bytes take 12 cells, 9180 bytes 193 (S-02).
    for (mss, buffer, cells) in [("512 B", "11 cells", 12), ("9180 B", "192 cells", 193), ("9180 B", "0 cells", 193)] {
        let problems = complaints_with(&[tail_drop, ("tcp.mss", mss), ("port.buffer", buffer)]);
        let expected = format!("{buffer} cannot hold one packet: a segment of {mss} takes {cells} cells");
        assert!(problems.len() == 1 && problems[0].contains(&expected), "{problems:?} does not say {expected}");
    }
    // On a LAN half a round trip, 15 us, carries 5.5 cells.
    let problems = complaints_with(&[tail_drop, ("port.buffer", "0.5 RTT")]);
    assert!(problems[0].contains("6 cells cannot hold one packet"), "{problems:?}");
}

#[test]
fn measuring_begins_before_the_end() {
    assert_refused("measure.from", "5", &["a length of time with its unit"]);
    assert_refused("measure.from", "-1 s", &["a length of time"]);
    let problems = complaints_with(&[("duration", "10 s"), ("measure.from", "10 s")]);
    let expected = "measure.from: nothing is measured from 10 s on in a run of 10 s";
    assert!(problems.len() == 1 && problems[0].contains(expected), "{problems:?}");
}

#[test]
fn a_segment_that_efficiency_is_relative_to_can_be_sent() {
    let key = "measure.reference_segment";
    assert_refused(key, "mss", &["expected \"full\" or a size with its unit", "\"mss\""]);
    assert_refused(key, "0 B", &["must be more than zero"]);
    assert_refused(key, "65536 B", &["65536 B is too large; at most 65535 B"]);
    let problems = complaints_with(&[("framing", "ethernet"), ("port.buffer", "100 packets"), (key, "1461 B")]);
    assert!(problems.iter().any(|problem| problem.contains(key) && problem.contains("at most 1460 B")), "{problems:?}");
}

#[test]
fn a_buffer_is_counted_in_what_travels() {
    let words = ["12000 packets under framing \"aal5\", which counts cells", "takes 12, so write \"144000 cells\""];
    assert_refused("port.buffer", "12000 packets", &words);
    let with = |framing: &str, path: &str, value: &str| {
        complaints_with(&[
            ("port.policy", "tail-drop"),
            ("port.buffer", "9 packets"),
            ("framing", framing),
            (path, value),
        ])
    };
    for framing in FRAMINGS.iter().map(|entry| entry.name).filter(|name| *name != "aal5") {
        for (path, value, words) in [
            (
                "port.buffer",
                "1000 cells",
                "1000 cells under framing \"{}\", where packets travel whole; write \"20 packets\"",
            ),
            ("port.buffer", "0 packets", "0 packets cannot hold one packet; at least \"1 packet\""),
            ("port.policy", "epd", "K - 200 cells for a buffer that counts packets; write \"15 packets\""),
            ("port.arrival_order", "fixed", "only cells arrive in slots, and framing \"{}\" has none"),
        ] {
            let problems = with(framing, path, value);
            let words = words.replace("{}", framing);
            assert!(problems.len() == 1 && problems[0].contains(&words), "{problems:?} does not say {words}");
        }
    }
    let problems = with("ethernet", "tcp.mss", "1461 B");
    assert!(
        problems.len() == 1
            && problems[0].contains("1461 B does not fit a packet of framing \"ethernet\"; at most 1460 B"),
        "{problems:?}"
    );
    let problems = with("{ kind = 'packet', header = '65536 B' }", "tcp.mss", "512 B");
    assert!(problems.len() == 1 && problems[0].contains("framing.header: 65536 B is too large"), "{problems:?}");
    let problems = with("{ kind = 'ethernet', mtu = '40 B' }", "tcp.mss", "512 B");
    assert!(
        problems.len() == 1 && problems[0].contains("framing.mtu: 40 B is no size of an IP packet"),
        "{problems:?}"
    );
}

#[test]
fn thresholds_above_one_or_above_the_buffer_are_refused() {
    for policy in ["epd", "selective-drop", "fba"] {
        let refused = |threshold: &str, words: &str| {
            let problems = complaints_with(&[("port.policy.kind", policy), ("port.policy.threshold", threshold)]);
            assert!(problems.len() == 1 && problems[0].contains(words), "{policy}, {threshold}: {problems:?}");
        };
        refused("1.01", "above 0, at most 1");
        refused("90", "above 0, at most 1");
        refused("inf", "above 0, at most 1");
        refused("\"1001 cells\"", "1001 cells is above the buffer of 1000 cells");
        refused("\"K - 1000 cells\"", "leaves nothing of the buffer of 1000 cells");
    }
    // The default, K - 200 cells, is rejected like a written value.
    let problems = complaints_with(&[("port.buffer", "200 cells")]);
    assert!(problems[0].contains("port.policy.threshold: K - 200 cells leaves nothing"), "{problems:?}");
}

#[test]
fn windows_and_segments_that_no_tcp_could_have_are_refused() {
    assert_refused("tcp.receiver_window", "511 B", &["cannot hold one segment of 512 B"]);
    assert_refused("tcp.receiver_window", "2 GB", &["beyond window scaling", "1073725440 B"]);
    let large = [("port.buffer", "unlimited"), ("tcp.receiver_window", "100 kB"), ("tcp.mss", "65536 B")];
    assert!(complaints_with(&large)[0].contains("tcp.mss: 65536 B is too large; at most 65535 B"));
}

#[test]
fn numbers_beyond_all_bounds_are_refused_and_never_wrap_around() {
    const THIRTY_DIGITS: &str = "123456789012345678901234567890";
    assert_refused("duration", "1000000000 s", &["is too large"]);
    assert_refused("duration", "2401 h", &["is too long; at most 2400 h"]);
    assert_refused("duration", &format!("{THIRTY_DIGITS} s"), &["is too large"]);
    assert_refused("duration", &format!("{THIRTY_DIGITS}1 s"), &["a length of time"]);
    assert_refused("topology.sources", "1000000000", &["from 1 to 100000"]);
    assert_refused("topology.sources", THIRTY_DIGITS, &["from 1 to 100000", THIRTY_DIGITS]);
    assert_refused("seed", THIRTY_DIGITS, &["from 0 to 9007199254740992"]);
    assert_refused("seed", "9007199254740993", &["from 0 to 9007199254740992"]);
    assert_refused("port.buffer", &format!("{THIRTY_DIGITS} cells"), &["a number of cells"]);
    assert_refused("port.buffer", &format!("{THIRTY_DIGITS} RTT"), &["is more than 1000 round trips"]);
    assert_refused("port.policy.threshold", &format!("\"K - {THIRTY_DIGITS}000000000 cells\""), &["\"K - 200 cells\""]);
    assert_refused("tcp.mss", &format!("{THIRTY_DIGITS} B"), &["is too large"]);
    for path in ["tcp.timer_granularity", "tcp.retransmission_timeout.maximum", "traffic.start"] {
        assert_refused(path, "18446744073709551615 ps", &["is too large: more than 9223372036854775807 picoseconds"]);
    }
    for rate in ["18446744073709551615 bit/s", "9223372036 Gbit/s", "100000.000000001 Gbit/s"] {
        let problems = complaints_with(&[("topology.access.rate", rate)]);
        assert!(problems.len() == 1 && problems[0].contains("is too"), "{rate}: {problems:?}");
    }
    let problems = complaints_with(&[("topology.bottleneck.delay", "61 s")]);
    assert!(problems[0].contains("a delay of 61 s (bottleneck) is too long; at most 60 s"), "{problems:?}");
}

/// The largest accepted values can be simulated, and their resolved form can be read again.
#[test]
fn the_largest_values_that_are_accepted_can_be_run_and_read_back() {
    let extreme: [&[(&str, &str)]; 6] = [
        &[("topology.access.rate", "100000 Gbit/s"), ("topology.bottleneck.rate", "1 Gbit/s"), ("duration", "1 ms")],
        &[
            ("topology.bottleneck.delay", "60 s"),
            ("topology.bottleneck.rate", "100000 Gbit/s"),
            ("port.buffer", "1000 RTT"),
        ],
        &[("tcp.timer_granularity", "9223372036854775807 ps")],
        &[("tcp.retransmission_timeout.maximum", "9223372036854775807 ps"), ("tcp.timer_granularity", "1 ms")],
        &[("traffic.start", "9223372036854775807 ps")],
        &[("port.buffer", "9223372036854775807 cells")],
    ];
    for overrides in extreme {
        let owned: Vec<_> = overrides.iter().map(|(path, value)| ((*path).into(), (*value).into())).collect();
        let scenario = Scenario::parse(SOUND.as_bytes(), "sound.toml", &owned);
        let scenario = scenario.unwrap_or_else(|problems| panic!("{overrides:?}: {problems:?}"));
        let record = run(&scenario).unwrap_or_else(|violation| panic!("{overrides:?}: {violation}"));
        assert!(record.metrics.efficiency <= 1.0, "{overrides:?}: efficiency {}", record.metrics.efficiency);
        let again = Scenario::parse(scenario.canonical().as_bytes(), "again.json", &[]);
        let again = again.unwrap_or_else(|problems| panic!("{overrides:?}: {problems:?}"));
        assert_eq!(again.canonical(), scenario.canonical());
    }
}

/// A host with a short timer hands a 1 bit/s line more data in two hours than it could send in 200 days.
#[test]
fn a_line_that_is_given_more_than_it_can_ever_send_does_not_turn_back_time() {
    let slow = [
        ("topology.access.rate", "1 bit/s"),
        ("tcp.mss", "65535 B"),
        ("port.buffer", "unlimited"),
        ("tcp.retransmission_timeout.maximum", "1 s"),
        ("duration", "2 h"),
    ];
    let owned: Vec<_> = slow.iter().map(|(path, value)| ((*path).into(), (*value).into())).collect();
    let scenario =
        Scenario::parse(SOUND.as_bytes(), "sound.toml", &owned).unwrap_or_else(|problems| panic!("{problems:?}"));
    let record = run(&scenario).unwrap_or_else(|violation| panic!("{violation}"));
    // A cell takes 424 s: 7200 s are 16 cells from each of two sources, at most.
    assert!(record.ports[0].cells_in <= 2 * 16, "{} cells came", record.ports[0].cells_in);
    assert!(record.flows.iter().all(|flow| flow.timeouts > 5_000), "{:?}", record.flows);
}

#[test]
fn a_value_of_the_wrong_type_is_refused_in_words() {
    assert_refused("tcp", "3", &["expected a table, found the number 3"]);
    assert_refused("port", "[]", &["expected a table, found a list"]);
    assert_refused("seed", "1.0", &["found the number 1.0"]);
    assert_refused("seed", "true", &["found true"]);
    assert_refused("seed", "\"1\"", &["found the text \"1\""]);
    assert_refused(
        "framing",
        "1979-05-27",
        &["one of \"aal5\", \"packet\", \"ethernet\", \"dvb-s2-gse\", \"dvb-mpe\", found the date 1979-05-27"],
    );
    assert_refused("port.counts_cell_in_service", "1", &["expected true or false, found the number 1"]);
    assert_refused("schema_version", "2", &["version 2 is newer than this program"]);
    assert_refused("port.policy", "[\"epd\"]", &["expected a drop policy: one of \"tail-drop\"", "found a list"]);
}

proptest! {
    /// Any text gives a scenario or errors; an accepted scenario can be read again.
    #[test]
    fn no_value_makes_the_reader_panic(
        path in prop::sample::select(vec![
            "duration", "seed", "port.buffer", "port.policy", "port.policy.threshold", "tcp.mss", "tcp.initial_ssthresh",
            "tcp.flavor", "traffic.start", "topology.access.rate", "topology.sources", "tcp.timer_phase", "a.b.c", "",
        ]),
        value in prop_oneof![
            "\\PC{0,20}",
            "[0-9]{0,35}(\\.[0-9]{0,35})? ?(ms|s|h|bit/s|Gbit/s|B|GB|cells|RTT)?",
            "uniform\\([0-9]{0,22} ?(s|ms)?, ?[0-9]{0,22} ?(s|ms)\\)",
            any::<f64>().prop_map(|number| format!("{number:?}")),
            any::<i64>().prop_map(|number| fragment(&number.to_string())),
        ],
    ) {
        if let Ok(scenario) = Scenario::parse(SOUND.as_bytes(), "sound.toml", &[(path.into(), value)]) {
            let again = Scenario::parse(scenario.canonical().as_bytes(), "again.json", &[]);
            prop_assert_eq!(again.map(|again| again.canonical()), Ok(scenario.canonical()));
        }
    }
}

#[test]
fn traffic_of_the_web_that_cannot_be_is_refused_where_it_is_wrong() {
    let refused_of = |kind: &str, path: &str, value: &str, words: &[&str]| {
        let problems = complaints_with(&[("traffic.kind", kind), (path, value)]);
        assert_eq!(problems.len(), 1, "{path} = {value}: {problems:#?}");
        words.iter().for_each(|word| assert!(problems[0].contains(word), "\"{word}\" is missing in: {}", problems[0]));
    };
    let refused = |path: &str, value: &str, words: &[&str]| refused_of("www", path, value, words);
    let classes = |value: &str, words: &[&str]| refused("traffic.classes", value, words);
    classes("[]", &["traffic.classes: no class of files"]);
    classes(
        "[{ probability = 0.5, unit = 1 }, { probability = 0.4, unit = 10 }]",
        &["traffic.classes: the probabilities add up to 0.9; they must make 1"],
    );
    classes("[{ probability = 1.5, unit = 1 }]", &["classes[0].probability: expected a number from 0 to 1"]);
    classes("[{ probability = 1, unit = 0 }]", &["classes[0].unit: expected a number above 0"]);
    classes("[{ probability = 1 }]", &["classes[0].unit: missing"]);
    classes("[{ probability = 1, unit = 1e300 }]", &["traffic.classes: a file of class 0 could have", "at most"]);
    refused("traffic.requests.mean", "1000", &["traffic.requests: a mean of 1000 is too large; at most 500"]);
    refused("traffic.file_size.most", "1001", &["traffic.file_size: 1001 is too many; at most 1000"]);
    refused("traffic.requests.most", "0", &["traffic.requests.most: expected a whole number from 1"]);
    refused(
        "traffic.interval",
        "4 s",
        &["traffic.interval: the requests of a document may take 4500 ms", "after-last-request"],
    );
    refused("traffic.spacing", "uniform(500 ms, 100 ms)", &["traffic.spacing"]);
    refused("traffic.request", "0 B", &["traffic.request: must be more than zero"]);
    for (path, value, words) in [
        ("traffic.files.mean", "1000", "traffic.files: a mean of 1000 is too large; at most 500"),
        ("traffic.classes", "[]", "traffic.classes: no class of files"),
        ("traffic.frame", "0 B", "traffic.frame: must be more than zero"),
        (
            "traffic.schedule",
            "random",
            "traffic.schedule: unknown choice \"random\"; known: \"round-robin\", \"sequential\"",
        ),
        ("traffic.discovery", "never", "traffic.discovery: unknown choice \"never\"; known: \"document\", \"at-once\""),
    ] {
        refused_of("http", path, value, &[words]);
    }
}

#[test]
fn closed_loops_that_cannot_be_are_refused() {
    let size = "size = { kind = 'fixed', size = '1 kB' }";
    for (settings, words) in [
        (
            "count = 'unlimited'",
            "traffic.count: without a pause and a request time a run could have any number of pages",
        ),
        ("count = 0", "traffic.count: expected a whole number of at least 1"),
        ("count = 1, embedded = 2000", "traffic.embedded: 2000 files are too many; at most 1000"),
        ("count = 1, name = ' '", "traffic.name: no name; a word for what is asked for"),
        ("count = 20000000", "the senders' traffic has over 1000000 connections in all"),
        ("count = 'unlimited', pause = '1 ps'", "the senders' traffic has over 1000000 connections in all"),
    ] {
        let problems = complaints_with(&[("traffic", &format!("{{ kind = 'closed-loop', {size}, {settings} }}"))]);
        assert_eq!(problems.len(), 1, "{settings}: {problems:#?}");
        assert!(problems[0].contains(words), "{settings}: {}", problems[0]);
    }
}

#[test]
fn flows_that_cannot_be_are_refused_before_any_is_drawn() {
    let size = "size = { kind = 'fixed', size = '1 kB' }";
    let with = |settings: &str| complaints_with(&[("traffic", &format!("{{ kind = 'flows', {settings} }}"))]);
    let problems = with(&format!("{size}, interval = '1 ns'"));
    assert!(problems.len() == 1 && problems[0].contains("traffic.interval: about "), "{problems:?}");
    assert!(problems[0].contains("flows, each a connection; at most 1000000"), "{problems:?}");
    let problems = with("size = { kind = 'bounded-pareto', smallest = '2 kB', largest = '1 kB' }, interval = '1 s'");
    assert!(
        problems[0].contains("traffic.size: largest: the largest, 1000 B, is below the smallest, 2000 B"),
        "{problems:?}"
    );
    let problems = with(&format!("{size}, interval = '1 s', classes = ['2 kB', '1 kB']"));
    assert!(problems[0].contains("traffic.classes: not larger than the one before"), "{problems:?}");
}
