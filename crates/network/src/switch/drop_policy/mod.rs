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

use longfat_foundation::registry::{Entry, Family};

use super::{BufferContext, Occupancy};
use crate::framing::Cell;
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

/// A dropped cell and why it was dropped.
pub type Dropped = (Cell, Verdict);

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
