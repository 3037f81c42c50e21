//! Packets that wait, with what disciplines know of them.

use std::collections::{VecDeque, vec_deque};

use longfat_foundation::units::{Span, Time};
use longfat_hosts::transport::Codepoint;

use crate::framing::Cell;
use crate::switch::Dropped;
use crate::switch::drop_policy::Verdict;

/// A packet that waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// The packet, as it goes on.
    pub cell: Cell,
    /// Its size on the line.
    pub bytes: u64,
    /// When it arrived.
    pub arrived: Time,
    /// Whether it was marked here.
    pub is_marked_here: bool,
    /// Whether its queue was empty when it arrived.
    pub was_first: bool,
}

impl Waiting {
    /// A packet that arrives.
    #[must_use]
    pub fn new(cell: Cell, bytes: u64, arrived: Time) -> Self {
        Self { cell, bytes, arrived, is_marked_here: false, was_first: false }
    }

    /// For how long it has been here (its sojourn time).
    #[must_use]
    pub fn delay(&self, now: Time) -> Span {
        now - self.arrived
    }

    /// Marks it as having met congestion, if its ends understand that (RFC 3168 section 5); returns whether they do.
    pub fn mark(&mut self) -> bool {
        let codepoint = self.cell.codepoint();
        if codepoint.is_capable() {
            self.is_marked_here |= !codepoint.is_marked();
            self.cell = self.cell.with_codepoint(Codepoint::CongestionExperienced);
        }
        codepoint.is_capable()
    }
}

/// How much a queue can hold: packets, bytes, both, or without limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Room {
    /// Most packets.
    pub packets: Option<u64>,
    /// Most bytes on the line.
    pub bytes: Option<u64>,
}

impl Room {
    /// Whether `packets` packets with `bytes` bytes in all fit.
    #[must_use]
    pub fn holds(&self, packets: usize, bytes: u64) -> bool {
        self.packets.is_none_or(|most| packets as u64 <= most) && self.bytes.is_none_or(|most| bytes <= most)
    }

    /// Whether a queue has room for another packet.
    #[must_use]
    pub fn admits(&self, queue: &PacketQueue, packet: &Waiting) -> bool {
        self.holds(queue.len() + 1, queue.bytes() + packet.bytes)
    }
}

/// Packets in order of arrival.
#[derive(Clone, Debug, Default)]
pub struct PacketQueue {
    packets: VecDeque<Waiting>,
    bytes: u64,
}

impl PacketQueue {
    /// Adds a packet at the end.
    #[inline]
    pub fn push(&mut self, mut packet: Waiting) {
        packet.was_first = self.packets.is_empty();
        self.bytes += packet.bytes;
        self.packets.push_back(packet);
    }

    /// Adds a packet at the end if there is room, and drops it otherwise. Returns whether it was added.
    pub fn push_within(&mut self, room: &Room, packet: Waiting, dropped: &mut Vec<Dropped>) -> bool {
        let fits = room.admits(self, &packet);
        if fits {
            self.push(packet);
        } else {
            dropped.push((packet.cell, Verdict::Overflow));
        }
        fits
    }

    /// Takes the packet that has waited longest.
    #[inline]
    pub fn pop(&mut self) -> Option<Waiting> {
        let packet = self.packets.pop_front()?;
        self.bytes -= packet.bytes;
        Some(packet)
    }

    /// Takes the packet at a place, counted from the one that has waited longest.
    pub fn take(&mut self, place: usize) -> Option<Waiting> {
        let packet = self.packets.remove(place)?;
        self.bytes -= packet.bytes;
        Some(packet)
    }

    /// The packets in order.
    pub fn iter(&self) -> vec_deque::Iter<'_, Waiting> {
        self.packets.iter()
    }

    /// How long the first packet has waited; nothing if there is none.
    #[must_use]
    pub fn head_delay(&self, now: Time) -> Span {
        self.packets.front().map_or(Span::ZERO, |head| head.delay(now))
    }

    /// Packets that wait.
    #[must_use]
    pub fn len(&self) -> usize {
        self.packets.len()
    }

    /// Whether none waits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.packets.is_empty()
    }

    /// Their bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Calls `visit` for each in order.
    pub fn visit(&self, visit: &mut dyn FnMut(Cell)) {
        self.packets.iter().for_each(|packet| visit(packet.cell));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::framing::PacketId;

    fn packet(codepoint: Codepoint, bytes: u64) -> Waiting {
        Waiting::new(Cell::new(PacketId(0), 0, true, true).with_codepoint(codepoint), bytes, Time::ZERO)
    }

    #[test]
    fn only_packets_of_ends_that_understand_marks_are_marked_and_each_counts_where_it_was() {
        let mut deaf = packet(Codepoint::NotCapable, 1);
        assert!(!deaf.mark());
        assert_eq!(deaf, packet(Codepoint::NotCapable, 1));
        for codepoint in [Codepoint::Classic, Codepoint::Scalable] {
            let mut marked = packet(codepoint, 1);
            assert!(marked.mark() && marked.cell.codepoint().is_marked() && marked.is_marked_here);
        }
        let mut marked_before = packet(Codepoint::CongestionExperienced, 1);
        assert!(marked_before.mark() && !marked_before.is_marked_here);
    }

    #[test]
    fn room_is_counted_in_packets_or_in_bytes_or_in_both() {
        let mut queue = PacketQueue::default();
        let mut dropped = Vec::new();
        let room = Room { packets: Some(3), bytes: Some(3000) };
        assert!(queue.push_within(&room, packet(Codepoint::NotCapable, 1500), &mut dropped));
        assert!(queue.push_within(&room, packet(Codepoint::NotCapable, 1500), &mut dropped));
        assert!(!queue.push_within(&room, packet(Codepoint::NotCapable, 1), &mut dropped), "3001 bytes");
        queue.pop();
        assert!(queue.push_within(&room, packet(Codepoint::NotCapable, 40), &mut dropped));
        assert!(queue.push_within(&room, packet(Codepoint::NotCapable, 40), &mut dropped));
        assert!(!queue.push_within(&room, packet(Codepoint::NotCapable, 40), &mut dropped), "a fourth packet");
        assert_eq!((queue.len(), queue.bytes(), dropped.len()), (3, 1580, 2));
    }

    #[test]
    fn a_packet_can_be_taken_from_between_others() {
        let mut queue = PacketQueue::default();
        [100, 200, 300].into_iter().for_each(|bytes| queue.push(packet(Codepoint::NotCapable, bytes)));
        assert_eq!(queue.take(1).map(|taken| taken.bytes), Some(200));
        assert_eq!((queue.len(), queue.bytes(), queue.take(2)), (2, 400, None));
    }
}
