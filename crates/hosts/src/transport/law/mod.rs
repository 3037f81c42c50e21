//! Window laws: how the congestion window grows with acknowledgments and shrinks with losses.
//!
//! When a loss is noticed, and how it is repaired, is the business of a [loss recovery](super::recovery). Each law is a file of
//! [`flavor`](super::flavor); here are the trait, the classical law, and what several laws are made of.

mod accompanied;
mod arithmetic;
mod bandwidth;
mod changes;
mod classical;
mod facts;
mod hybrid_start;
mod hystart;
mod kernel;
mod known_rate;
mod measured_round;
mod model_rate;
mod round_trips;
mod rounds;

pub use accompanied::Accompanied;
pub use arithmetic::Arithmetic;
pub(super) use bandwidth::{RunningMaximum, WindowedMaximum};
pub use changes::Changes;
pub use classical::Classical;
pub use facts::{AfterLoss, LawFacts, Regrowth, ResponseToMarks, SlowStart};
pub(super) use hybrid_start::HybridStart;
pub(super) use hystart::HyStart;
pub use kernel::{Arrivals, JIFFIES_PER_SECOND, Phase, jiffies, jiffies_in, microseconds};
pub(super) use known_rate::KnownRate;
pub(super) use measured_round::MeasuredRound;
pub(super) use model_rate::ModelRate;
pub(super) use round_trips::RoundTrips;
pub(super) use rounds::Rounds;

use longfat_foundation::random::Stream;
use longfat_foundation::units::{Span, Time};

use super::pacing::PacingTimer;
use super::resume::Resumption;
use super::{Delivery, LostSegment, Window};

/// An acknowledgment of new data, as laws see it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Progress {
    /// Time of arrival.
    pub now: Time,
    /// Bytes newly acknowledged.
    pub acknowledged: u64,
    /// The round-trip sample, if there is one.
    pub sample: Option<Span>,
    /// The time that the acknowledged segment took to the receiver, in whole microseconds; only with timestamps.
    pub one_way_delay: Option<Span>,
    /// The smoothed round trip (`SRTT` of RFC 6298).
    pub smoothed_round_trip: Option<Span>,
    /// Whether segments are paced.
    pub is_paced: bool,
    /// First byte not acknowledged (`SND.UNA`).
    pub unacknowledged: u64,
    /// First byte never sent.
    pub highest: u64,
    /// Whether the window, rather than the application or the receiver, has limited the sender lately.
    pub window_is_used: bool,
    /// State of the loss recovery.
    pub phase: Phase,
}

