//! Proxies between the legs of a connection: the next leg sends what a leg delivers, and a proxy advertises the room that is left.

use longfat_foundation::units::Time;
use longfat_network::framing::PacketId;
use longfat_network::topology::Graph;

use super::flows::Flows;
use super::legs::Numbers;
use super::{Drive, Network, Violation};
use crate::observer::Observer;
use crate::scenario::Scenario;

/// All proxies of a run.
pub struct Relays {
    /// The most bytes that one keeps of a connection in each direction.
    buffer: u64,
    /// Of each flow that ends at a proxy, what that proxy has room for.
    rooms: Vec<Option<Room>>,
}

/// The room that a proxy has for the data of a flow, and what its sender knows of it. All positions are bytes from the beginning.
#[derive(Clone, Copy)]
struct Room {
    /// The most that is advertised, in bytes, and the shift of the window field.
    window: u64,
    shift: u8,
    mss: u64,
    /// The right edge of the window: as it was advertised last, and as the sender knows it.
    reports: u64,
    learnt: u64,
    /// The most bytes that the proxy has kept.
    most_kept: u64,
}

impl Room {
    /// The right edge that an acknowledgment of all below `next` advertises, with room up to `end`: that of the last advertisement, unless it
    /// has moved by a segment (RFC 9293 section 3.8.6.2.2), or the sender has no room for a segment and would get it. That section has half of
    /// the buffer in place of a segment, if that is less: of windows so small, a sender has no room for a segment before. Low bits of
    /// the window do not travel.
    fn edge(&self, next: u64, end: u64) -> u64 {
        let offered = next + ((end.min(next + self.window) - next) >> self.shift << self.shift);
        let is_worth_it = offered >= self.reports + self.mss;
        let is_needed = self.reports < next + self.mss && offered >= next + self.mss;
        if is_worth_it || is_needed { self.reports.max(offered) } else { self.reports }
    }

    /// Whether a window update is worth a packet of its own: for two segments or half of the window, as in BSD
    /// (`tcp_output`; Wright and Stevens, section 26.3), or if the sender has no room for a segment.
    fn is_news(&self, next: u64, edge: u64) -> bool {
        let is_much = edge >= self.reports + (2 * self.mss).min(self.window / 2).max(1);
        is_much || (edge > self.reports && self.reports < next + self.mss)
    }
}

impl Relays {
    /// The proxies of a scenario, for `flows` flows; nothing if it has none.
    pub fn of(scenario: &Scenario, graph: &Graph, flows: usize) -> Option<Box<Self>> {
        let buffer = scenario.split()?.buffer.0;
        let numbers = Numbers::of(graph);
        let room = |number: usize| {
            numbers.next(number)?;
            let sender = graph.flows[numbers.connection(number)].sender;
            let tcp = scenario.tcp_of_leg(sender, numbers.leg(number), true);
            let reports = tcp.advertised_window();
            Some(Room {
                window: tcp.receiver_window.0,
                shift: tcp.window_scale().shift(),
                mss: tcp.mss.0,
                reports,
                learnt: reports,
                most_kept: 0,
            })
        };
        Some(Box::new(Self { buffer, rooms: (0..flows).map(room).collect() }))
    }

    /// The most bytes that the proxy at the end of a flow has kept of it; nothing for a flow that ends at a host.
    pub fn most_kept(&self, number: usize) -> Option<u64> {
        self.rooms[number].map(|room| room.most_kept)
    }

    /// Bytes that are allocated.
    pub fn memory_bytes(&self) -> usize {
        size_of::<Self>() + self.rooms.capacity() * size_of::<Option<Room>>()
    }

