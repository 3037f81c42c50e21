//! Rejected settings of end systems.

use super::{SOUND, assert_refused, complaints, complaints_with};

#[test]
fn blocks_that_have_no_room_in_a_segment_are_refused() {
    for blocks in ["0", "5"] {
        assert_refused(
            "tcp.sack_blocks",
            blocks,
            &["have no room", "1 to 4 do, or 3 beside timestamps", "RFC 2018 section 3"],
        );
    }
    assert_refused("tcp.sack_blocks", "many", &["a whole number from 1 to 4", "many"]);
    for flavor in ["sack", "sack-rfc6675"] {
        let four = [("tcp.flavor", flavor), ("tcp.timestamps", "true"), ("tcp.sack_blocks", "4")];
        let problems = complaints_with(&four);
        assert_eq!(
            problems,
            [
                "--set tcp.sack_blocks=4: tcp.sack_blocks: 4 blocks have no room beside timestamps; at most 3 (RFC 2018 section 3)"
            ]
        );
    }
}

#[test]
fn a_growth_of_the_receiver_window_that_is_no_size_is_refused_with_both_that_it_may_be() {
    let growth = ("tcp.acknowledgments", "{ kind = \"linux\", growth = \"much\" }");
    let problems = complaints_with(&[growth]);
    assert_eq!(problems.len(), 1, "{problems:?}");
    for part in ["growth", "\"to-receiver-window\" or a size with its unit", "found the text \"much\""] {
        assert!(problems[0].contains(part), "{}", problems[0]);
    }
}

#[test]
fn a_flavor_that_needs_reports_is_refused_with_a_receiver_that_discards() {
    let text = format!("{SOUND}[tcp]\nflavor = \"sack\"\nout_of_order = \"discard\"\n");
    let expected = "sack.toml:8:16: tcp.out_of_order: a receiver that discards has nothing to report, and flavor \"sack\" needs \
                    its reports; write \"keep\"";
    assert_eq!(complaints(text.as_bytes(), "sack.toml"), [expected]);
}

#[test]
fn a_window_scale_that_is_too_large_or_too_small_is_refused() {
    assert_refused(
        "tcp.window_scale",
        "15",
        &["a window scale of 15 is too large; at most 14", "RFC 7323 section 2.3"],
    );
    assert_refused("tcp.window_scale", "-1", &["\"automatic\"", "a whole number from 0 to 14", "the number -1"]);
    // 600000 B need a scale of 4 (65535 << 4 = 1048560); with 3, 524280 B can be advertised.
    let problems = complaints_with(&[("tcp.receiver_window", "600000 B"), ("tcp.window_scale", "3")]);
    let expected = "--set tcp.window_scale=3: tcp.window_scale: a receiver window of 600000 B needs a window scale of 4; with 3 at most \
                    524280 B can be advertised";
    assert_eq!(problems, [expected]);
    // 600 >> 9 << 9 is 512, and 511 >> 9 is nothing.
    let problems =
        complaints_with(&[("tcp.receiver_window", "1000 B"), ("tcp.mss", "600 B"), ("tcp.window_scale", "9")]);
    let expected = "a window scale of 9 leaves 512 of 1000 B, which cannot hold one segment of 600 B";
    assert!(problems.len() == 1 && problems[0].contains(expected), "{problems:?}");
}

#[test]
fn a_least_timeout_above_the_largest_is_refused() {
    for (kind, minimum, maximum) in [("rfc-6298", "90 s", "60 s"), ("linux", "130 s", "120 s")] {
        let estimator = format!("{{ kind = \"{kind}\", minimum = \"{minimum}\" }}");
        let problems = complaints_with(&[("tcp.retransmission_timeout", &estimator)]);
        let expected = format!("tcp.retransmission_timeout.minimum: {minimum} is more than maximum, {maximum}");
        assert!(problems.len() == 1 && problems[0].ends_with(&expected), "{problems:?}");
    }
}

