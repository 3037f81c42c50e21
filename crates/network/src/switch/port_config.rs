//! The section of a scenario that describes a port.

use longfat_foundation::registry::Chosen;

use super::drop_policy::DropPolicy;
use super::preset::QueuePreset;
use super::queue_discipline::QueueDiscipline;
use super::scheduler::Scheduler;
use super::service::Service;
use super::{ArrivalOrder, Buffer};

longfat_foundation::section! {
    /// The bottleneck's output port.
    pub struct PortConfig {
        /// K: the number of cells that can wait, besides the one being sent. For packets that travel whole, packets ("20 packets") or, with
        /// a `queue` discipline, their bytes on the line ("150 kB"). Also "0.5 RTT" or "1 BDP" (what the bottleneck carries in a round trip
        /// without queueing, in cells or full packets), "1 BDP/sqrt(n)" (the same by the root of the number of connections), or "unlimited".
        pub buffer: Buffer,
        /// Which cells or packets are dropped when the buffer fills.
        pub policy: Chosen<dyn DropPolicy> = "tail-drop",
        /// How waiting packets are managed where packets travel whole: which are dropped or marked before the buffer is full, and which is
        /// sent next. Replaces `policy` and `scheduler`.
        pub queue: Chosen<dyn QueueDiscipline> = "by-policy",
        /// Whose parameters a `queue` has that are not written, also those of other ports.
        pub preset: QueuePreset = "none",
        /// Which service class sends in a slot, if background traffic has a class of its own (V-03, V-04).
        pub scheduler: Chosen<dyn Scheduler> = "fifo",
        /// Service that the connections are promised (P-01).
        pub service: Chosen<dyn Service> = "ubr",
        /// In which order cells that arrive in one cell slot enter the buffer (S-06). The papers say "no randomization in
        /// any component" and no more. Always the same order lets one connection capture the buffer, which their tables
        /// do not show; a seeded random order comes closest to them, and is what "by-framing" means for cells. Packets that
        /// travel whole know no slots: first come, first served.
        pub arrival_order: ArrivalOrder = "by-framing" or ["rotating", "alternating", "fixed", "first-come-first-served"],
        /// Whether the cell being sent counts as one in the buffer (S-07). Table 1 of UBR+ comes out exactly if not.
        pub counts_cell_in_service: bool = "false" or ["true"],
    }
}
