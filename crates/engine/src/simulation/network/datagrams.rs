//! Connections over UDP: plain datagrams, or a stack with an end system at each end ([`EndSystem`]).
//!
//! A connection has two circuits there and back, as every other. The second carries what the far end sends: acknowledgments, or answers. Where
//! proxies split connections, a datagram passes them whole, from one leg to the next.

mod counts;
mod outside;

pub use counts::DatagramCounts;

use longfat_foundation::units::Time;
use longfat_hosts::datagrams::plain;
use longfat_hosts::end_system::{Direction, End, EndSystem, Parcel, Parcels};
use longfat_hosts::traffic::Source;
use longfat_hosts::transport::ReceivedBytes;
use longfat_network::framing::{Cell, Content, Packets};
use longfat_network::topology::Graph;
use longfat_stacks::proxies::udp::Relayed;

use super::datagram_relays::Proxied;
use super::flows::{Flow, Flows};
use super::legs::Numbers;
use super::transport::{Own, Transport};
use super::{Drive, Network, Way};
use crate::observer::Observer;
use crate::scenario::Scenario;

/// The ends of a connection over UDP.
pub struct Pair {
    ends: [Box<dyn EndSystem>; 2],
    /// True if each write of the source is a datagram: results are then of datagrams, and not of a stream of bytes.
    is_plain: bool,
    /// True if programs outside send the packets.
    is_outside: bool,
    counts: DatagramCounts,
    /// The proxies in its way, if its packets do not pass them as they are.
    pub proxied: Option<Box<Proxied>>,
}

impl Pair {
    fn of(ends: [Box<dyn EndSystem>; 2], is_plain: bool, sends_back: bool) -> Self {
        Self { ends, is_plain, is_outside: false, counts: DatagramCounts::none(sends_back), proxied: None }
    }

    /// The ends of a connection with this source; `None` if it uses TCP.
    fn planned(scenario: &Scenario, source: &dyn Source, sender: usize, connection: usize) -> Option<Self> {
        let datagrams = source.datagrams();
        let mut pair = match datagrams {
            Some(datagrams) => Self::of(plain(datagrams), true, datagrams.are_answered),
            None => Self::of(scenario.ends_of_stack(sender, connection)?, false, true),
        };
        pair.is_outside = pair.ends.iter_mut().any(|end| end.outside().is_some());
        // Proxies let the packets of programs pass.
        if let Some(Relayed { ends, relays }) =
            scenario.relayed(sender, connection, datagrams).filter(|_| !pair.is_outside)
        {
            pair.ends = ends.unwrap_or(pair.ends);
            pair.proxied = Some(Box::new(Proxied::new(relays)));
        }
        Some(pair)
    }

    /// Tells of the packets in a datagram of the near end.
    #[inline]
    fn tell_packets<O: Observer>(
        &mut self,
        observer: &mut O,
        now: Time,
        number: usize,
        direction: Direction,
        parcel: &Parcel,
    ) {
        if observer.interests().anything {
            for (packet, size) in self.ends[0].packets(parcel, direction) {
                observer.quic_packet(now, number, direction, &packet, size);
            }
        }
    }

    /// Tells of the packets that the near end has taken for lost.
    #[inline]
    fn tell_losses<O: Observer>(&mut self, observer: &mut O, now: Time, number: usize) {
        if observer.interests().anything {
            for (kind, packet) in self.ends[0].take_lost() {
                observer.quic_packet_lost(now, number, kind, packet);
            }
        }
    }
}

impl Flow<Pair> {
    /// The flow of a connection that uses UDP; `None` for one over TCP.
    pub fn planned(connection: usize, scenario: &Scenario, graph: &Graph, sources: &[Box<dyn Source>]) -> Option<Self> {
        let source = &*sources[connection];
        let pair = Pair::planned(scenario, source, graph.flows[connection].sender, connection)?;
        let numbers = Numbers::of(graph);
        let (there, _) = numbers.circuits(numbers.first(connection, false));
        let (_, back) = numbers.circuits(numbers.last(connection, false));
        let size = if pair.has_stream() { source.size() } else { None };
        let name = pair.ends[0].name().into();
        Some(Self::with(pair, name, [there, back].map(|circuit| Way::of(circuit, graph)), size))
    }
}

impl Own for Pair {
    fn has_stream(&self) -> bool {
        !self.is_plain && !self.is_outside
    }

    fn datagrams(&self) -> Option<&DatagramCounts> {
        self.is_plain.then_some(&self.counts)
    }

    fn count_own_anew(&mut self) {
        self.counts.count_anew();
    }

    fn own_memory_bytes(&self) -> usize {
        self.counts.memory_bytes() + self.proxied.as_ref().map_or(0, |proxied| proxied.memory_bytes())
    }
}

impl Transport for Pair {
    type Packets = Parcels;
    type Near = dyn EndSystem;
    type Far = dyn EndSystem;
    const PASSES_PROXIES: bool = true;
    const ACKNOWLEDGES_LATE: bool = false;

    fn table(flows: &mut Flows) -> &mut [Option<Box<Flow<Self>>>] {
        &mut flows.stacks
    }

    fn ends(&self) -> (&Self::Near, &Self::Far) {
        (&*self.ends[0], &*self.ends[1])
    }

    fn ends_mut(&mut self) -> (&mut Self::Near, &mut Self::Far) {
        let [near, far] = &mut self.ends;
        (&mut **near, &mut **far)
    }