#[test]
fn an_initial_window_that_is_no_window_is_refused() {
    let words = ["a number of segments such as \"10 MSS\", or a size with its unit"];
    for nonsense in ["0 MSS", "-3 MSS", "many MSS", "1.5 MSS", "2000000 MSS"] {
        assert_refused("tcp.initial_window", nonsense, &[words[0], nonsense]);
    }
    assert_refused("tcp.initial_window", "10", &["10", "with its unit"]);
    assert_refused("tcp.initial_window", "511 B", &["smaller than one segment", "at least 512 B, or \"1 MSS\""]);
    assert_refused("tcp.initial_window", "0 B", &["must be more than zero"]);
}

#[test]
fn a_parameter_of_another_flavor_is_refused_with_those_that_there_are() {
    let problems = complaints_with(&[("tcp.flavor.kind", "reno"), ("tcp.flavor.flywheel", "none")]);
    let expected = "unknown key; known: \"multiple_loss_guard\", \"grows_at_exit\"";
    assert!(problems.len() == 1 && problems[0].contains(expected), "{problems:?}");
}

#[test]
fn a_high_speed_tcp_that_is_none_is_refused_where_it_is_chosen() {
    for (key, value, words) in [
        ("high_window", "38", "38 segments are not above low_window, 38 segments; write more"),
        (
            "high_loss_rate",
            "0.001",
            "0.001 is not below 9.972e-4, the loss rate of low_window, 38 segments; write less",
        ),
        ("high_decrease", "0.6", "0.6 is more than the half that a loss takes of small windows; write at most 0.5"),
    ] {
        let flavor = format!("{{ kind = \"high-speed\", {key} = {value} }}");
        let of_all = complaints_with(&[("tcp.flavor", &flavor)]);
        assert_eq!(of_all, [format!("--set tcp.flavor={flavor}: tcp.flavor.{key}: {words}")]);
        let group = format!("[{{ flavor = {flavor} }}]");
        let of_group = complaints_with(&[("connections", &group)]);
        assert_eq!(of_group, [format!("--set connections={group}: connections[0].flavor.{key}: {words}")]);
    }
}

#[test]
fn an_illinois_that_grows_faster_with_longer_queues_is_refused_where_it_is_chosen() {
    for (key, value, words) in [
        ("least_increase", "20", "20 is above most_increase, 10; write less"),
        ("least_decrease", "0.6", "0.6 is above most_decrease, 0.5; write less"),
        ("empty_delay", "0.2", "0.2 is above short_delay, 0.1; write less"),
        ("short_delay", "0.9", "0.9 is above long_delay, 0.8; write less"),
    ] {
        let flavor = format!("{{ kind = \"illinois\", {key} = {value} }}");
        let problems = complaints_with(&[("tcp.flavor", &flavor)]);
        assert_eq!(problems, [format!("--set tcp.flavor={flavor}: tcp.flavor.{key}: {words}")]);
    }
}

/// LeoCC and SaTCP would be in the state of a change all the time.
#[test]
fn a_change_of_the_path_that_never_ends_is_refused_where_it_is_chosen() {
    for (kind, key, value, words) in [
        ("leocc", "lead", "15 s", "no time between changes is left; write less than period"),
        ("satcp", "inhibited_for", "20 s", "no time between handovers is left; write less than period"),
        ("leocc", "period", "0 s", "0 s"),
        ("leocc", "filtered_gain", "1", "above 1"),
        ("leocc", "bandwidth_noise", "0", "from 1 to 100000"),
        ("leocc", "grid_from", "noon", "known: \"scenario\", \"opening\""),
        ("satcp", "divisor", "0", "from 1 to 100000"),
    ] {
        let flavor = format!(
            "{{ kind = \"{kind}\", {key} = {} }}",
            if value.contains(['s', 'n']) { format!("\"{value}\"") } else { value.into() }
        );
        let problems = complaints_with(&[("tcp.flavor", &flavor)]);
        assert_eq!(problems.len(), 1, "{flavor}: {problems:?}");
        let expected = format!("tcp.flavor.{key}: ");
        assert!(problems[0].contains(&expected) && problems[0].contains(words), "{}", problems[0]);
    }
}

