//! Queue disciplines on a bench: packets of several circuits come and are taken at random times.

use std::collections::VecDeque;

use longfat_engine::config::{Parameter, Reader, parse_fragment};
use longfat_engine::framing::{Cell, PacketId};
use longfat_engine::random::Chance;
use longfat_engine::registry::Chosen;
use longfat_engine::switch::queue_discipline::{DISCIPLINES, Ends, QueueContext, QueueDiscipline, Room, Waiting};
use longfat_engine::transport::Codepoint;
use longfat_engine::units::{Rate, Span, Time};
use proptest::prelude::*;

use crate::support::declared::any_table;

const CIRCUITS: usize = 4;

/// Two connections of host 0, to hosts 1 and 2.
const ENDS: [Ends; CIRCUITS] = [
    Ends { source: 0, destination: 1 },
    Ends { source: 1, destination: 0 },
    Ends { source: 0, destination: 2 },
    Ends { source: 2, destination: 0 },
];

/// Context of a discipline in tests.
pub fn context(room: Room) -> QueueContext {
    let chance = Chance { seed: 1, replication: 0 }.stream("queue");
    QueueContext {
        room,
        circuits: ENDS.to_vec(),
        rate: Rate(10_000_000),
        full_packet_bytes: 1500,
        chance,
        duration: Span::from_microseconds(60_000_000),
    }
}

fn build(text: &str, room: Room) -> Option<Box<dyn QueueDiscipline>> {
    let mut reader = Reader::default();
    let chosen = Chosen::<dyn QueueDiscipline>::read(&parse_fragment(text), &mut reader);
    let chosen = chosen.unwrap_or_else(|| panic!("{text}: {:?}", reader.problems));
    chosen.objections(&context(room)).is_empty().then(|| chosen.build(&context(room)))
}

/// A registered discipline with any parameters, as TOML; all but the one that stands for none.
fn any_discipline() -> impl Strategy<Value = String> {
    let real = DISCIPLINES.iter().filter(|entry| entry.name != "by-policy");
    let tables = real.map(|entry| any_table(Some(entry.name), &(entry.parameters)(), &[]));
    prop::strategy::Union::new(tables.collect::<Vec<_>>())
}

fn any_codepoint() -> impl Strategy<Value = Codepoint> {
    prop::sample::select(vec![Codepoint::NotCapable, Codepoint::Scalable, Codepoint::Classic])
}

/// Microseconds since the last step, and a packet that comes (circuit, bytes, codepoint), or `None`: one is taken.
type Step = (u64, Option<(u32, u64, Codepoint)>);

fn any_traffic() -> impl Strategy<Value = Vec<Step>> {
    let packet = (0..4_u32, 40..1501_u64, any_codepoint());
    prop::collection::vec((0..20_000_u64, prop::option::weighted(0.6, packet)), 1..300)
}