    /// Whether each byte went on once, and no proxy kept more than it has room for.
    ///
    /// # Errors
    /// The first law that does not hold.
    pub fn audit(&self, flows: &Flows, numbers: Numbers) -> Result<(), Violation> {
        for (number, room) in self.rooms.iter().enumerate() {
            let (Some(room), Some(next)) = (room, numbers.next(number)) else { continue };
            // Datagrams pass.
            if flows.datagrams(numbers.connection(number)).is_some() {
                continue;
            }
            let (Some(flow), Some(next)) = (flows.outcome(number), flows.outcome(next)) else { continue };
            super::audit::equal("bytes that a proxy received, and sends", flow.delivered, next.offered)?;
            if room.most_kept > self.buffer || flow.received_to > room.reports || room.learnt > room.reports {
                let Room { most_kept, reports, learnt, .. } = room;
                let (buffer, received) = (self.buffer, flow.received_to);
                return Err(Violation(format!(
                    "a proxy with room for {buffer} B kept {most_kept} B; it received up to {received}, reports {reports}, of which its \
                     sender knows {learnt}"
                )));
            }
        }
        Ok(())
    }
}

impl<O: Observer, D: Drive> Network<O, D> {
    /// Hands bytes that a flow has delivered to a proxy to the next flow; `delivered` is their number from the beginning. Returns false if
    /// there is no next flow.
    pub fn relay(&mut self, now: Time, number: usize, delivered: u64) -> bool {
        let Some(next) = self.numbers.next(number) else { return false };
        self.note_kept(number);
        // A next leg that is over has had all.
        if !self.flows.is_at_work(next) {
            return true;
        }
        let flow = &mut self.flows[next];
        let new = delivered - flow.sender.offered();
        if new > 0 {
            flow.started = flow.started.or(Some(now));
            flow.sender.offer(now, new, &mut self.segments);
            self.send_segments(now, next);
        }
        true
    }

    /// A connection reaches a proxy, which opens the next leg, if that has to be opened.
    pub fn open_next_leg(&mut self, now: Time, number: usize) {
        if self.proxies.is_some()
            && let Some(next) = self.numbers.next(number)
            && self.flows.is_at_work(next)
            && self.flows[next].sender.offered() == 0
        {
            self.flows[next].sender.offer(now, 0, &mut self.segments);
            self.send_segments(now, next);
        }
    }

    /// Writes into an acknowledgment that is about to be sent how much room the proxy has, if it is one that sends it.
    pub fn advertise(&mut self, number: usize, packet: PacketId) {
        let Some(end) = self.end_of_room(number) else { return };
        let receiver = &self.flows[number].receiver;
        let (next, has_hole) = (receiver.next(), receiver.bytes_held() > 0);
        let Some(room) = self.room_mut(number) else { return };
        // RFC 5681 section 2 takes an acknowledgment for a duplicate only if the window is the same: while there is a hole it is.
        if !has_hole {
            room.reports = room.edge(next, end);
        }
        let window = (room.reports - next) >> room.shift;
        self.packets.set_window(packet, u16::try_from(window).unwrap_or(u16::MAX));
    }

    /// An acknowledgment has come to the sender of a flow and tells of the room at the other end. Tells whether it tells of nothing else.
    pub fn learn_window(&mut self, now: Time, number: usize, next: u64, packet: PacketId) -> bool {
        let window = u64::from(self.packets.get(packet).window());
        let Some(room) = self.room_mut(number) else { return false };
        let edge = next + (window << room.shift);
        // The low bits that do not travel never move the edge back.
        let opens = edge > room.learnt;
        room.learnt = room.learnt.max(edge);
        let learnt = room.learnt;
        let sender = &mut self.flows[number].sender;
        let unacknowledged = sender.unacknowledged();
        sender.learn_receiver_window(learnt - next.max(unacknowledged));
        let tells_nothing_else = opens && next == unacknowledged;
        if tells_nothing_else {
            sender.take_window_update(now, &mut self.segments);
        }
        tells_nothing_else
    }

