//! Every picosecond of the bottleneck has exactly one cause: as a law for any network, and worked by hand in small ones.
//!
//! By hand at 424 Mbit/s, where a cell takes 1 us, over three links of 1 ms (as in `lone_flow`): a segment of 12 cells begins to
//! cross the bottleneck 1001 us after it was sent, and its acknowledgment is back 6018 us after it was sent.

use longfat_engine::framing::Class;
use longfat_engine::measure::{Cause, Ledger, RunRecord};
use longfat_engine::observer::Observer;
use longfat_engine::run_told;
use longfat_engine::scenario::{Scenario, Throughput};
use longfat_engine::units::Time;
use proptest::prelude::*;
use proptest::test_runner::{RngSeed, TestCaseError};

use super::random_networks::{any_network, is_endless};
use crate::support::n_source;
use crate::support::tape::{Entry, Happening, run_taped};

const MICROSECOND: u64 = 1_000_000;
const CELL: u64 = MICROSECOND;
const SEGMENT: u64 = 12 * CELL;

/// Times at which cells began to cross the bottleneck.
#[derive(Default)]
struct Begun(Vec<Time>);

impl Observer for Begun {
    fn cell_served(&mut self, now: Time, _port: usize, _class: Class, _bits: u64) {
        self.0.push(now);
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(2),
        ..ProptestConfig::with_cases(1000)
    })]

    #[test]
    fn the_parts_of_any_ledger_sum_to_the_duration_and_its_idle_parts_to_what_is_between_cells(
        network in any_network(),
    ) {
        let mut begun = Begun::default();
        let record = run_told(&network.scenario, &mut begun)
            .map_err(|violation| TestCaseError::fail(violation.to_string()))?;
        prop_assert_eq!(record.ledger.duration().0, network.scenario.duration.0.0, "to the picosecond");
        check_idle(&network.scenario, &record.ledger, &begun.0)?;
        check_useful(&network.scenario, &record)?;
    }
}

fn idle(ledger: &Ledger) -> u64 {
    Cause::ALL.iter().filter(|cause| cause.name().starts_with("idle")).map(|&cause| ledger.span(cause).0).sum()
}

/// The line is idle if no cell has begun to cross it for longer than a cell's transmission time.
fn check_idle(scenario: &Scenario, ledger: &Ledger, begun: &[Time]) -> Result<(), TestCaseError> {
    if scenario.framing.name() != "aal5" {
        return Ok(()); // packets take a time that depends on their size
    }
    let end = Time::ZERO + scenario.duration.0;
    let rate = scenario.graph().bottleneck().expect("it has one").rate;
    let cell = scenario.framing.build(&()).cell_time(rate).at_least().0;
    let free = begun.iter().map(|time| time.0 + cell);
    let next = begun.iter().copied().chain([end]).skip(1);
    let first = begun.first().map_or(end, |time| *time);
    let between: u64 = first.0 + free.zip(next).map(|(free, next)| next.0.saturating_sub(free)).sum::<u64>();
    let rounding = begun.len() as u64;
    let idle = idle(ledger);
    prop_assert!(idle.abs_diff(between) <= rounding, "{idle} ps in the ledger, {between} ps between cells");
    Ok(())
}

/// Efficiency (M-02) is the useful share, if all segments are full, VBR takes nothing, and bytes count when delivered.
fn check_useful(scenario: &Scenario, record: &RunRecord) -> Result<(), TestCaseError> {
    let are_full = is_endless(scenario) && scenario.tcp.silly_window_avoidance;
    let has_vbr = record.ledger.span(Cause::Vbr).0 > 0 || scenario.background.iter().any(|b| b.name() == "vbr-on-off");
    // Cells of whole ticks leave a line a little less than its rate, by which efficiency goes.
    let is_exact = scenario.framing.build(&()).tick().is_none();
    if !is_exact || !are_full || has_vbr || scenario.measure.throughput != Throughput::InOrder {
        return Ok(());
    }
    let (share, efficiency) = (record.ledger.share(Cause::Useful), record.metrics.efficiency);
    prop_assert!((share - efficiency).abs() < 1e-6, "a useful share of {share}, an efficiency of {efficiency}");
    Ok(())
}