fn any_room() -> impl Strategy<Value = Room> {
    (prop::option::of(1..40_u64), prop::option::of(1500..40_000_u64))
        .prop_map(|(packets, bytes)| Room { packets, bytes })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn every_packet_is_sent_in_its_circuits_order_or_dropped_once_and_only_willing_ends_are_marked(
        text in any_discipline(), room in any_room(), traffic in any_traffic(),
    ) {
        let built = build(&text, room);
        prop_assume!(built.is_some());
        let mut discipline = built.expect("checked above");
        let mut now = Time::ZERO;
        let mut inside: Vec<VecDeque<(Cell, u64)>> = vec![VecDeque::new(); CIRCUITS];
        // Taking goes on until all is out.
        let quiet = std::iter::repeat_n((1000, None), 400);
        for (number, (rest, packet)) in traffic.into_iter().chain(quiet).enumerate() {
            now += Span::from_microseconds(rest);
            let mut dropped = Vec::new();
            if let Some((circuit, bytes, codepoint)) = packet {
                let id = PacketId(u32::try_from(number).expect("few packets"));
                let cell = Cell::new(id, circuit, true, true).with_codepoint(codepoint);
                inside[cell.circuit()].push_back((cell, bytes));
                discipline.enqueue(Waiting::new(cell, bytes, now), &mut dropped);
                forget(&mut inside, &dropped);
            } else {
                let sent = discipline.dequeue(now, &mut dropped);
                forget(&mut inside, &dropped);
                match sent {
                    // A discipline with two queues may send a circuit's packets of one kind before those of the other.
                    Some(sent) => {
                        let waiting = &mut inside[sent.cell.circuit()];
                        let place = waiting.iter().position(|(cell, _)| cell.packet == sent.cell.packet);
                        let (came, bytes) = waiting.remove(place.expect("it came, and was not dropped")).expect("there");
                        prop_assert_eq!(bytes, sent.bytes);
                        let is_overtaken = waiting.iter().any(|(other, _)| {
                            other.packet.0 < came.packet.0 && other.codepoint() == came.codepoint()
                        });
                        prop_assert!(!is_overtaken, "packet {} of {text} overtakes", came.packet.0);
                        prop_assert_eq!(sent.cell.codepoint() != came.codepoint(), sent.is_marked_here);
                        prop_assert!(!sent.is_marked_here || came.codepoint().is_capable());
                    }
                    None => prop_assert_eq!(discipline.len(), 0, "{} sends nothing, and packets wait", text),
                }
            }
            let (packets, bytes) = inside.iter().flatten().fold((0, 0), |(n, sum), (_, bytes)| (n + 1, sum + bytes));
            prop_assert_eq!((discipline.len(), discipline.is_empty()), (packets, packets == 0), "{}", text);
            prop_assert!(room.holds(packets, bytes), "{packets} packets of {bytes} bytes in {room:?}");
            let mut shown = 0;
            discipline.visit(&mut |_| shown += 1);
            prop_assert_eq!(shown, packets);
        }
        prop_assert!(inside.iter().all(VecDeque::is_empty), "packets are left");
    }

    #[test]
    fn packets_that_hardly_wait_are_neither_dropped_nor_marked(text in any_discipline(), steps in 1..200_u64) {
        let built = build(&text, Room { packets: Some(1000), bytes: None });
        prop_assume!(built.is_some());
        let mut discipline = built.expect("checked above");
        let mut dropped = Vec::new();
        for step in 0..steps {
            // Each is sent before the next comes, and at once.
            let now = Time::ZERO + Span::from_microseconds(2000 * step);
            let cell = Cell::new(PacketId(0), 0, true, true).with_codepoint(Codepoint::Classic);
            discipline.enqueue(Waiting::new(cell, 1500, now), &mut dropped);
            let sent = discipline.dequeue(now, &mut dropped);
            prop_assert!(sent.is_some_and(|sent| !sent.is_marked_here), "{text}, step {step}");
            prop_assert!(discipline.dequeue(now + Span::from_microseconds(1200), &mut dropped).is_none());
        }
        prop_assert!(dropped.is_empty(), "{text}");
    }
}

/// Packets of 1000 bytes come at once and are all taken before the next come. Room for a full packet of 1500 is enough for any of them.
#[test]
fn a_buffer_holds_what_fits_time_after_time_and_no_more() {
    let in_bytes = Room { packets: None, bytes: Some(4500) };
    let in_packets = Room { packets: Some(4), bytes: None };
    for entry in DISCIPLINES.iter().filter(|entry| entry.name != "by-policy") {
        for room in [in_bytes, in_packets] {
            let mut discipline = build(&format!("{{ kind = {:?} }}", entry.name), room).expect("a discipline");
            for round in 0..10 {
                let begin = Time::ZERO + Span::from_microseconds(200_000 * round);
                assert_eq!(burst(&mut *discipline, begin, 3), (3, 0), "{}", entry.name);
                let (held, lost) = burst(&mut *discipline, begin + Span::from_microseconds(100_000), 12);
                assert!((3..=4).contains(&held) && held + lost == 12, "{}: {held} held, {lost} dropped", entry.name);
            }
        }
    }
}

/// So many packets come at once and are taken; gives how many were held, and how many dropped.
fn burst(discipline: &mut dyn QueueDiscipline, now: Time, packets: u32) -> (usize, usize) {
    let mut dropped = Vec::new();
    for packet in 0..packets {
        let cell = Cell::new(PacketId(packet), packet % 2, true, true);
        discipline.enqueue(Waiting::new(cell, 1000, now), &mut dropped);
    }
    let mut shown = 0;
    discipline.visit(&mut |_| shown += 1);
    assert_eq!(shown, discipline.len());
    while discipline.dequeue(now, &mut dropped).is_some() {}
    (shown, dropped.len())
}

/// Dropped packets are inside no more.
fn forget(inside: &mut [VecDeque<(Cell, u64)>], dropped: &[longfat_engine::switch::Dropped]) {
    for (cell, _) in dropped {
        let waiting = &mut inside[cell.circuit()];
        let place = waiting.iter().position(|(other, _)| other.packet == cell.packet);
        waiting.remove(place.expect("what is dropped was there, once"));
    }
}
