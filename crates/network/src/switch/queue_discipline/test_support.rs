//! A port on a bench: packets of 1500 bytes, by the number of their circuit, come and are taken at times in milliseconds.

use longfat_foundation::config::{Parameter, Reader, parse_fragment};
use longfat_foundation::random::Chance;
use longfat_foundation::registry::Chosen;
use longfat_foundation::units::{Rate, Span, Time};
use longfat_hosts::transport::Codepoint;

use super::{Ends, QueueContext, QueueDiscipline, Room, Waiting};
use crate::framing::{Cell, PacketId};
use crate::switch::Dropped;
use crate::switch::drop_policy::Verdict;

pub(super) const PACKET_BYTES: u64 = 1500;

pub(super) struct Bench {
    discipline: Box<dyn QueueDiscipline>,
    dropped: Vec<Dropped>,
    marked: usize,
}

/// So many milliseconds after the beginning.
pub(super) fn at(milliseconds: u64) -> Time {
    Time::ZERO + Span::from_microseconds(1000 * milliseconds)
}

/// Reads parameters from a table in TOML.
pub(super) fn read<P: Parameter>(text: &str) -> P {
    let mut reader = Reader::default();
    P::read(&parse_fragment(text), &mut reader).unwrap_or_else(|| panic!("{:?}", reader.problems))
}

/// A line of 12 Mbit/s, which sends a packet in a millisecond. Circuits 2n and 2n + 1 lead from a
/// host to host n + 10 and back: those of 0 and 2 are hosts 0 and 1, that of 4, 6 and 8 is host 2.
pub(super) fn context(room: Room) -> QueueContext {
    let chance = Chance { seed: 1, replication: 0 }.stream("queue");
    let there = (0..5).map(|host| Ends { source: host.min(2), destination: host + 10 });
    let circuits = there.flat_map(|ends| [ends, ends.reversed()]).collect();
    QueueContext {
        room,
        circuits,
        rate: Rate(12_000_000),
        full_packet_bytes: PACKET_BYTES,
        chance,
        duration: Span::from_microseconds(60_000_000),
    }
}

/// A packet of circuit 0 that comes at a time.
pub(super) fn packet(milliseconds: u64, codepoint: Codepoint) -> Waiting {
    let cell = Cell::new(PacketId(0), 0, true, true).with_codepoint(codepoint);
    Waiting::new(cell, PACKET_BYTES, at(milliseconds))
}

impl Bench {
    /// A discipline by its name, or as a table in TOML, without limit.
    pub(super) fn new(discipline: &str) -> Self {
        Self::within(discipline, Room::default())
    }

    pub(super) fn with_packets(discipline: &str, packets: u64) -> Self {
        Self::within(discipline, Room { packets: Some(packets), bytes: None })
    }

    pub(super) fn with_bytes(discipline: &str, bytes: u64) -> Self {
        Self::within(discipline, Room { packets: None, bytes: Some(bytes) })
    }

    fn within(discipline: &str, room: Room) -> Self {
        let text = if discipline.starts_with('{') { discipline.to_owned() } else { format!("{discipline:?}") };
        let chosen: Chosen<dyn QueueDiscipline> = read(&text);
        let context = context(room);
        assert_eq!(chosen.objections(&context), []);
        Self { discipline: chosen.build(&context), dropped: Vec::new(), marked: 0 }
    }

    /// Packets of these circuits come.
    pub(super) fn arrive(&mut self, milliseconds: u64, circuits: &[u32]) {
        self.arrive_with(milliseconds, circuits, Codepoint::NotCapable);
    }

    /// Packets of ECN-capable connections arrive.
    pub(super) fn arrive_capable(&mut self, milliseconds: u64, circuits: &[u32]) {
        self.arrive_with(milliseconds, circuits, Codepoint::Classic);
    }

    pub(super) fn arrive_with(&mut self, milliseconds: u64, circuits: &[u32], codepoint: Codepoint) {
        for &circuit in circuits {
            let cell = Cell::new(PacketId(0), circuit, true, true).with_codepoint(codepoint);
            self.discipline.enqueue(Waiting::new(cell, PACKET_BYTES, at(milliseconds)), &mut self.dropped);
        }
    }

    /// Takes packets; gives their circuits, a dot where there is none.
    pub(super) fn serve(&mut self, milliseconds: u64, packets: usize) -> String {
        let mut served = String::new();
        for _ in 0..packets {
            let packet = self.discipline.dequeue(at(milliseconds), &mut self.dropped);
            self.marked += usize::from(packet.is_some_and(|packet| packet.is_marked_here));
            served += &packet.map_or(".".to_owned(), |packet| packet.cell.circuit().to_string());
        }
        served
    }

    /// Takes a packet if the time is a multiple of `period`.
    pub(super) fn serve_if_due(&mut self, milliseconds: u64, period: u64) {
        if milliseconds.is_multiple_of(period) {
            self.serve(milliseconds, 1);
        }
    }

    pub(super) fn held(&self) -> usize {
        self.discipline.len()
    }

    /// Packets that were marked since this was asked last.
    pub(super) fn take_marked(&mut self) -> usize {
        std::mem::take(&mut self.marked)
    }

    /// Drops since the last call: the circuit, and `o` for no room or `x` for dropped early.
    pub(super) fn dropped(&self) -> String {
        let word = |(cell, verdict): &Dropped| {
            format!("{}{}", cell.circuit(), if *verdict == Verdict::Overflow { 'o' } else { 'x' })
        };
        self.dropped.iter().map(word).collect()
    }

    pub(super) fn take_dropped(&mut self) -> Vec<Dropped> {
        std::mem::take(&mut self.dropped)
    }
}