    fn arriving(packets: &mut Packets, last: Cell) -> Parcel {
        let Content::Datagram { sequence, length, sent, .. } = packets.get(last.packet).content else {
            unreachable!("parcels travel between ends that make them")
        };
        let contents = packets.take_contents(last.packet);
        Parcel { length, number: sequence, sent, codepoint: last.codepoint(), contents }
    }

    fn send<O: Observer, D: Drive>(network: &mut Network<O, D>, now: Time, way: Way, from: End, packet: Parcel) {
        let Parcel { length, number: sequence, sent, codepoint, contents } = packet;
        let size = network.sizes.of_datagram(length);
        let content = Content::Datagram { sequence, length, sent, is_answer: from == End::Far };
        let id = network.send_packet(now, way, content, codepoint, size);
        if !contents.is_empty() {
            network.packets.set_contents(id, contents);
        }
    }

    fn take<O: Observer>(
        observer: &mut O,
        now: Time,
        number: usize,
        flow: &mut Flow<Self>,
        to: End,
        packet: Parcel,
    ) -> (ReceivedBytes, bool) {
        let pair = &mut flow.ends;
        let Parcel { number: sequence, length, sent, .. } = packet;
        pair.counts.reception(to).receive(sequence, length, now - sent);
        if to == End::Far {
            let brought = pair.ends[1].receive(now, packet);
            observer.datagram_received(now, number, sequence, length, now - sent);
            return (brought, false);
        }
        pair.tell_packets(observer, now, number, Direction::Received, &packet);
        let brought = pair.ends[0].receive(now, packet);
        observer.answer_received(now, number, sequence, length, pair.is_plain.then(|| now - sent));
        pair.tell_losses(observer, now, number);
        (brought, false)
    }

    fn expire<O: Observer>(observer: &mut O, now: Time, number: usize, flow: &mut Flow<Self>, end: End) {
        flow.ends.ends[end as usize].expire(now);
        if end == End::Near {
            flow.ends.tell_losses(observer, now, number);
        }
    }

    fn note_departure<O: Observer>(
        observer: &mut O,
        now: Time,
        number: usize,
        flow: &mut Flow<Self>,
        from: End,
        packet: &Parcel,
    ) {
        flow.ends.counts.note_sent(from, packet.length);
        if from == End::Near {
            observer.datagram_sent(now, number, packet.number, packet.length);
            flow.ends.tell_packets(observer, now, number, Direction::Sent, packet);
        }
    }

    fn note_act<O: Observer>(observer: &mut O, now: Time, number: usize, flow: &Flow<Self>) {
        let [near, _] = &flow.ends.ends;
        if !flow.ends.is_plain && observer.interests().anything {
            observer.stack_acted(now, number, &near.vitals(), &near.progress().sent);
        }
    }
}

impl<O: Observer, D: Drive> Network<O, D> {
    /// A connection over UDP begins, unless it has: it gets a place in the calendar, and the lines that it takes are kept.
    pub fn begin_stack(&mut self, now: Time, connection: usize) {
        if self.flows.has_begun(connection) {
            return;
        }
        let legs: Vec<_> = self.numbers.in_turn(connection, false).collect();
        let place = self.agenda.move_in(connection);
        self.make_room();
        legs.into_iter().for_each(|leg| self.make_lines(leg));
        if let Some(flow) = self.flows.stack_mut(connection) {
            flow.place = place;
            flow.ends.ends.iter_mut().for_each(|end| end.begin(now));
        }
        self.place_proxies(connection);
        self.make_room();
        self.remember_paths(connection);
        self.act(now, connection, End::Far);
        if self.sources[connection].asks() {
            self.act(now, connection, End::Near);
        }
    }

    /// Sends a datagram over the leg of a connection with that flow number.
    pub fn send_parcel(&mut self, now: Time, number: usize, from: End, parcel: Parcel) {
        let (there, back) = self.numbers.circuits(number);
        let way = self.way(if from == End::Far { back } else { there });
        Pair::send(self, now, way, from, parcel);
    }

    /// A whole datagram has reached the end of its leg: its end system, or a proxy, which it may pass.
    #[inline(never)]
    pub fn hand_over_parcel(&mut self, now: Time, number: usize, last: Cell) {
        let packet = self.packets.get(last.packet);
        let (bits, is_answer) = (packet.bits, matches!(packet.content, Content::Datagram { is_answer: true, .. }));
        let (from, next) = match is_answer {
            true => (End::Far, self.numbers.before(number)),
            false => (End::Near, self.numbers.next(number)),
        };
        let Some(next) = next else {
            let connection = self.numbers.connection(number);
            return match is_answer {
                true => self.reach_near::<Pair>(now, connection, last),
                false => self.reach_far::<Pair>(now, connection, last),
            };
        };
        let parcel = Pair::arriving(&mut self.packets, last);
        let Some(parcel) = self.receive_at_proxy(now, number, is_answer, bits, parcel) else { return };
        let brought = ReceivedBytes { new: parcel.length, ..ReceivedBytes::default() };
        self.enter_arrival(number, is_answer, brought, bits);
        self.ledger.receiver_acts(now, number);
        self.send_parcel(now, next, from, parcel);
        self.ledger.receiver_acts(now, next);
    }

    /// Enters an arrival at a proxy into the ledger.
    pub fn enter_arrival(&mut self, number: usize, is_answer: bool, brought: ReceivedBytes, bits: u64) {
        if is_answer {
            self.ledger.control_arrives(number, bits);
        } else {
            self.ledger.packet_arrives(number, brought, bits);
        }
    }
}
