//! Which cells a full or filling buffer refuses.
//!
//! A policy sees each cell as it arrives, with the buffer as it is before the cell is counted. To add one: a file here
//! with a [`model!`](crate::model), a `mod` line and a line in [`POLICIES`].

mod early_packet_discard;
mod fair_buffer_allocation;
mod packet_discard;
mod partial_packet_discard;
mod selective_drop;
mod tail_drop;
#[cfg(test)]
mod test_support;

use super::Occupancy;
use crate::framing::{Cell, Unit};
use crate::registry::{Entry, Family};
pub use packet_discard::PacketDiscard;

/// Every registered drop policy.
pub const POLICIES: &[Entry<dyn DropPolicy>] = &[
    Entry::of::<tail_drop::TailDrop>(),
    Entry::of::<partial_packet_discard::PartialPacketDiscard>(),
    Entry::of::<early_packet_discard::EarlyPacketDiscard>(),
    Entry::of::<selective_drop::SelectiveDrop>(),
    Entry::of::<fair_buffer_allocation::FairBufferAllocation>(),
];

/// What happens to an arriving cell, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The cell joins the queue.
    Accept,
    /// The buffer has no room.
    Overflow,
    /// The policy refused the packet at its first cell.
    Refused,
    /// The packet has already lost a cell.
    Remainder,
}

/// Decides about arriving cells.
pub trait DropPolicy: Send {
    /// Whether `cell` of `circuit` joins a buffer that holds `occupancy`.
    fn decide(&mut self, cell: Cell, circuit: usize, occupancy: &Occupancy) -> Verdict;
}

/// The buffer a policy guards.
#[derive(Clone, Copy, Debug)]
pub struct BufferContext {
    /// Cells it can hold; `None` without limit.
    pub capacity: Option<u64>,
    /// Circuits that share it.
    pub circuits: usize,
    /// What it counts: a packet that travels whole is a cell to a policy, the first and the last of its packet at once.
    pub unit: Unit,
}

impl Family for dyn DropPolicy {
    const KIND: &'static str = "drop policy";
    type Context = BufferContext;
    fn models() -> &'static [Entry<Self>] {
        POLICIES
    }
}
