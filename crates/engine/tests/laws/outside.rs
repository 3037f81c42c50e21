//! Packets of programs outside, in a run whose time somebody else advances.

use std::collections::BTreeSet;

use longfat_engine::observer::Unobserved;
use longfat_engine::scenario::Scenario;
use longfat_engine::units::{Span, Time};
use longfat_engine::{Driver, End, Simulation};
use proptest::prelude::*;
use proptest::test_runner::{RngSeed, TestCaseError};

use super::random_networks::any_network;
use super::stacks::with_settings;
use crate::support::n_source;

const MILLISECOND: u64 = 1_000_000_000;

fn start(scenario: &Scenario) -> Simulation<Unobserved> {
    Simulation::driven_by(Driver::Events, scenario, Unobserved)
}

/// A UDP datagram of `length` bytes in all, IPv4, with `number` in its last bytes.
fn packet(number: u32, length: u16, codepoint: u8) -> Vec<u8> {
    let mut packet = vec![0x45, codepoint];
    packet.extend(length.to_be_bytes());
    packet.extend([0, 0, 0x40, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2]);
    packet.resize(usize::from(length), 0);
    let end = packet.len();
    packet[end - 4..].copy_from_slice(&number.to_be_bytes());
    packet
}

/// Times of arrival, and the packets.
fn arrived(simulation: &mut Simulation<Unobserved>, connection: usize, end: End) -> Vec<(Time, Vec<u8>)> {
    let outside = simulation.outside(connection, end).expect("the end of a program");
    std::iter::from_fn(|| outside.take_arrived()).map(|arrived| (arrived.due, arrived.packet)).collect()
}

/// [`arrived`] at both ends of these connections.
fn arrived_anywhere(
    simulation: &mut Simulation<Unobserved>,
    connections: &[usize],
) -> Vec<(usize, End, (Time, Vec<u8>))> {
    let mut all = Vec::new();
    for &connection in connections {
        for end in [End::Near, End::Far] {
            all.extend(arrived(simulation, connection, end).into_iter().map(|one| (connection, end, one)));
        }
    }
    all
}

fn line(rest: &str) -> Scenario {
    let rest = format!("framing = {{ kind = \"packet\", header = \"54 B\" }}\nstack = \"outside\"\n{rest}");
    n_source(1, "10 Mbit/s", "10 ms", "60 s", &rest)
}

/// Three lines, on each of which it takes its transmission, with 14 bytes more than the IP packet has, and 10 ms.
#[test]
fn a_packet_takes_what_its_own_length_takes_on_each_line_there_and_back() {
    let mut simulation = start(&line("port.buffer = \"10 packets\""));
    let sent = Time(7 * MILLISECOND);
    simulation.advance(sent);
    assert!(simulation.send_from_outside(sent, 0, End::Near, packet(1, 1486, 0)));
    assert!(simulation.send_from_outside(sent, 0, End::Far, packet(2, 111, 0)));
    simulation.advance(Time(1_000 * MILLISECOND));
    let there = sent.saturating_add(Span(3 * (10 * MILLISECOND + 8 * 1500 * 100_000)));
    let back = sent.saturating_add(Span(3 * (10 * MILLISECOND + 8 * 125 * 100_000)));
    assert_eq!(arrived(&mut simulation, 0, End::Far), [(there, packet(1, 1486, 0))]);
    assert_eq!(arrived(&mut simulation, 0, End::Near), [(back, packet(2, 111, 0))]);
    let ended = Time(1_000 * MILLISECOND);
    simulation.end_at(ended);
    let record = simulation.finish().expect("conservation");
    assert_eq!(record.flows[0].bytes_delivered, 1486 - 28);
    assert_eq!(record.flows[0].goodput_bps, 8.0 * (1486.0 - 28.0), "of the second that the run lasted");
}

