//! Resumption: how a new connection uses what was learned of its path before.
//!
//! A rule accompanies a window law ([`Accompanied`](super::law::Accompanied)). To add one: a file here with a
//! [`model!`](longfat_foundation::model), a `mod` line and a line in [`RESUMPTIONS`].

mod careful;
mod none;

use longfat_foundation::registry::{Entry, Family};
use longfat_foundation::units::{Span, Time};

use super::law::Progress;
use super::{Delivery, Window};

/// Every registered rule.
pub const RESUMPTIONS: &[Entry<dyn Resumption>] = &[Entry::of::<none::None>(), Entry::of::<careful::CarefulResume>()];

/// Parameters saved of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Saved {
    /// Bytes that the path carried in a round trip.
    pub cwnd: u64,
    /// Its least round trip.
    pub rtt: Span,
    /// When that was observed.
    pub at: Time,
}

/// The latest word of a connection on what is saved of its path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    /// Time of the observation or the deletion.
    pub at: Time,
    /// Parameters saved; `None` if they were deleted.
    pub saved: Option<Saved>,
}

/// The rule of one connection.
pub trait Resumption: Send {
    /// True if it uses what earlier connections of the run have observed, and observes for later ones.
    fn learns(&self) -> bool {
        false
    }
    /// Takes what is saved of its path, when the connection begins.
    fn know(&mut self, _saved: Saved) {}
    /// Its latest word on what is saved.
    fn memory(&self) -> Option<Memory> {
        None
    }
    /// True if it uses what is saved at present, or may do so yet: one connection at a time does (RFC 9959 section 3.2).
    fn uses_saved(&self) -> bool {
        false
    }
    /// The handshake has measured a round trip.
    fn on_opened(&mut self, _now: Time, _round_trip: Span) {}
    /// Takes an acknowledgment of new data outside of loss recovery, before the window grows.
    fn on_acknowledgment(&mut self, _progress: &Progress) {}
    /// Takes an acknowledgment after everything else has handled it.
    fn on_delivery(&mut self, _window: &mut Window, _delivery: &Delivery) {}
    /// Takes an acknowledgment in place of [`on_delivery`](Self::on_delivery) beside a law that goes by delivery rates; returns the rate that it is to
    /// try, in bytes of data per second, when it is time.
    fn known_rate(&mut self, _window: &Window, _delivery: &Delivery) -> Option<f64> {
        None
    }
    /// Whether cwnd stays as it is when new data is acknowledged: in the unvalidated phase and the safe retreat.
    fn holds_window(&self) -> bool {
        false
    }
    /// A loss or a mark is about to reduce the window; sets it to what the path has proved to carry.
    fn before_reduction(&mut self, _window: &mut Window) {}
    /// The law has reduced the window.
    fn after_reduction(&mut self, _window: &mut Window) {}
    /// The timer has expired.
    fn on_timeout(&mut self) {}
    /// Rate at which segments are sent at present, in bytes of data per second, in place of any other.
    fn pacing_rate(&self) -> Option<f64> {
        None
    }
}

impl Family for dyn Resumption {
    const KIND: &'static str = "resumption";
    type Context = ();
    const NOTHING: Option<&'static str> = Some("none");
    fn models() -> &'static [Entry<Self>] {
        RESUMPTIONS
    }
}
