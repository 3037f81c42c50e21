//! The choice of the cell that is sent in a slot: a port has one queue for each service class, and a scheduler takes from them.
//!
//! UBR cells wait in the port's buffer, which a drop policy guards; the scheduler keeps their order. VBR cells are all alike and
//! never dropped (97-0424 section 3), so that their queue is a number. To add a scheduler: a file here with a
//! [`model!`](longfat_foundation::model), and a `mod` line below.

// The registered schedulers: `build.rs` makes their list of these lines. Their order is that of `longfat models` and of the schema; rustfmt sorts
// lines only up to the next blank one.
mod fifo;
mod strict_priority;

mod guaranteed_rate;
mod weighted_fair;

mod per_vc_fair;

// Beside them.
mod start_time;
#[cfg(test)]
mod test_support;

pub use fifo::FifoQueue;

use longfat_foundation::config::Probability;
use longfat_foundation::registry::{Entry, Family};

use super::BufferContext;
use crate::framing::{Cell, Unit};

macro_rules! register {
    ($($scheduler:path),+) => {
        /// Every registered scheduler.
        pub const SCHEDULERS: &[Entry<dyn Scheduler>] = &[$(Entry::of::<$scheduler>()),+];
    };
}

include!(concat!(env!("OUT_DIR"), "/scheduler.rs"));

/// The content of a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// This cell.
    Ubr(Cell),
    /// A cell of the class VBR.
    Vbr,
    /// Nothing, though VBR cells wait: the slot is kept for UBR, which has no cell.
    Unused,
}

/// Keeps the UBR cells that wait, and decides which cell is sent next.
pub trait Scheduler: Send {
    /// Adds a UBR cell that the drop policy has admitted.
    fn enqueue(&mut self, cell: Cell);
    /// Takes the cell of the slot that begins; `None` only if no cell waits.
    fn dequeue(&mut self, vbr_waits: bool) -> Option<Turn>;
    /// UBR cells that wait.
    fn len(&self) -> usize;
    /// Shows the UBR cells that wait, those of each circuit in the order in which they will be sent.
    fn visit(&self, visit: &mut dyn FnMut(Cell));
    /// Whether no UBR cell waits.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Whether VBR has a queue of its own here.
    fn has_vbr_queue(&self) -> bool {
        true
    }
    /// The share of the line that UBR gets however much VBR comes.
    fn guaranteed_share(&self) -> f64 {
        0.0
    }
}

impl Family for dyn Scheduler {
    const KIND: &'static str = "scheduler";
    type Context = BufferContext;
    const NOTHING: Option<&'static str> = Some("fifo");
    fn models() -> &'static [Entry<Self>] {
        SCHEDULERS
    }
}

/// The objection to a scheduler that counts slots, where there are none.
fn object_to_packets(context: &BufferContext) -> Vec<(&'static str, String)> {
    let message = "shares out cell slots, and packets that travel whole have none; leave it out, or \"fifo\"";
    (context.unit == Unit::Packet).then(|| ("kind", message.into())).into_iter().collect()
}

/// Shares are counted in billionths: exact for every share with up to nine decimals, and sums never drift.
const WHOLE: u64 = 1_000_000_000;

/// A share in parts of [`WHOLE`].
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a billion times a number from 0 to 1"
)]
fn parts(share: Probability) -> u64 {
    (share.0 * WHOLE as f64).round() as u64
}

#[cfg(test)]
mod tests {
    use super::test_support::Bench;

    #[test]
    fn ubr_is_guaranteed_a_share_where_a_scheduler_has_one_and_nothing_elsewhere() {
        for (scheduler, share) in [
            ("\"fifo\"", 0.0),
            ("\"strict-priority\"", 0.0),
            ("\"per-vc-fair\"", 0.0),
            ("{ kind = \"guaranteed-rate\", guaranteed_rate = 0.25 }", 0.25),
            ("{ kind = \"weighted-fair\", guaranteed_rate = 0.25 }", 0.25),
        ] {
            assert!((Bench::new(scheduler).guaranteed_share() - share).abs() < 1e-9, "{scheduler}");
        }
    }
}