#[test]
fn a_second_rule_for_the_end_of_slow_start_is_refused() {
    for flavor in [
        "bbr",
        "bbr3",
        "leocc",
        "satcp",
        "vegas",
        "cdg",
        "nv",
        "yeah",
        "ledbat",
        "{ kind = 'cubic', slow_start_exit = 'hystart' }",
    ] {
        let problems = complaints_with(&[("tcp.flavor", flavor), ("tcp.slow_start_exit", "search")]);
        assert_eq!(problems.len(), 1, "{flavor}: {problems:?}");
        for word in
            ["--set tcp.slow_start_exit=search: tcp.slow_start_exit: flavor", "a rule of its own", "\"by-flavor\""]
        {
            assert!(problems[0].contains(word), "{}", problems[0]);
        }
    }
}

#[test]
fn a_search_of_too_many_bins_or_of_no_share_is_refused() {
    for (key, value, words) in [
        ("bins", "1001", "1001 bins are too many; at most 1000"),
        ("extra_bins", "5000", "5000 bins are too many; at most 1000"),
        ("window", "1e12", "1000000000000 round trips are too many; at most 1000"),
        ("bins", "0", "from 1 to 100000"),
        ("stale_after", "-1", "from 1 to 100000"),
        ("threshold", "0", "above 0"),
        ("threshold", "1.5", "at most 1"),
        ("window", "0", "above 0"),
        ("expectation", "\"doubled\"", "known: \"sent\", \"twice-delivered\""),
        ("at_exit", "\"drain\"", "known: \"keep\", \"roll-back\", \"roll-back-latest\", \"delivered\""),
    ] {
        let exit = format!("{{ kind = \"search\", {key} = {value} }}");
        let problems = complaints_with(&[("tcp.slow_start_exit", &exit)]);
        assert_eq!(problems.len(), 1, "{key} = {value}: {problems:?}");
        let expected = format!("tcp.slow_start_exit.{key}: ");
        assert!(problems[0].contains(&expected) && problems[0].contains(words), "{}", problems[0]);
    }
    assert_refused("tcp.slow_start_exit", "sea", &["unknown end of slow start \"sea\"", "search"]);
}

#[test]
fn a_resumption_that_knows_nothing_or_cannot_be_is_refused() {
    let saved = "saved_cwnd = \"1 MB\", saved_rtt = \"600 ms\"";
    for (table, path, words) in [
        ("saved_rtt = \"600 ms\"", "tcp.resume.saved_cwnd", "missing, but saved_rtt is given; give both, or neither"),
        ("saved_cwnd = \"1 MB\"", "tcp.resume.saved_rtt", "missing, but saved_cwnd is given; give both, or neither"),
        ("saved_cwnd = \"observe\", saved_rtt = \"600 ms\"", "tcp.resume.saved_cwnd", "observe"),
        ("least_saved = 0.0", "tcp.resume.least_saved", "0"),
        ("rtt_period = \"0 s\"", "tcp.resume.rtt_period", "0 s"),
        ("saved_cwnd = \"0 B\", saved_rtt = \"600 ms\"", "tcp.resume.saved_cwnd", "0 B"),
        ("saved_cwnd = 1000, saved_rtt = \"600 ms\"", "tcp.resume.saved_cwnd", "unit"),
        ("saved_cwnd = \"1 MB\", saved_rtt = \"0 s\"", "tcp.resume.saved_rtt", "0 s"),
        (&format!("{saved}, beta = 0.4"), "tcp.resume.beta", "from 0.5 to 1 (RFC 9959 section 2.4)"),
        (&format!("{saved}, beta = 1.1"), "tcp.resume.beta", "at most 1"),
        (&format!("{saved}, lifetime = \"0 s\""), "tcp.resume.lifetime", "0 s"),
        (&format!("{saved}, jump = \"soon\""), "tcp.resume.jump", "known: \"window-limited\", \"confirmed\""),
        (&format!("{saved}, cwnd = \"1 MB\""), "tcp.resume", "cwnd"),
    ] {
        let resume = format!("{{ kind = \"careful-resume\", {table} }}");
        let problems = complaints_with(&[("tcp.resume", &resume)]);
        assert_eq!(problems.len(), 1, "{table}: {problems:?}");
        assert!(problems[0].contains(path) && problems[0].contains(words), "{}", problems[0]);
    }
}