#[test]
fn a_burst_loses_what_the_buffer_has_no_room_for_and_marks_reach_the_program() {
    let port = "port = { buffer = \"30 packets\", queue = { kind = \"codel\", ecn = true } }";
    let rest = format!("framing = {{ kind = \"packet\", header = \"54 B\" }}\nstack = \"outside\"\n{port}");
    // Two programs send 12 Mbit/s together.
    let mut simulation = start(&n_source(2, "10 Mbit/s", "10 ms", "60 s", &rest));
    for number in 0..20_000 {
        let now = Time(u64::from(number) * MILLISECOND);
        simulation.advance(now);
        simulation.send_from_outside(now, number as usize % 2, End::Near, packet(number, 1486, 0b10));
    }
    simulation.advance(Time(30_000 * MILLISECOND));
    let all = [0, 1].map(|connection| arrived(&mut simulation, connection, End::Far));
    assert!(all.iter().all(|of_one| of_one.is_sorted_by_key(|(due, _)| *due)));
    let all = all.concat();
    let marked = all.iter().filter(|(_, packet)| packet[1] & 0b11 == 0b11).count() as u64;
    let record = simulation.finish().expect("conservation");
    let queue = record.ports[0].queue.as_ref().expect("a discipline");
    assert!(marked > 10 && record.ports[0].packets_dropped > 10, "{marked}");
    assert_eq!(queue.packets_marked, marked);
    assert_eq!(all.len() as u64 + record.ports[0].packets_dropped, 20_000);
}

#[test]
fn programs_share_a_line_with_connections_that_are_simulated() {
    let groups = "connections = [{ stack = \"outside\", count = 1 }, { stack = \"tcp\" }]";
    let rest = format!("framing = \"packet\"\nport.buffer = \"50 packets\"\ntcp.preset = \"linux-6.12\"\n{groups}");
    let scenario = n_source(2, "10 Mbit/s", "10 ms", "20 s", &rest);
    let alone = start(&scenario);
    let mut beside = start(&scenario);
    for number in 0..20_000 {
        let now = Time(u64::from(number) * MILLISECOND);
        beside.advance(now);
        beside.send_from_outside(now, 0, End::Near, packet(number, 500, 0));
    }
    let [alone, beside] = [alone, beside].map(|mut simulation| {
        simulation.advance(simulation.end());
        simulation.finish().expect("conservation").flows
    });
    assert_eq!((alone[0].bytes_delivered, alone[0].started_s), (0, None), "no program sent anything");
    assert!(beside[0].bytes_delivered > 5_000_000 && beside[1].goodput_bps < 0.8 * alone[1].goodput_bps);
    assert!(beside[1].goodput_bps > 2e6, "{}", beside[1].goodput_bps);
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(1),
        ..ProptestConfig::with_cases(60)
    })]

    #[test]
    fn packets_of_programs_are_conserved_in_any_network_and_arrive_once_and_not_before_they_can(
        network in any_network(),
        sends in prop::collection::vec((0..50_u64, any::<bool>(), 40..1500_u16, any::<prop::sample::Index>()), 1..200),
    ) {
        let scenario = with_settings(&network.scenario, &[("stack", "outside")]);
        let scenario = scenario.ok_or_else(|| TestCaseError::reject("a network that no program fits"))?;
        let of_programs: Vec<_> = scenario.outside(&scenario.graph()).into_iter().map(|(connection, _)| connection).collect();
        if of_programs.is_empty() {
            return Err(TestCaseError::reject("only datagrams of sources, and TCP"));
        }
        let mut simulation = start(&scenario);
        let (mut now, mut sent, mut found) = (Time::ZERO, [BTreeSet::new(), BTreeSet::new()], Vec::new());
        for (number, (pause, is_near, length, whose)) in (0..).zip(sends) {
            now = now.saturating_add(Span(pause * MILLISECOND)).min(simulation.end());
            loop {
                let quiet = simulation.nothing_arrives_before();
                simulation.advance(quiet.min(now));
                let all = arrived_anywhere(&mut simulation, &of_programs);
                prop_assert!(all.iter().all(|(.., (due, _))| *due >= quiet), "an arrival before {quiet:?}");
                found.extend(all);
                if quiet >= now {
                    break;
                }
                simulation.advance(quiet.saturating_add(Span(1)));
                found.extend(arrived_anywhere(&mut simulation, &of_programs));
            }
            let connection = *whose.get(&of_programs);
            let end = if is_near { End::Near } else { End::Far };
            let packet = packet(number, length, 0);
            sent[usize::from(is_near)].insert(packet.clone());
            prop_assert!(simulation.send_from_outside(now, connection, end, packet));
        }
        simulation.advance(simulation.end());
        found.extend(arrived_anywhere(&mut simulation, &of_programs));
        for (_, end, (due, packet)) in found {
            prop_assert!(due < simulation.end());
            let from = usize::from(end == End::Far);
            prop_assert!(sent[from].remove(&packet), "{packet:?} was not sent, or arrives again");
        }
        simulation.finish().map_err(|violation| TestCaseError::fail(violation.to_string()))?;
    }
}
