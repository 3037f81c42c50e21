//! Which cells a full or filling buffer refuses.
//!
//! A policy sees each cell as it arrives, with the buffer as it is before the cell is counted. To add one: a file here
//! with a [`model!`](longfat_foundation::model), a `mod` line and a line in [`POLICIES`].

mod differential_fair_buffer_allocation;
mod double_threshold;
mod early_packet_discard;
mod fair_buffer_allocation;
mod packet_discard;
mod partial_packet_discard;
mod selective_drop;
mod tail_drop;
#[cfg(test)]
mod test_support;
mod weighted_fair_buffer_allocation;

use longfat_foundation::random::Stream;
use longfat_foundation::registry::{Entry, Family};

use super::Occupancy;
use crate::framing::{Cell, Unit};
pub use packet_discard::PacketDiscard;

/// Every registered drop policy.
pub const POLICIES: &[Entry<dyn DropPolicy>] = &[
    Entry::of::<tail_drop::TailDrop>(),
    Entry::of::<partial_packet_discard::PartialPacketDiscard>(),
    Entry::of::<early_packet_discard::EarlyPacketDiscard>(),
    Entry::of::<selective_drop::SelectiveDrop>(),
    Entry::of::<fair_buffer_allocation::FairBufferAllocation>(),
    Entry::of::<double_threshold::DoubleThreshold>(),
    Entry::of::<weighted_fair_buffer_allocation::WeightedFairBufferAllocation>(),
    Entry::of::<differential_fair_buffer_allocation::DifferentialFairBufferAllocation>(),
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

/// About which cells of a circuit's current packet a policy must be asked while the buffer has room. What it need not be asked
/// about it accepts, and nothing changes by that.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Asked {
    /// About none.
    Never,
    /// About the first.
    AtFirst,
    /// About every cell.
    Always,
}

/// Decides about arriving cells.
pub trait DropPolicy: Send {
    /// Whether `cell` of `circuit` joins a buffer that holds `occupancy`.
    fn decide(&mut self, cell: Cell, circuit: usize, occupancy: &Occupancy) -> Verdict;
    /// About which cells of a circuit's current packet, or of its next one, it must be asked with no more than `total` cells in the
    /// buffer.
    fn asked(&self, _circuit: usize, _total: u64) -> Asked {
        Asked::Always
    }
    /// Whether it must ever be asked while the buffer has room.
    fn is_ever_asked(&self) -> bool {
        true
    }
    /// Whether its answer depends on whose cells are in the buffer, with no more than `total` cells in it.
    fn looks_at_circuits(&self, _total: u64) -> bool {
        true
    }
}

/// The buffer that a policy guards and a scheduler serves.
#[derive(Clone, Debug)]
pub struct BufferContext {
    /// Cells it can hold; `None` without limit.
    pub capacity: Option<u64>,
    /// Circuits that share it.
    pub circuits: usize,
    /// What it counts: a packet that travels whole is a cell to a policy, the first and the last of its packet at once.
    pub unit: Unit,
    /// W: the minimum cell rate of each circuit in bits per second, 0 for one that has none; `None` without such a service.
    pub weights: Option<Vec<u64>>,
    /// The policy's own chance.
    pub chance: Stream,
}

impl BufferContext {
    /// A buffer whose circuits are promised nothing.
    #[must_use]
    pub fn new(capacity: Option<u64>, circuits: usize, unit: Unit, chance: Stream) -> Self {
        Self { capacity, circuits, unit, weights: None, chance }
    }
}

/// The objection to a policy that goes by minimum cell rates, where there are none.
fn object_to_absent_rates(buffer: &BufferContext) -> Vec<(&'static str, String)> {
    let message = "goes by minimum cell rates, and there are none; give port.service = { kind = \"gfr\", ... }";
    buffer.weights.is_none().then(|| ("kind", message.into())).into_iter().collect()
}

impl Family for dyn DropPolicy {
    const KIND: &'static str = "drop policy";
    type Context = BufferContext;
    fn models() -> &'static [Entry<Self>] {
        POLICIES
    }
}

#[cfg(test)]
mod promises;
