//! Groups with end systems of their own, that stop, or that begin after others; closed loops; and synchronized rounds.

use longfat_engine::config::{Field, Parameter};
use longfat_engine::measure::RunRecord;
use longfat_engine::scenario::Scenario;
use longfat_engine::transport::TcpConfig;
use longfat_engine::transport::preset::PRESETS;
use longfat_engine::{Driver, run, run_by};
use proptest::prelude::*;
use proptest::test_runner::{RngSeed, TestCaseError};

use super::random_networks::{any_network, any_network_for_the_fast_driver, any_split_network, in_blocks};
use crate::support::declared::fragment;
use crate::support::scenario;

/// Four connections over 8 Mbit/s and 20 ms: a segment of 1000 B with its 40 B of headers takes 1.04 ms.
fn network(groups: &str, rest: &str) -> Scenario {
    scenario(&format!(
        "schema_version = 1\nduration = \"20 s\"\nframing = \"packet\"\nport.buffer = \"200 packets\"\n\
         topology = {{ kind = \"n-source\", sources = 4, access = {{ rate = \"1 Gbit/s\", delay = \"0 s\" }}, \
         bottleneck = {{ rate = \"8 Mbit/s\", delay = \"10 ms\" }} }}\nconnections = [{groups}]\n\
         tcp = {{ flavor = \"sack-rfc6675\", mss = \"1000 B\", receiver_window = \"60 kB\", timer_granularity = \"1 ms\", \
         retransmission_timeout = \"rfc-6298\" }}\n{rest}\n"
    ))
}

fn record(scenario: &Scenario) -> RunRecord {
    run(scenario).unwrap_or_else(|violation| panic!("{violation}"))
}

/// A record without what says who computed it.
fn text(mut record: RunRecord) -> String {
    record.work.driver = "";
    record.work.handed_over = None;
    serde_json::to_string(&record).expect("it is JSON")
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(1),
        ..ProptestConfig::with_cases(200)
    })]

    #[test]
    fn whatever_blocks_send_is_conserved(network in in_blocks(any_network())) {
        run(&network.scenario).map_err(|violation| TestCaseError::fail(violation.to_string()))?;
    }

    #[test]
    fn also_where_proxies_split_their_connections(network in in_blocks(any_split_network())) {
        run(&network.scenario).map_err(|violation| TestCaseError::fail(violation.to_string()))?;
    }

    #[test]
    fn both_drivers_tell_the_same_of_blocks(network in in_blocks(any_network_for_the_fast_driver())) {
        let by = |driver| run_by(driver, &network.scenario).map_err(|violation| TestCaseError::fail(violation.to_string()));
        prop_assert_eq!(text(by(Driver::Fast)?), text(by(Driver::Events)?));
    }
}

/// Settings of the first connection of a group with this table.
fn end_systems(of_group: &str) -> TcpConfig {
    network(&format!("{{ tcp = {of_group} }}"), "").tcp_of(0).into_owned()
}

#[test]
fn every_setting_of_end_systems_may_be_that_of_a_group_alone() {
    let common = network("", "");
    let mut settings = 0;
    // A receiver that discards is refused beside this flavor, of a group as of all.
    for Field { name, default, alternatives, .. } in TcpConfig::fields() {
        for value in default.iter().chain(alternatives).filter(|value| name != "preset" && **value != "discard") {
            let value = fragment(value);
            let of_all = Scenario::parse(
                common.canonical().as_bytes(),
                "all.json",
                &[
                    (format!("tcp.{name}"), value.clone()),
                    // What follows from the setting is computed anew, as in a file that does not say it.
                    ("tcp.window_scale".into(), "automatic".into()),
                    (
                        "tcp.ssthresh_rule".into(),
                        if name == "ssthresh_rule" { value.trim_matches('"').into() } else { "by-flavor".into() },
                    ),
                ],
            );
            let of_all = of_all.unwrap_or_else(|problems| panic!("{name} = {value}: {problems:?}"));
            let group = network(&format!("{{ tcp = {{ {name} = {value} }} }}, {{ count = 3 }}"), "");
            assert_eq!(group.tcp_of(0).resolved(), of_all.tcp.resolved(), "{name} = {value}");
            assert_eq!(group.tcp_of(1).resolved(), common.tcp.resolved(), "{name} = {value}");
            settings += 1;
        }
    }
    assert!(settings > TcpConfig::fields().len(), "{settings}");
}

