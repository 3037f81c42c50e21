//! Ends of slow start: rules that end it before packets are lost, whatever the window law.
//!
//! A rule accompanies a law ([`Accompanied`](super::law::Accompanied)): the law grows the window, the rule watches and sets the threshold.
//! To add a rule: a file here with a [`model!`](longfat_foundation::model), a `mod` line and a line in [`EXITS`].

mod by_flavor;
mod hystart;
mod hystart_plus_plus;
mod search;

use longfat_foundation::registry::{Entry, Family};

use super::Window;
use super::law::{Arrivals, Progress};

/// Every registered rule.
pub const EXITS: &[Entry<dyn SlowStartExit>] = &[
    Entry::of::<by_flavor::ByFlavor>(),
    Entry::of::<hystart_plus_plus::HyStartPlusPlus>(),
    Entry::of::<hystart::HyStartOfLinux>(),
    Entry::of::<search::Search>(),
];

/// The rule of one connection.
pub trait SlowStartExit: Send {
    /// Whether the rule measures every acknowledgment, in recovery too, through [`on_arrivals`](Self::on_arrivals).
    fn observes_arrivals(&self) -> bool {
        false
    }
    /// Takes an acknowledgment before recovery and growth respond to it, in slow start or not.
    fn on_arrivals(&mut self, _window: &mut Window, _arrivals: &Arrivals) {}
    /// Most bytes of one acknowledgment that slow start counts.
    fn most_counted(&self, _window: &Window, _progress: &Progress) -> u64 {
        u64::MAX
    }
    /// The share of the law's growth that slow start has at present.
    fn share_of_growth(&self) -> f64 {
        1.0
    }
    /// Takes an acknowledgment in slow start after the window has grown; sets the threshold to the window if slow start is over.
    fn on_growth(&mut self, _window: &mut Window, _progress: &Progress) {}
    /// A loss or a mark has reduced the window.
    fn on_reduction(&mut self) {}
    /// The timer has expired: another slow start begins.
    fn on_timeout(&mut self) {}
    /// The application has data again after the connection was idle.
    fn on_restart_from_idle(&mut self) {}
}

impl Family for dyn SlowStartExit {
    const KIND: &'static str = "end of slow start";
    type Context = ();
    const NOTHING: Option<&'static str> = Some("by-flavor");
    fn models() -> &'static [Entry<Self>] {
        EXITS
    }
}
