//! Bytes are delivered in order and once, after they were sent, and a sender with data never falls silent forever.

use std::collections::BTreeMap;

use longfat_engine::framing::Unit;
use longfat_engine::measure::FlowRecord;
use longfat_engine::scenario::Scenario;
use longfat_engine::transport::{CongestionNotification, TcpConfig, TimerPhase};
use longfat_engine::units::{LineClock, Time, TransmissionTime};
use proptest::prelude::*;
use proptest::test_runner::{RngSeed, TestCaseError};

use super::random_networks::{any_endless_network, any_network};
use super::random_tcp::{is_paced, longest_timeout};
use crate::support::byte_receiver::ByteReceiver;
use crate::support::tape::{Entry, Happening, run_taped};
use crate::support::{hands_segments_over_early, may_pass_receiver_window, reports_before_third_block};

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(1),
        ..ProptestConfig::with_cases(300)
    })]

    #[test]
    fn every_byte_is_delivered_once_and_in_order_and_reported_as_it_arrived(network in any_network()) {
        let (tape, record) = run_taped(&network.scenario);
        let connections = network.scenario.graph().flows;
        let mut delivered = vec![0; record.flows.len()];
        for flow in 0..flows_on(&tape) {
            let own = tape.iter().filter(|entry| entry.flow == flow);
            let bytes = follow_receiver(&tcp_of(&network.scenario, flow), own)?;
            // Requests follow the connections, and are in no record of theirs.
            if let Some(connection) = connections.get(flow) {
                delivered[connection.sender] += bytes;
            }
        }
        let over_tcp = |flow: &FlowRecord| if flow.datagrams.is_none() { flow.bytes_delivered } else { 0 };
        let reported: Vec<_> = record.flows.iter().map(over_tcp).collect();
        prop_assert_eq!(delivered, reported);
    }

    #[test]
    fn a_sender_keeps_to_the_receiver_window_and_leaves_no_gap(network in any_network()) {
        let (tape, _) = run_taped(&network.scenario);
        for flow in 0..flows_on(&tape) {
            check_sender(&tcp_of(&network.scenario, flow), tape.iter().filter(|entry| entry.flow == flow))?;
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

/// Flows with any event: those of connections, and of their requests.
fn flows_on(tape: &[Entry]) -> usize {
    tape.iter().map(|entry| entry.flow + 1).max().unwrap_or(0)
}

/// End systems of a flow; those of requests are their connection's.
fn tcp_of(scenario: &Scenario, flow: usize) -> TcpConfig {
    let connections = scenario.graph().flows;
    scenario.tcp_of(connections[flow % connections.len()].sender).into_owned()
}

/// Replays the receiver byte by byte; returns the bytes delivered in the end.
fn follow_receiver<'t>(tcp: &TcpConfig, tape: impl Iterator<Item = &'t Entry>) -> Result<u64, TestCaseError> {
    let mut reference = ByteReceiver::new(tcp);
    let (mut next_before, mut blocks_before) = (0, Vec::new());
    for entry in tape {
        match entry.what {
            Happening::Received { sequence, length, next } => {
                (next_before, blocks_before) = (reference.next(), reference.blocks());
                reference.receive(sequence, length, Time::ZERO);
                prop_assert_eq!(next, reference.next(), "at {:?} after byte {}", entry.time, sequence);
            }
            Happening::AcknowledgmentSent { acknowledgment } => {
                let blocks = acknowledgment.blocks.as_slice();
                // RFC 8257 section 3.2: a segment with another mark sends the acknowledgment that waits, of what came before it.
                let is_of_other_mark =
                    tcp.ecn == CongestionNotification::PerSegment && acknowledgment.next == next_before;
                if is_of_other_mark && blocks == blocks_before {
                    continue;
                }
                prop_assert_eq!(acknowledgment.next, reference.next(), "acknowledged at {:?}", entry.time);
                let is_before = blocks.len() >= 2 && blocks == blocks_before && reports_before_third_block(tcp);
                if !is_before {
                    prop_assert_eq!(blocks, reference.blocks(), "reported at {:?}", entry.time);
                }
            }
            _ => {}
        }
    }
    Ok(reference.next())
}

/// A sender's flight fits the receiver window, new data follows without a gap, and no acknowledged data is retransmitted.
fn check_sender<'t>(tcp: &TcpConfig, tape: impl Iterator<Item = &'t Entry>) -> Result<(), TestCaseError> {
    let (mut first, mut highest) = (0, 0);
    for entry in tape {
        match entry.what {
            Happening::Acknowledged { next, .. } => first = first.max(next),
            Happening::Sent { segment, .. } if !segment.synchronize => {
                let end = segment.sequence + segment.length;
                prop_assert!((1..=tcp.mss.0).contains(&segment.length), "{segment:?}");
                prop_assert!(
                    segment.sequence >= first || hands_segments_over_early(tcp),
                    "{segment:?} is acknowledged up to {first}"
                );
                prop_assert!(
                    end <= first + tcp.advertised_window() || may_pass_receiver_window(tcp),
                    "{segment:?} is beyond the window at {first}"
                );
                prop_assert!(segment.sequence <= highest, "{segment:?} leaves out bytes from {highest} on");
                prop_assert_eq!(segment.again, segment.sequence < highest, "{:?} after {}", segment, highest);
                highest = highest.max(end);
            }
            _ => {}
        }
    }
    Ok(())
}