#[test]
fn a_group_with_a_preset_is_a_host_of_that_kind_whatever_the_others_are() {
    for preset in PRESETS {
        let of_all = scenario(&format!(
            "schema_version = 1\nduration = \"1 s\"\nframing = \"packet\"\nport.buffer = \"200 packets\"\ntcp.preset = {:?}\n\
             topology = {{ kind = \"n-source\", sources = 1, access.delay = \"0 s\", bottleneck.delay = \"10 ms\" }}\n",
            preset.name
        ));
        assert_eq!(end_systems(&format!("{{ preset = {:?} }}", preset.name)).resolved(), of_all.tcp.resolved());
        let own_flavor = end_systems(&format!("{{ preset = {:?}, flavor = \"scalable\" }}", preset.name));
        let beside = network(&format!("{{ flavor = \"scalable\", tcp = {{ preset = {:?} }} }}", preset.name), "");
        assert_eq!(own_flavor.resolved(), beside.tcp_of(0).resolved(), "beside the table or in it");
    }
}

#[test]
fn a_group_that_says_what_all_say_changes_nothing() {
    let all = record(&network("", ""));
    let own = record(&network("{ count = 2, tcp = { mss = \"1000 B\", sack_blocks = \"as-others\" } }", ""));
    assert_eq!(all.fingerprint, own.fingerprint);
}

#[test]
fn a_resolved_group_has_the_defaults_that_the_others_have_not() {
    let text = network("{ tcp.preset = \"linux-6.12\", tcp.nagle_waits_for = \"anything\" }", "").canonical();
    let others = [("tcp.nagle_waits_for".into(), "small-segments".into())];
    let group = |overrides: &[(String, String)]| {
        let scenario = Scenario::parse(text.as_bytes(), "canonical.json", overrides).expect("a scenario");
        scenario.tcp_of(0).resolved()
    };
    assert_eq!(group(&others), group(&[]));
}

#[test]
fn segments_of_a_group_have_its_size_and_those_of_the_others_theirs() {
    let finite = "traffic = { kind = \"finite\", size = \"100 kB\" }";
    let record = record(&network("{ tcp.mss = \"500 B\" }, { tcp = { mss = \"2000 B\", timestamps = true } }", finite));
    let segments: Vec<_> = record.flows.iter().map(|flow| flow.segments_sent - flow.segments_retransmitted).collect();
    assert_eq!(segments, [200, 50, 100, 100]);
}

#[test]
fn efficiency_counts_from_the_largest_segments_so_that_no_run_has_more_than_all() {
    let record = record(&network("{ count = 4, tcp = { mss = \"4000 B\" } }", ""));
    assert!((0.9..=1.0).contains(&record.metrics.efficiency), "{}", record.metrics.efficiency);
}

