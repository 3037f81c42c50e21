//! Which cells a full or filling buffer refuses.
//!
//! A policy sees each cell as it arrives, with the buffer as it is before the cell is counted. To add one: a file here
//! with a [`model!`](longfat_foundation::model), and a `mod` line below.

// The registered policies: `build.rs` makes their list of these lines. Their order is that of `longfat models` and of the schema; rustfmt sorts
// lines only up to the next blank one.
mod tail_drop;

mod partial_packet_discard;

mod early_packet_discard;
mod selective_drop;

mod fair_buffer_allocation;

mod double_threshold;
mod per_vc_double_threshold;
mod weighted_fair_buffer_allocation;

mod differential_fair_buffer_allocation;

// Beside them.
mod packet_discard;
#[cfg(test)]
mod promises;
#[cfg(test)]
mod test_support;

use longfat_foundation::registry::{Entry, Family};

use super::{BufferContext, Occupancy};
use crate::framing::Cell;
pub use packet_discard::PacketDiscard;

macro_rules! register {
    ($($policy:path),+) => {
        /// Every registered drop policy.
        pub const POLICIES: &[Entry<dyn DropPolicy>] = &[$(Entry::of::<$policy>()),+];
    };
}

include!(concat!(env!("OUT_DIR"), "/drop_policy.rs"));

/// A policy's decision about an arriving cell, with its reason.
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

/// The cells of a circuit's current packet about which a policy must be asked while the buffer has room. It accepts all others, without any
/// effect on its state.
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
    /// False if the policy admits every cell while the buffer has room.
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