/// A segment arrives no earlier than its propagation and transmission allow, and an acknowledgment only confirms data that has arrived.
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
        // Every switch transmits a whole packet in full (store and forward); of a train of cells, the first have been forwarded long before.
        let sendings: u64 = match framing.unit() {
            Unit::Cell => sending(&path[0]),
            Unit::Packet => path.iter().map(sending).sum(),
        };
        sendings + path.iter().map(|&link| graph.links[link].delay.0).sum::<u64>()
    };
    let there = |length| one_way(&graph.flows[flow].forward, framing.bits(length, 0));
    let back = one_way(&graph.flows[flow].backward, framing.bits(0, 0));
    let (mut first_sent, mut acknowledgments) = (BTreeMap::new(), Vec::new());
    for entry in tape {
        match entry.what {
            Happening::Sent { segment, .. } => {
                first_sent.entry((segment.sequence, segment.length)).or_insert(entry.time);
            }
            Happening::Received { sequence, length, .. } => {
                let sent = first_sent.get(&(sequence, length)).copied();
                let soonest = there(length);
                prop_assert!(
                    sent.is_some_and(|sent| sent.0 + soonest <= entry.time.0),
                    "segment at {sequence} sent at {sent:?} arrived at {:?}, sooner than in {soonest} ps",
                    entry.time
                );
            }
            Happening::AcknowledgmentSent { acknowledgment } => {
                acknowledgments.push((entry.time, acknowledgment.next));
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

/// The timer of a sender with data restarts when it sends, and when an acknowledgment covers new data; within its longest timeout after the
/// latest of these it retransmits. (With delayed retransmission a third duplicate restarts it as well, and the retransmission follows half
/// a round trip later, T-44.)
fn check_silence(scenario: &Scenario, flow: usize, tape: &[Entry]) -> Result<(), TestCaseError> {
    // A paced sender may wait for a round trip with nothing in flight, longer than any timeout.
    if is_paced(&tcp_of(scenario, flow)) {
        return Ok(());
    }
    let longest = longest_timeout(&scenario.tcp);
    let mut first = 0;
    let mut restarts = |entry: &&Entry| match entry.what {
        Happening::Sent { .. } => true,
        Happening::Acknowledged { next, .. } => {
            let is_new = next > first;
            first = first.max(next);
            is_new || scenario.tcp.delayed_retransmit
        }
        _ => false,
    };
    let own = tape.iter().filter(|entry| entry.flow == flow);
    let mut times: Vec<Time> = own.filter(|entry| restarts(entry)).map(|entry| entry.time).collect();
    if !times.is_empty() {
        times.push(Time(scenario.duration.0.0));
    }
    for pair in times.windows(2) {
        let silence = pair[1] - pair[0];
        prop_assert!(
            silence <= longest,
            "flow {flow} is silent from {:?} for {silence:?}; its longest timeout is {longest:?}",
            pair[0]
        );
    }
    Ok(())
}
