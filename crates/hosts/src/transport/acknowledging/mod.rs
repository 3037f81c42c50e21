//! Acknowledgment rules: when a receiver acknowledges.
//!
//! To add a rule: a file here with a [`model!`](longfat_foundation::model), a `mod` line and a line in [`RULES`].

mod delayed;
mod immediate;
mod linux;
mod thinned;

use longfat_foundation::registry::{Entry, Family};
use longfat_foundation::units::Time;

use super::TcpConfig;

/// Every registered rule.
pub const RULES: &[Entry<dyn Acknowledging>] = &[
    Entry::of::<immediate::Immediate>(),
    Entry::of::<delayed::Delayed>(),
    Entry::of::<thinned::Thinned>(),
    Entry::of::<linux::Linux>(),
];

/// The arrival of a segment, as an acknowledgment rule sees it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Arrival {
    /// True if it was the next one expected and nothing is held beyond it.
    pub in_order: bool,
    /// True if it was the last in order once more, nothing is held beyond it, and no duplicate is to be reported (RFC 2883).
    pub repeats_last: bool,
    /// True if an acknowledgment is already delayed.
    pub waits: bool,
    /// Bytes of the segment.
    pub length: u64,
    /// Next byte expected after it.
    pub next: u64,
    /// True if something is held beyond a hole after it that selective acknowledgments report.
    pub holds: bool,
    /// True if any of it had arrived before.
    pub repeats: bool,
}

/// The acknowledgment rule of one receiver.
pub trait Acknowledging: Send {
    /// Time until which the acknowledgment may be delayed; `None` to send it at once.
    fn delay(&mut self, now: Time, arrival: Arrival) -> Option<Time>;
    /// Whether reports that wait are sent before a segment out of order is reported that lies apart from the two blocks reported first.
    /// They then go alone, and the rule is not asked about that segment; `next` is the next byte expected.
    fn reports_before(&mut self, _next: u64) -> bool {
        false
    }
    /// Segments that one acknowledgment of a long transfer covers.
    fn segments(&self) -> u64;
    /// True if the rule never delays an acknowledgment.
    fn is_at_once(&self) -> bool {
        false
    }
}

impl Family for dyn Acknowledging {
    const KIND: &'static str = "acknowledgment rule";
    /// The end system, which has the segment size and the receiver window.
    type Context = TcpConfig;
    fn models() -> &'static [Entry<Self>] {
        RULES
    }
}