#[test]
fn what_is_wrong_in_the_table_of_a_group_is_told_at_its_place() {
    let problems = |group: &str| {
        let text = network("", "").canonical().replacen('{', &format!("{{\"connections\":[{group}],"), 1);
        Scenario::parse(text.as_bytes(), "text.json", &[]).expect_err("a mistake").join("\n")
    };
    let told = [
        (r#"{"tcp":{"mss":"100 kB"}}"#, "connections[0].tcp.mss: 100000 B is too large; at most 65535 B"),
        (r#"{"tcp":{"receiver_window":"500 B"}}"#, "connections[0].tcp.receiver_window: 500 B cannot hold one segment"),
        (r#"{"tcp":{"mms":"100 B"}}"#, "connections[0].tcp.mms: unknown key; did you mean \"mss\"?"),
        (r#"{"flavor":"reno","tcp":{"flavor":"bbr"}}"#, "connections[0].tcp.flavor: given twice"),
        (r#"{"tcp":{"sack_blocks":4,"timestamps":true}}"#, "connections[0].tcp.sack_blocks: 4 blocks have no room"),
        (r#"{"name":"a"},{"name":"a"}"#, "connections[1].name: two groups are called \"a\""),
        (r#"{"after":"b"}"#, "connections[0].after: no group is called \"b\"; no group has a name"),
        (r#"{"name":"bulk"},{"after":"bulc"}"#, "known: \"bulk\"; did you mean \"bulk\"?"),
        (
            r#"{"name":"a"},{"after":"a"}"#,
            "connections[1].after: waits for \"a\", whose traffic \"infinite\" never ends",
        ),
        (r#"{"name":"a","after":"b"},{"name":"b","after":"a"}"#, "neither would ever begin"),
        (r#"{"later":"2 s","stop":"1 s"}"#, "connections[0].stop: stops at 1 s, and begins at 2 s at the earliest"),
    ];
    for (group, words) in told {
        let problems = problems(group);
        assert!(problems.contains(words), "{group}: {problems}");
    }
}

#[test]
fn nothing_is_handed_over_after_a_stop_and_all_before_it_is_delivered() {
    let scenario = network(
        "{ stop = \"3500 ms\", traffic = { kind = \"messages\", size = \"300 B\", interval = \"1 s\" } }, \
                            { stop = \"5 s\" }",
        "",
    );
    let record = record(&scenario);
    assert_eq!(record.flows[0].bytes_delivered, 4 * 300, "at 0, 1, 2 and 3 s");
    // The window of 60 kB behind three others takes at most 200 packets of 1.04 ms, and one way.
    let finished = record.flows[1].finished_s.expect("it ends with what was sent");
    assert!((5.0..5.25).contains(&finished), "{finished}");
    // In 5 s the line carries 5 MB, of which a part of 1000 in 1040 is data.
    assert!(record.flows[1].bytes_delivered <= 5_000_000 * 1000 / 1040 + 60_000);
    assert_eq!(record.flows[2].finished_s, None);
}

#[test]
fn a_connection_that_is_stopped_before_it_is_open_has_sent_nothing_and_never_finishes() {
    let record = record(&network(
        "{ stop = \"15 ms\", tcp.handshake = true }, { after = \"other\" }, { name = \"other\", stop = \"1 s\" }",
        "",
    ));
    let flow = &record.flows[0];
    assert_eq!((flow.bytes_delivered, flow.segments_sent, flow.finished_s), (0, 0, None));
    assert!(record.flows[1].started_s > Some(1.0), "what waits for a stop begins");
}

#[test]
fn who_stays_has_the_line_alone_when_the_others_have_left() {
    let rate = |groups: &str| record(&network(groups, "measure.from = \"12 s\"")).flows[3].goodput_bps;
    let alone = rate("{ count = 3, later = \"100 s\" }");
    let left = rate("{ count = 3, stop = \"10 s\" }");
    assert!(alone > 7.5e6, "{alone}");
    assert!((left / alone - 1.0).abs() < 0.01, "{left} of {alone}");
}

#[test]
fn a_block_begins_when_the_last_byte_of_all_of_another_is_delivered() {
    let first =
        "{ count = 2, name = \"first\", traffic = { kind = \"finite\", size = \"100 kB\", stagger = \"100 ms\" } }";
    let finite = "traffic = { kind = \"finite\", size = \"10 kB\" }";
    for (more, later) in [("", 0.0), (", later = \"1 s\"", 1.0)] {
        let record = record(&network(&format!("{first}, {{ after = \"first\"{more} }}"), finite));
        let ends: Vec<_> = record.flows[..2].iter().filter_map(|flow| flow.finished_s).collect();
        let expected = ends.into_iter().fold(0.0, f64::max) + later;
        let begun = record.flows[2].started_s.expect("it begins");
        assert!((begun - expected).abs() < 1e-9, "{begun}, and not {expected}");
        assert_eq!(record.flows[3].started_s, Some(0.0), "it waits for nobody");
    }
}

/// A barrier only shifts time: on an idle line, with clocks that tick from the start.
#[test]
fn flows_behind_a_barrier_take_as_long_as_without_it() {
    let flows = "tcp.timer_phase = \"from-start\", traffic = { kind = \"flows\", interval = \"100 ms\", count = 20, size = { kind = \"exponential\", mean = \"20 kB\" } }";
    let gate = |size| format!("{{ name = \"gate\", traffic = {{ kind = \"finite\", size = \"{size} B\" }} }}");
    let times = |groups: String| {
        let record = record(&network(&groups, ""));
        let flows = record.completions.into_iter().find(|kind| kind.name == "flow").expect("flows");
        (flows.asked, flows.times.mean_seconds())
    };
    let later = "{ count = 2, later = \"100 s\" }";
    let without = times(format!("{}, {{ {flows} }}, {later}", gate(1)));
    let behind = times(format!("{}, {{ after = \"gate\", {flows} }}, {later}", gate(900_000)));
    assert_eq!(without.0, 20);
    assert_eq!(behind, without);
}

#[test]
fn each_round_begins_when_all_have_delivered_the_last_and_the_pause_is_over() {
    let rounds = "traffic = { kind = \"rounds\", size = \"30 kB\", count = 12, pause = \"50 ms\" }";
    let record = record(&network("", rounds));
    let of = |name: &str| record.completions.iter().find(|kind| kind.name == name).expect("rounds");
    let (whole, parts) = (of("round"), of("round, one sender"));
    assert_eq!((whole.asked, whole.delivered, parts.asked, parts.delivered), (12, 12, 48, 48));
    assert!(record.flows.iter().all(|flow| flow.bytes_delivered == 12 * 30_000));
    // The last byte comes at the end of twelve rounds and eleven pauses; means are exact to a microsecond each.
    let last = record.flows.iter().filter_map(|flow| flow.finished_s).fold(0.0, f64::max);
    let sum = 12.0 * whole.times.mean_seconds().expect("rounds") + 11.0 * 0.05;
    assert!((last - sum).abs() < 1e-4, "{last}, and not {sum}");
    assert!(parts.times.mean_seconds() <= whole.times.mean_seconds());
}

/// One segment of each of four senders: 4 * 1.04 ms on the line, 10 ms one way, and 8.32 us on the line of each host.
#[test]
fn a_round_of_four_segments_takes_four_times_on_the_line_and_one_way() {
    let record =
        record(&network("", "traffic = { kind = \"rounds\", size = \"1000 B\", count = 3, pause = \"30 ms\" }"));
    let round = record.completions.iter().find(|kind| kind.name == "round").expect("rounds");
    let seconds = round.times.mean_seconds().expect("three");
    assert!((seconds - (4.0 * 1.04e-3 + 10e-3 + 2.0 * 8.32e-6)).abs() < 2e-6, "{seconds}");
}

/// Incast (Phanishayee et al. 2008, section 2): with more senders than the buffer has room for, a tail of a window is lost and a round
/// waits for a timeout of at least 200 ms.
#[test]
fn many_synchronized_senders_wait_for_timeouts_and_few_do_not() {
    let mean = |senders: u64| {
        let scenario = scenario(&format!(
            "schema_version = 1\nduration = \"5 s\"\nframing = \"ethernet\"\nport.buffer = \"64 packets\"\n\
             topology = {{ kind = \"n-source\", sources = {senders}, access = {{ rate = \"1 Gbit/s\", delay = \"20 us\" }}, \
             bottleneck = {{ rate = \"1 Gbit/s\", delay = \"20 us\" }} }}\ntcp.preset = \"linux-6.12\"\ntcp.handshake = false\n\
             traffic = {{ kind = \"rounds\", size = \"{} B\" }}\n",
            1_000_000 / senders
        ));
        let record = record(&scenario);
        let round = record.completions.iter().find(|kind| kind.name == "round").expect("rounds").clone();
        (round.times.mean_seconds().expect("some"), record.metrics.timeouts)
    };
    let (few, many) = (mean(2), mean(40));
    assert!(few.0 < 0.012, "1 MB takes 8 ms at 1 Gbit/s: {few:?}");
    assert!(many.0 > 0.1 && many.1 > 0, "{many:?}");
}

/// Pages of one sender over the network, whose others begin when the run is over: completions of pages, and when the sender finished.
fn pages(group: &str, loops: &str) -> (u64, u64, f64, Option<f64>) {
    let size = "size = { kind = \"fixed\", size = \"1000 B\" }, pause = \"100 ms\", request = \"20 ms\"";
    let traffic = format!("traffic = {{ kind = \"closed-loop\", {size}, {loops} }}");
    let record = record(&network(&format!("{{ {group} }}, {{ count = 3, later = \"100 s\" }}"), &traffic));
    let pages = record.completions.iter().find(|kind| kind.name == "page").expect("pages");
    (pages.asked, pages.delivered, pages.times.mean_seconds().unwrap_or(0.0), record.flows[0].finished_s)
}

/// A request of 20 ms, a segment on three lines, and 10 ms one way.
const ONE_FILE: f64 = 20e-3 + 1.04e-3 + 10e-3 + 2.0 * 8.32e-6;

#[test]
fn a_page_is_asked_for_a_pause_after_the_last_one_has_come() {
    let (asked, delivered, mean, finished) = pages("", "count = 3");
    assert_eq!((asked, delivered), (3, 3));
    assert!((mean - ONE_FILE).abs() < 2e-6, "{mean}");
    let finished = finished.expect("three pages are all");
    assert!((finished - (3.0 * ONE_FILE + 2.0 * 0.1)).abs() < 1e-9, "{finished}");
}

/// The embedded files share the line: the second takes 1.04 ms more.
#[test]
fn embedded_files_are_asked_for_together_when_the_first_has_come() {
    let (asked, delivered, mean, finished) = pages("", "count = 2, embedded = 2");
    assert_eq!((asked, delivered), (2, 2));
    let page = 2.0 * ONE_FILE + 1.04e-3;
    assert!((mean - page).abs() < 2e-6, "{mean}, and not {page}");
    let finished = finished.expect("two pages are all");
    assert!((finished - (2.0 * page + 0.1)).abs() < 1e-9, "{finished}");
}

#[test]
fn a_loop_that_stops_asks_no_more_and_a_page_without_its_files_has_not_come() {
    assert_eq!(pages("stop = \"50 ms\"", "count = 3").0, 1, "the second would be asked for at 131 ms");
    let (asked, delivered, ..) = pages("stop = \"40 ms\"", "count = 3, embedded = 2");
    assert_eq!((asked, delivered), (1, 0), "the first file comes at 31 ms, the others would be handed over at 51 ms");
}

#[test]
fn a_loop_begins_after_a_block_and_a_block_after_a_loop() {
    let size = "size = { kind = \"fixed\", size = \"1000 B\" }";
    let looping =
        format!("traffic = {{ kind = \"closed-loop\", {size}, count = 2, pause = \"100 ms\", embedded = 1 }}");
    let gate = "{ name = \"gate\", traffic = { kind = \"finite\", size = \"100 kB\" } }";
    let groups =
        format!("{gate}, {{ name = \"loop\", count = 2, after = \"gate\", {looping} }}, {{ after = \"loop\" }}");
    let record = record(&network(&groups, ""));
    let finished: Vec<_> = record.flows.iter().map(|flow| flow.finished_s.unwrap_or(f64::INFINITY)).collect();
    assert_eq!(record.flows[1].started_s, Some(finished[0]));
    assert_eq!(record.flows[2].started_s, Some(finished[0]));
    assert_eq!(record.flows[3].started_s, Some(finished[1].max(finished[2])), "both pages of both users have come");
    assert!(record.flows[1..3].iter().all(|flow| flow.bytes_delivered == 4 * 1000));
}

/// Beside an open loop, whose load is the same over any network.
#[test]
fn a_slow_network_is_asked_for_less_and_each_user_waits_for_one_page_at_most() {
    let size = "size = { kind = \"exponential\", mean = \"50 kB\" }";
    let asked = |rate: &str| {
        let traffic = format!(
            "{{ kind = \"closed-loop\", {size}, count = \"unlimited\", embedded = 3, pause = \"uniform(10 ms, 30 ms)\" }}"
        );
        let others = [("traffic".into(), traffic), ("topology.bottleneck.rate".into(), rate.into())];
        let scenario = Scenario::parse(network("", "").canonical().as_bytes(), "network.json", &others);
        let record = record(&scenario.unwrap_or_else(|problems| panic!("{problems:?}")));
        let pages = record.completions.iter().find(|kind| kind.name == "page").expect("pages").clone();
        assert!(pages.delivered <= pages.asked && pages.asked <= pages.delivered + 4, "{pages:?}");
        pages.asked
    };
    let (slow, fast) = (asked("2 Mbit/s"), asked("8 Mbit/s"));
    assert!(slow > 4 && fast > 2 * slow, "{slow} and {fast}");
}