/// A single connection over three links of 1 ms at 424 Mbit/s, with first-come first-served admission.
fn lone(duration: &str, tcp: &str, rest: &str) -> Scenario {
    let rest = format!(
        "port = {{ buffer = \"unlimited\", arrival_order = \"first-come-first-served\" }}
tcp = {{ mss = \"512 B\", {tcp} }}
{rest}"
    );
    n_source(1, "424 Mbit/s", "1 ms", duration, &rest)
}

/// Causes with a nonzero time, in microseconds.
#[track_caller]
fn microseconds(ledger: &Ledger) -> Vec<(&'static str, u64)> {
    let taken = Cause::ALL.iter().map(|&cause| (cause.name(), ledger.span(cause).0)).filter(|(_, ps)| *ps > 0);
    taken
        .map(|(name, ps)| {
            assert_eq!(ps % MICROSECOND, 0, "{name}: {ps} ps");
            (name, ps / MICROSECOND)
        })
        .collect()
}

fn times(tape: &[Entry], which: impl Fn(&Happening) -> bool) -> Vec<u64> {
    tape.iter().filter(|entry| which(&entry.what)).map(|entry| entry.time.0).collect()
}

fn is_sent(what: &Happening) -> bool {
    matches!(what, Happening::Sent { .. })
}

fn is_acknowledged(what: &Happening) -> bool {
    matches!(what, Happening::Acknowledged { .. })
}

#[test]
fn slow_start_leaves_the_line_idle_until_the_window_fills_the_pipe() {
    // The nine rounds before the line is always busy send 511 segments; the tenth begins to cross the bottleneck at 9 * 6018 + 1001 us.
    // `lone_flow` derives the 79080 segments delivered in 1 s; the rest is in flight.
    let (_, record) = run_taped(&lone("1 s", "receiver_window = \"524288 B\", initial_ssthresh = \"unlimited\"", ""));
    let until_full = 9 * 6018 + 1001;
    let idle = until_full - 511 * 12;
    let useful = 79_080 * 12;
    assert_eq!(
        microseconds(&record.ledger),
        [("useful", useful), ("under_way", 1_000_000 - useful - idle), ("idle_slow_start", idle)]
    );
}

#[test]
fn a_receiver_window_of_four_segments_limits_from_the_acknowledgment_that_opens_the_fourth() {
    // One segment, two, then four per round trip. The window reaches four with the third acknowledgment, at 2 * 6018 + 12 us, when three
    // segments have crossed. Eight rounds of four follow in 60 ms, all delivered.
    let (_, record) = run_taped(&lone("60 ms", "receiver_window = \"2048 B\"", ""));
    let (opened, useful) = (2 * 6018 + 12, (3 + 8 * 4) * 12);
    let (slow_start, limited) = (opened - 3 * 12, 60_000 - opened - 8 * 4 * 12);
    assert_eq!(
        microseconds(&record.ledger),
        [("useful", useful), ("idle_receiver_window", limited), ("idle_slow_start", slow_start)]
    );
}

#[test]
fn past_slow_start_it_is_the_congestion_window_that_limits() {
    // With a threshold of two segments the window passes it with the second acknowledgment but one, at 2 * 6018 us (cwnd =
    // ssthresh is still slow start here), when three segments have crossed: two and a half after the first round.
    let tcp = "receiver_window = \"524288 B\", initial_ssthresh = \"1024 B\", slow_start_at_ssthresh = true";
    let (tape, record) = run_taped(&lone("30 ms", tcp, ""));
    assert_eq!(times(&tape, is_sent)[..3], [0, 6018 * MICROSECOND, 6018 * MICROSECOND]);
    let slow_start = record.ledger.span(Cause::IdleSlowStart).0;
    assert_eq!(slow_start, (2 * 6018 - 3 * 12) * MICROSECOND);
    let busy = record.ledger.span(Cause::Useful).0 + record.ledger.span(Cause::UnderWay).0;
    let avoidance = record.ledger.span(Cause::IdleCongestionAvoidance).0;
    assert_eq!(slow_start + busy + avoidance, 30_000 * MICROSECOND);
}

#[test]
fn an_application_that_has_offered_all_leaves_the_line_idle_without_data() {
    // Three segments: the last two are sent when the first is acknowledged, and then there is nothing left to send.
    let finite = "traffic = { kind = \"finite\", size = \"1536 B\" }";
    let (_, record) = run_taped(&lone("20 ms", "receiver_window = \"8192 B\"", finite));
    assert_eq!(
        microseconds(&record.ledger),
        [("useful", 36), ("idle_slow_start", 6018 - 12), ("idle_no_data", 20_000 - 6018 - 24)]
    );
}

#[test]
fn a_sender_whose_only_segment_is_lost_waits_for_its_timer_from_the_loss_on() {
    // The first cell of the first segment is lost at the bottleneck. The timer's expiry retransmits the segment.
    let rest = "loss = { kind = \"list\", drops = [1] }\ntraffic = { kind = \"finite\", size = \"512 B\" }";
    let (tape, record) = run_taped(&lone("10 s", "receiver_window = \"8192 B\"", rest));
    let sent = times(&tape, is_sent);
    assert_eq!(sent.len(), 2);
    let ledger = record.ledger;
    assert_eq!(ledger.span(Cause::IdleTimeout).0, sent[1] - 1001 * MICROSECOND);
    assert_eq!(ledger.span(Cause::Useful).0, SEGMENT);
    // Otherwise the sender has sent everything offered.
    assert_eq!(ledger.span(Cause::IdleNoData).0, 10_000_000 * MICROSECOND - SEGMENT - (sent[1] - 1001 * MICROSECOND));
}

/// Vanilla with a window of eight segments loses one of them; returns the tape and the ledger.
fn lose_one_of_eight(tcp: &str) -> (Vec<Entry>, Ledger) {
    let rest = "loss = { kind = \"list\", drops = [10] }\ntraffic = { kind = \"finite\", size = \"20480 B\" }";
    let (tape, record) = run_taped(&lone("10 s", &format!("receiver_window = \"4096 B\", {tcp}"), rest));
    assert_eq!((record.flows[0].bytes_delivered, record.flows[0].timeouts), (20_480, 1));
    (tape, record.ledger)
}

/// Time from the last acknowledgment before the timeout to the timeout: the wait of a sender that ignores duplicates.
fn silence_before_timeout(tape: &[Entry]) -> u64 {
    let expiry = times(tape, |what| matches!(what, Happening::TimedOut { .. }))[0];
    expiry - times(tape, is_acknowledged).into_iter().rfind(|&time| time < expiry).expect("some came before")
}

/// Segments received beyond a hole, or without new data.
fn received_beyond_hole(tape: &[Entry]) -> u64 {
    let is_beyond = |what: &Happening| matches!(what, Happening::Received { sequence, next, .. } if sequence > next);
    times(tape, is_beyond).len() as u64
}

#[test]
fn vanilla_waits_for_its_timer_from_the_last_duplicate_on_and_a_receiver_that_keeps_wastes_nothing() {
    let (tape, ledger) = lose_one_of_eight("out_of_order = \"keep\"");
    assert_eq!(ledger.span(Cause::IdleTimeout).0, silence_before_timeout(&tape));
    assert_eq!(received_beyond_hole(&tape), 7, "the rest of the window");
    assert_eq!(ledger.span(Cause::Useful).0, 40 * SEGMENT);
    assert_eq!(ledger.span(Cause::BeyondHole).0, 0);
    // The receiver acknowledges all eight when the hole is filled, before the sender has gone back over more than the first.
    assert_eq!((ledger.span(Cause::Duplicate).0, ledger.span(Cause::Incomplete).0), (0, 0));
}

#[test]
fn go_back_n_pays_for_what_a_discarding_receiver_throws_away() {
    let (tape, ledger) = lose_one_of_eight("out_of_order = \"discard\"");
    assert_eq!(received_beyond_hole(&tape), 7);
    assert_eq!(ledger.span(Cause::BeyondHole).0, 7 * SEGMENT, "seven segments cross the bottleneck twice");
    assert_eq!(ledger.span(Cause::Useful).0, 40 * SEGMENT);
    assert_eq!(ledger.span(Cause::IdleTimeout).0, silence_before_timeout(&tape));
}

#[test]
fn a_lost_acknowledgment_at_the_end_makes_a_duplicate() {
    let rest =
        "acknowledgment_loss = { kind = \"list\", drops = [4] }\ntraffic = { kind = \"finite\", size = \"2048 B\" }";
    let (_, record) = run_taped(&lone("10 s", "receiver_window = \"8192 B\"", rest));
    assert_eq!(record.ledger.span(Cause::Useful).0, 4 * SEGMENT);
    assert_eq!(record.ledger.span(Cause::Duplicate).0, SEGMENT, "the last segment is sent again");
}

#[test]
fn a_repaired_loss_is_charged_to_recovery_not_to_a_timeout() {
    // Reno with a window of eight: seven duplicates; the retransmitted segment is acknowledged with all others.
    let (tape, record) = {
        let rest = "loss = { kind = \"list\", drops = [10] }\ntraffic = { kind = \"finite\", size = \"20480 B\" }";
        run_taped(&lone("1 s", "receiver_window = \"4096 B\", flavor = \"reno\"", rest))
    };
    assert_eq!((record.flows[0].fast_retransmits, record.flows[0].timeouts), (1, 0));
    assert_eq!(record.ledger.span(Cause::IdleTimeout).0, 0);
    let third_duplicate =
        tape.iter().find(|entry| matches!(entry.what, Happening::Sent { segment, .. } if segment.again));
    let begun = third_duplicate.expect("it is sent again").time.0;
    let repaired = times(&tape, is_acknowledged).into_iter().find(|&time| time > begun + 6_000 * MICROSECOND);
    let lasted = repaired.expect("a round trip later") - begun;
    // Data that crosses the bottleneck in this time was sent 1001 us before.
    let crosses = |time: &u64| (begun..begun + lasted).contains(&(time + 1001 * MICROSECOND));
    let crossing = times(&tape, is_sent).into_iter().filter(crosses).count() as u64;
    assert_eq!(record.ledger.span(Cause::IdleRecovery).0, lasted - crossing * SEGMENT);
}

#[test]
fn opening_a_connection_takes_a_round_trip_of_small_packets() {
    // Two cells each way: 2 + 2 + 3000 us there and back; the SYN crosses the bottleneck in two cells.
    let (tape, record) = run_taped(&lone("10 ms", "receiver_window = \"8192 B\", handshake = true", ""));
    let opened = times(&tape, is_sent)[1];
    assert_eq!(opened, 6008 * MICROSECOND);
    assert_eq!(
        microseconds(&record.ledger),
        [("useful", 12), ("control", 2), ("idle_slow_start", 10_000 - 6008 - 12), ("idle_opening", 6008 - 2)]
    );
}

#[test]
fn vbr_with_strict_priority_is_charged_exactly_its_cells() {
    // A cell takes 10 us; VBR sends at the line's rate for 30 ms of every 50 ms.
    let rest = "port = { buffer = \"unlimited\", scheduler = \"strict-priority\" }\ntcp.receiver_window = \"60000 B\"
background = [{ kind = \"vbr-on-off\", on = \"30 ms\", off = \"20 ms\" }]";
    let (_, record) = run_taped(&n_source(3, "42.4 Mbit/s", "5 us", "200 ms", rest));
    let classes = &record.ports[0].classes;
    assert_eq!(record.ledger.span(Cause::Vbr).0, classes[1].cells_out * 10 * MICROSECOND);
    assert!((record.ledger.share(Cause::Vbr) - 0.6).abs() < 1e-3);
    assert_eq!(record.ledger.span(Cause::Incomplete).0, 0, "nothing is dropped");
}

#[test]
fn incomplete_packets_are_all_that_was_sent_and_never_arrived() {
    // Tail drop cuts packets in the middle; their remaining cells cross the bottleneck in vain. All is quiet after 60 s.
    let rest = "port = { buffer = \"100 cells\", policy = \"tail-drop\" }\ntcp.receiver_window = \"32768 B\"
traffic = { kind = \"finite\", size = \"102400 B\" }";
    let (tape, record) = run_taped(&n_source(5, "42.4 Mbit/s", "100 us", "60 s", rest));
    assert!(record.flows.iter().all(|flow| flow.finished_s.is_some()), "all is delivered");
    let arrived = times(&tape, |what| matches!(what, Happening::Received { .. })).len() as u64;
    let incomplete = record.ports[0].cells_out - 12 * arrived;
    assert!(incomplete > 100, "{incomplete} cells");
    let charged = record.ledger.span(Cause::Incomplete).0;
    assert_eq!(charged, incomplete * 10 * MICROSECOND);
}

#[test]
fn the_line_waits_for_timers_only_while_every_sender_with_data_does() {
    // Of three connections with one segment each, two lose it; the third has no data left and does not count.
    let network = |drops: &str| {
        let rest = format!(
            "port.buffer = \"unlimited\"\nloss = {{ kind = \"list\", drops = {drops} }}\n\
             traffic = {{ kind = \"finite\", size = \"512 B\" }}"
        );
        run_taped(&n_source(3, "424 Mbit/s", "1 ms", "10 s", &rest))
    };
    let (tape, record) = network("[[1], [1], []]");
    let again = times(&tape, is_sent)[3];
    let waited = record.ledger.span(Cause::IdleTimeout).0;
    // From the loss of the second, within the slots of the first cells, to the timeout.
    assert!(waited.abs_diff(again - 1001 * MICROSECOND) < 40 * CELL, "{waited} of {again}");
    assert_eq!(record.ledger.span(Cause::IdleSlowStart).0, 0);

    // A connection in slow start beside them determines the cause of idleness.
    let rest = "port.buffer = \"unlimited\"\nloss = { kind = \"list\", drops = [[1], []] }";
    let (_, record) = run_taped(&n_source(2, "424 Mbit/s", "1 ms", "50 ms", rest));
    assert_eq!(record.ledger.span(Cause::IdleTimeout).0, 0);
    assert!(record.ledger.span(Cause::IdleSlowStart).0 > 10_000 * MICROSECOND);
}

#[test]
fn background_is_charged_by_its_own_cells_and_what_is_held_or_under_way_waits_for_its_fate() {
    let rest = "port.buffer = \"unlimited\"\nbackground = [{ kind = \"poisson\", load = 0.2, size = \"424 B\" }]
loss = { kind = \"list\", drops = [8] }\ntcp = { receiver_window = \"8192 B\", out_of_order = \"keep\" }";
    let (tape, record) = run_taped(&n_source(1, "42.4 Mbit/s", "1 ms", "60 ms", rest));
    let received = times(&tape, |what| matches!(what, Happening::Received { .. })).len() as u64;
    let delivered = record.flows[0].bytes_delivered / 512;
    assert!(received > delivered, "some are held beyond the hole");
    assert_eq!(record.ledger.span(Cause::Useful).0, delivered * 12 * 10 * MICROSECOND);
    assert!(record.ledger.span(Cause::UnderWay).0 >= (received - delivered) * 12 * 10 * MICROSECOND);
    assert!((record.ledger.share(Cause::Background) - 0.2).abs() < 0.05, "{:?}", record.ledger);
    assert_eq!(record.ledger.span(Cause::Incomplete).0, 0);
}
