//! Bytes arrive in order and once, after they were sent, and a sender that has data never falls silent for ever.

use std::collections::BTreeSet;

use longfat_engine::framing::Unit;
use longfat_engine::scenario::Scenario;
use longfat_engine::transport::{OutOfOrder, TimerPhase};
use longfat_engine::units::{LineClock, Time, TransmissionTime};
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

use super::random_networks::{LONGEST_TIMEOUT_MS, any_endless_network, any_network};
use crate::support::tape::{Entry, Happening, run_taped};

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    #[test]
    fn every_byte_is_delivered_once_and_in_order(network in any_network()) {
        let (tape, record) = run_taped(&network.scenario);
        for flow in 0..record.flows.len() {
            let own = tape.iter().filter(|entry| entry.flow == flow);
            let delivered = follow_receiver(&network.scenario, own)?;
            prop_assert_eq!(delivered, record.flows[flow].bytes_delivered);
        }
    }

    #[test]
    fn nothing_arrives_before_it_was_sent_or_faster_than_light(network in any_endless_network()) {
        let (tape, record) = run_taped(&network.scenario);
        for flow in 0..record.flows.len() {
            check_causality(&network.scenario, flow, tape.iter().filter(|entry| entry.flow == flow))?;
        }
    }

    #[test]
    fn a_sender_with_data_is_never_silent_for_longer_than_its_longest_timeout(network in any_endless_network()) {
        let (tape, record) = run_taped(&network.scenario);
        for flow in 0..record.flows.len() {
            check_silence(&network.scenario, flow, &tape)?;
        }
    }

    #[test]
    fn timers_expire_only_at_ticks_that_all_hosts_share(network in any_network()) {
        prop_assume!(network.scenario.tcp.timer_phase == TimerPhase::Common);
        let granularity = network.scenario.tcp.timer_granularity.0.0;
        let (tape, _) = run_taped(&network.scenario);
        for entry in tape.iter().filter(|entry| matches!(entry.what, Happening::TimedOut { .. })) {
            prop_assert_eq!(entry.time.0 % granularity, 0, "flow {} at {:?}", entry.flow, entry.time);
        }
    }
}

/// Plays the receiver with a set of ranges; gives the bytes that are delivered in the end.
fn follow_receiver<'t>(scenario: &Scenario, tape: impl Iterator<Item = &'t Entry>) -> Result<u64, TestCaseError> {
    let (mss, is_endless) = (scenario.tcp.mss.0, scenario.traffic.name() == "infinite");
    let (mut beyond, mut expected) = (BTreeSet::new(), 0);
    for entry in tape {
        let Happening::Received { sequence, length, next } = entry.what else { continue };
        prop_assert!(length <= mss, "{length} bytes are more than a segment");
        prop_assert!(!is_endless || (sequence % mss, length) == (0, mss), "whole segments only (T-01)");
        if sequence <= expected || scenario.tcp.out_of_order == OutOfOrder::Keep {
            beyond.insert((sequence, sequence + length));
        }
        while let Some(&(first, end)) = beyond.first().filter(|range| range.0 <= expected) {
            beyond.remove(&(first, end));
            expected = expected.max(end);
        }
        prop_assert_eq!(next, expected, "acknowledged at {:?} after byte {}", entry.time, sequence);
    }
    Ok(expected)
}

/// A segment arrives no earlier than light and its last bit, and an acknowledgment only confirms what has arrived.
fn check_causality<'t>(
    scenario: &Scenario,
    flow: usize,
    tape: impl Iterator<Item = &'t Entry>,
) -> Result<(), TestCaseError> {
    let graph = scenario.graph();
    let framing = scenario.framing.build(&());
    let one_way = |path: &[usize], bits: u64| {
        let sending =
            |link: &usize| LineClock::default().after(TransmissionTime::of_bits(bits, graph.links[*link].rate)).time.0;
        // A packet that travels whole is sent anew by every switch; of cells the first have long been sent on by then.
        let sendings: u64 = match framing.unit() {
            Unit::Cell => sending(&path[0]),
            Unit::Packet => path.iter().map(sending).sum(),
        };
        sendings + path.iter().map(|&link| graph.links[link].delay.0).sum::<u64>()
    };
    let there = one_way(&graph.flows[flow].forward, framing.bits(scenario.tcp.mss.0, 0));
    let back = one_way(&graph.flows[flow].backward, framing.bits(0, 0));
    let (mut first_sent, mut acknowledgments) = (std::collections::BTreeMap::new(), Vec::new());
    for entry in tape {
        match entry.what {
            Happening::Sent { segment, .. } => {
                let known = first_sent.insert(segment.sequence, entry.time);
                prop_assert_eq!(known.is_some(), segment.again, "{:?}", segment);
                if let Some(first) = known {
                    first_sent.insert(segment.sequence, first);
                }
            }
            Happening::Received { sequence, next, .. } => {
                let sent = first_sent.get(&sequence).copied();
                prop_assert!(
                    sent.is_some_and(|sent| sent.0 + there <= entry.time.0),
                    "segment at {sequence} sent at {sent:?} arrived at {:?}, sooner than in {there} ps",
                    entry.time
                );
                acknowledgments.push((entry.time, next));
            }
            Happening::Acknowledged { next, .. } => {
                let reached = acknowledgments.iter().rev().find(|(sent, _)| sent.0 + back <= entry.time.0);
                prop_assert!(
                    reached.is_some_and(|&(_, known)| next <= known),
                    "{next} was acknowledged at {:?}, before the receiver can have said so",
                    entry.time
                );
            }
            _ => {}
        }
    }
    Ok(())
}

fn check_silence(scenario: &Scenario, flow: usize, tape: &[Entry]) -> Result<(), TestCaseError> {
    let granularity = scenario.tcp.timer_granularity.0.0;
    // Timeouts count in ticks: the longest is rounded up to whole ticks, and is at least the minimum of two.
    let ticks = (LONGEST_TIMEOUT_MS * 1_000_000_000).div_ceil(granularity).max(2);
    let longest = ticks * granularity;
    let end = scenario.duration.0.0;
    let sent = |entry: &&Entry| entry.flow == flow && matches!(entry.what, Happening::Sent { .. });
    let mut times: Vec<Time> = tape.iter().filter(sent).map(|entry| entry.time).collect();
    if times.is_empty() {
        return Ok(());
    }
    times.push(Time(end));
    for pair in times.windows(2) {
        let silence = pair[1] - pair[0];
        prop_assert!(
            silence.0 <= longest,
            "flow {flow} is silent from {:?} for {silence:?}; its longest timeout is {longest} ps",
            pair[0]
        );
    }
    Ok(())
}