    /// An acknowledgment has reached the sender of a flow at a proxy, which may forget the acknowledged bytes and then has room for more.
    pub fn tell_of_room(&mut self, now: Time, number: usize) {
        let Some(before) = self.numbers.before(number).filter(|before| self.flows.is_at_work(*before)) else { return };
        let Some(end) = self.end_of_room(before) else { return };
        let receiver = &self.flows[before].receiver;
        let next = receiver.next();
        let Some(room) = self.room_mut(before) else { return };
        let edge = room.edge(next, end);
        if room.is_news(next, edge) {
            room.reports = edge;
            self.acknowledge_late(now, before);
        }
    }

    /// Up to where the proxy at the end of a flow has room: its buffer begins with what the next leg has not acknowledged.
    fn end_of_room(&self, number: usize) -> Option<u64> {
        let proxies = self.proxies.as_ref()?;
        Some(self.acknowledged_by(self.numbers.next(number)?) + proxies.buffer)
    }

    fn acknowledged_by(&self, number: usize) -> u64 {
        if self.flows.is_at_work(number) {
            return self.flows[number].sender.unacknowledged();
        }
        // One that is over has delivered all.
        self.flows.outcome(number).map_or(0, |flow| flow.delivered)
    }

    fn note_kept(&mut self, number: usize) {
        let Some(kept) = self.kept(number) else { return };
        if let Some(room) = self.room_mut(number) {
            room.most_kept = room.most_kept.max(kept);
        }
    }

    /// From now on the most bytes that proxies keep are counted anew.
    pub fn count_kept_anew(&mut self) {
        for number in 0..self.flows.len() {
            let kept = self.kept(number).unwrap_or(0);
            if let Some(room) = self.room_mut(number) {
                room.most_kept = kept;
            }
        }
    }

    /// Bytes that the proxy at the end of a flow keeps of it, if one is there and the flow is at work.
    fn kept(&self, number: usize) -> Option<u64> {
        let next = self.numbers.next(number).filter(|_| self.flows.is_at_work(number))?;
        let receiver = &self.flows[number].receiver;
        Some(receiver.next() + receiver.bytes_held() - self.acknowledged_by(next))
    }

    fn room_mut(&mut self, number: usize) -> Option<&mut Room> {
        self.proxies.as_mut()?.rooms[number].as_mut()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOM: Room = Room { window: 8000, shift: 0, mss: 1000, reports: 8000, learnt: 8000, most_kept: 0 };

    #[test]
    fn the_right_edge_moves_by_a_segment_and_not_by_less() {
        assert_eq!(ROOM.edge(999, 9999), 8000, "999 bytes further");
        assert_eq!(ROOM.edge(1000, 9999), 9000, "a segment further");
        assert_eq!(ROOM.edge(1000, 8999), 8000, "the buffer has less room than the window");
    }

    #[test]
    fn it_never_moves_back_though_low_bits_of_the_window_do_not_travel() {
        let coarse = Room { shift: 4, reports: 7984, window: 8000, ..ROOM };
        assert_eq!(coarse.edge(1, 8000), 7984);
        assert_eq!(coarse.edge(1001, 9001), 9001);
        // Of 7999 bytes 7984 can be said.
        assert_eq!(coarse.edge(1002, 9001), 1002 + 7984);
    }

    #[test]
    fn a_sender_without_room_for_a_segment_gets_it_as_soon_as_there_is() {
        let closed = Room { window: 1900, reports: 2400, ..ROOM };
        // It has 900 bytes, and half of the window would be 950 more.
        assert_eq!(closed.edge(1500, 2450), 2400, "there is no room for a segment either");
        assert_eq!(closed.edge(1500, 2500), 2500);
        assert!(closed.is_news(1500, 2500));
    }

    #[test]
    fn only_room_for_two_segments_is_worth_an_acknowledgment_of_its_own() {
        assert!(!ROOM.is_news(4000, 9999));
        assert!(ROOM.is_news(4000, 10_000));
        assert!(!ROOM.is_news(4000, 8000), "nothing is new");
    }
}