/// The growth and reduction of one connection's window.
pub trait WindowLaw: Send {
    /// Whether the window grows by [`Window::grow_classically`] and nothing else: the law is then not called for every acknowledgment.
    fn grows_classically(&self) -> bool {
        false
    }
    /// Whether [`on_acknowledgment`](Self::on_acknowledgment) is to be called.
    fn grows_by_acknowledgments(&self) -> bool {
        true
    }
    /// Grows the window on an acknowledgment of new data outside of loss recovery.
    fn on_acknowledgment(&mut self, window: &mut Window, progress: &Progress);
    /// Sets threshold and window after duplicate acknowledgments have shown a loss, with `flight` bytes in flight.
    fn on_loss(&mut self, window: &mut Window, flight: u64);
    /// Whether [`observe_marks`](Self::observe_marks) is to be called.
    fn observes_marks(&self) -> bool {
        false
    }
    /// Counts marks: of `acknowledged` newly acknowledged bytes, queues have marked `marked`; all bytes below `unacknowledged` are
    /// acknowledged now, and all below `highest` were sent.
    fn observe_marks(&mut self, _acknowledged: u64, _marked: u64, _unacknowledged: u64, _highest: u64) {}
    /// [`on_loss`](Self::on_loss) in a window of data that marks have already reduced. Laws that respond to marks as to losses reduce the
    /// window only once for both (RFC 3168 section 6.1.2).
    fn on_loss_after_mark(&mut self, window: &mut Window, flight: u64) {
        self.on_loss(window, flight);
    }
    /// Responds to the first mark in a window of data, with `flight` bytes in flight: by default as to a loss (RFC 3168 section 6.1.2).
    fn on_mark(&mut self, window: &mut Window, flight: u64) {
        self.on_loss(window, flight);
    }
    /// Whether [`on_delivery`](Self::on_delivery) is to be called.
    fn observes_deliveries(&self) -> bool {
        false
    }
    /// Whether [`on_arrivals`](Self::on_arrivals) is to be called.
    fn observes_arrivals(&self) -> bool {
        false
    }
    /// Whether it uses the bytes delivered since a segment was sent, besides the round trip ([`Arrivals::delivered_since`]).
    fn counts_delivered(&self) -> bool {
        false
    }
    /// Takes note of an acknowledgment before recovery and growth respond to it.
    fn on_arrivals(&mut self, _window: &mut Window, _arrivals: &Arrivals) {}
    /// A recovery that has reduced the window is over (Linux, `CA_EVENT_COMPLETE_CWR`).
    fn on_recovered(&mut self, _window: &mut Window, _highest: u64) {}
    /// Takes a delivery-rate sample, the last step of processing an acknowledgment.
    fn on_delivery(&mut self, _window: &mut Window, _delivery: &Delivery) {}
    /// Records a segment that a recovery has found to be lost, before the delivery that has shown the loss.
    fn on_lost_segment(&mut self, _window: &mut Window, _lost: &LostSegment, _now: Time) {}
    /// Whether the law sends less than the path could carry at present, so that delivery rates do not show the path's bandwidth.
    fn sends_less_than_it_could(&self) -> bool {
        false
    }
    /// The application has data again after the connection was idle.
    fn on_restart_from_idle(&mut self, _now: Time) {}
    /// Whether a pause makes the window stale (RFC 5681 section 4.1); not if the law resumes at a measured rate.
    fn forgets_when_idle(&self) -> bool {
        true
    }
    /// The handshake has measured a round trip.
    fn on_opened(&mut self, _now: Time, _round_trip: Span) {}
    /// Sets the first window once the handshake is over, after [`on_opened`](Self::on_opened).
    fn set_first_window(&mut self, _window: &mut Window) {}
    /// Whether the law may have a pacing rate of its own.
    fn is_paced(&self) -> bool {
        self.observes_deliveries()
    }
    /// Pacing rate in bytes of data per second, if the law has one.
    fn pacing_rate(&mut self, _window: &Window) -> Option<f64> {
        None
    }
    /// Whether the law knows what to do with [`try_rate`](Self::try_rate).
    fn tries_rates(&self) -> bool {
        false
    }
    /// Tries a rate in bytes of data per second in slow start, because an earlier connection had it (RFC 9959 appendix C).
    fn try_rate(&mut self, _rate: f64) {}
    /// When the next segment may go at this rate, if the law has one.
    fn pacing_timer(&self) -> Option<PacingTimer> {
        None
    }
    /// Takes a random stream of the connection's own, before anything else, if the law draws numbers.
    fn take_chance(&mut self, _chance: &mut dyn FnMut() -> Stream) {}
    /// The rule of resumption beside the law, if there is one.
    fn resumption(&mut self) -> Option<&mut dyn Resumption> {
        None
    }
    /// Returns from a needless reduction to the window before it, of `before` bytes.
    fn on_undo(&mut self, window: &mut Window, before: f64) {
        window.set(window.cwnd.max(before));
    }
    /// Sets threshold and window when the retransmission timer has expired, with `flight` bytes in flight.
    fn on_timeout(&mut self, window: &mut Window, flight: u64);
}

#[cfg(test)]
mod conformance;
#[cfg(test)]
pub(super) mod test_support;
#[cfg(test)]
pub(super) use test_support::{with_defaults, written};
