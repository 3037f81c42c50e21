//! Packets that are held up at the end of a line.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use longfat_foundation::units::Time;

use crate::framing::Cell;

/// Packets that travel whole and wait for the end of their delay, each for its own: the earliest leaves first, and of those that leave at
/// one instant the one that came first.
#[derive(Default)]
pub struct WaitingRoom {
    waiting: BinaryHeap<Reverse<Waiting>>,
    /// Packets that have come so far.
    come: u64,
}

/// A packet that waits. Its number makes any two differ.
struct Waiting {
    leaves: Time,
    number: u64,
    packet: Cell,
}

impl Waiting {
    fn key(&self) -> (Time, u64) {
        (self.leaves, self.number)
    }
}

impl PartialEq for Waiting {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Waiting {}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Waiting {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key().cmp(&other.key())
    }
}

impl WaitingRoom {
    /// Takes in a packet that comes at `now` and leaves at `leaves`. Returns it if it goes on at once: it waits for none that leaves later,
    /// but for those that leave now.
    pub fn take(&mut self, now: Time, leaves: Time, packet: Cell) -> Option<Cell> {
        if leaves <= now && self.next().is_none_or(|next| next > now) {
            return Some(packet);
        }
        self.waiting.push(Reverse(Waiting { leaves, number: self.come, packet }));
        self.come += 1;
        None
    }

    /// When the next packet leaves, if any waits.
    #[must_use]
    pub fn next(&self) -> Option<Time> {
        self.waiting.peek().map(|Reverse(waiting)| waiting.leaves)
    }

    /// Takes out the packet that leaves next.
    pub fn release(&mut self) -> Option<Cell> {
        self.waiting.pop().map(|Reverse(waiting)| waiting.packet)
    }

    /// The packets that wait, in no order.
    pub fn packets(&self) -> impl Iterator<Item = Cell> {
        self.waiting.iter().map(|Reverse(waiting)| waiting.packet)
    }

    /// Bytes that are allocated.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.waiting.capacity() * size_of::<Waiting>()
    }
}
