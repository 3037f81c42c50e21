//! Window laws: how the congestion window grows with acknowledgments and shrinks with losses.
//!
//! When a loss is noticed, and how it is repaired, is the business of a [loss recovery](super::recovery). Each law is a file of
//! [`flavor`](super::flavor); here are the trait, the classical law, and what several laws are made of.

mod bandwidth;
mod classical;
mod facts;
mod hystart;
mod measured_round;
mod model_rate;
mod rounds;

pub(super) use bandwidth::WindowedMaximum;
pub use classical::Classical;
pub use facts::{AfterLoss, LawFacts, Regrowth, ResponseToMarks, SlowStart};
pub(super) use hystart::HyStart;
pub(super) use measured_round::MeasuredRound;
pub(super) use model_rate::ModelRate;
pub(super) use rounds::Rounds;

use longfat_foundation::random::Stream;
use longfat_foundation::units::{Span, Time};

use super::{Delivery, LostSegment, Window};

/// What an acknowledgment of new data tells a law.
#[derive(Clone, Copy, Debug, Default)]
pub struct Progress {
    /// When it has come.
    pub now: Time,
    /// Bytes that it is the first to acknowledge.
    pub acknowledged: u64,
    /// The round trip that it measures, if it measures one.
    pub sample: Option<Span>,
    /// If segments carry timestamps: how long the segment that it answers took to the receiver, in whole microseconds.
    pub one_way_delay: Option<Span>,
    /// The average of the round trips measured so far (`SRTT` of RFC 6298).
    pub smoothed_round_trip: Option<Span>,
    /// Whether segments leave at a rate.
    pub is_paced: bool,
    /// First byte not acknowledged, now.
    pub unacknowledged: u64,
    /// First byte never sent.
    pub highest: u64,
    /// Whether it was the window that has kept data back lately, and not the application or the receiver.
    pub window_is_used: bool,
}

/// The growth and reduction of one connection's window.
pub trait WindowLaw: Send {
    /// Whether the window grows as [`Window::grow_classically`] says and the law takes note of nothing else: then it is not told of each
    /// acknowledgment.
    fn grows_classically(&self) -> bool {
        false
    }
    /// An acknowledgment of new data has come, outside of loss recovery.
    fn on_acknowledgment(&mut self, window: &mut Window, progress: &Progress);
    /// Duplicate acknowledgments show a loss while `flight` bytes are under way: sets threshold and window.
    fn on_loss(&mut self, window: &mut Window, flight: u64);
    /// Whether it wants to know how many bytes were marked, and how many were not.
    fn observes_marks(&self) -> bool {
        false
    }
    /// If so: an acknowledgment of `acknowledged` bytes of new data says that `marked` bytes were marked by queues; all below
    /// `unacknowledged` is acknowledged now, all below `highest` was sent.
    fn observe_marks(&mut self, _acknowledged: u64, _marked: u64, _unacknowledged: u64, _highest: u64) {}
    /// As [`on_loss`](Self::on_loss), for a loss in a window of data that marks have already reduced. Where they reduce it as a loss does,
    /// both together do so once (RFC 3168 section 6.1.2).
    fn on_loss_after_mark(&mut self, window: &mut Window, flight: u64) {
        self.on_loss(window, flight);
    }
    /// Marks show congestion while `flight` bytes are under way, for the first time in this window of data: as a loss does, unless the
    /// law is another (RFC 3168 section 6.1.2).
    fn on_mark(&mut self, window: &mut Window, flight: u64) {
        self.on_loss(window, flight);
    }
    /// Whether it goes by deliveries: then every acknowledgment tells of them.
    fn observes_deliveries(&self) -> bool {
        false
    }
    /// An acknowledgment has told of deliveries, after all else that it does.
    fn on_delivery(&mut self, _window: &mut Window, _delivery: &Delivery) {}
    /// A segment was found to be lost, before the delivery is told that has shown it, by a recovery that knows segment by segment.
    fn on_lost_segment(&mut self, _window: &mut Window, _lost: &LostSegment, _now: Time) {}
    /// Whether it has less sent than the path could carry, so that deliveries tell nothing of the path.
    fn sends_less_than_it_could(&self) -> bool {
        false
    }
    /// The application hands over data again when nothing is under way.
    fn on_restart_from_idle(&mut self, _now: Time) {}
    /// Whether a pause leaves its window stale (RFC 5681 section 4.1): not if it goes on at a rate that it has measured.
    fn forgets_when_idle(&self) -> bool {
        true
    }
    /// The opening of the connection has measured a round trip.
    fn on_opened(&mut self, _now: Time, _round_trip: Span) {}
    /// Whether it may have a rate of its own: all that go by deliveries.
    fn is_paced(&self) -> bool {
        self.observes_deliveries()
    }
    /// Bytes of data per second at which segments leave, if the law has a rate of its own.
    fn pacing_rate(&mut self, _window: &Window) -> Option<f64> {
        None
    }
    /// Before all else: the connection's own chance, for laws that draw.
    fn take_chance(&mut self, _chance: &mut dyn FnMut() -> Stream) {}
    /// The retransmission timer has expired while `flight` bytes were under way: sets threshold and window.
    fn on_timeout(&mut self, window: &mut Window, flight: u64);
}

#[cfg(test)]
mod conformance;
#[cfg(test)]
pub(super) mod test_support;
#[cfg(test)]
pub(super) use test_support::{with_defaults, written};
