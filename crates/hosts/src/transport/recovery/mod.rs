//! Loss recoveries: how a sender notices a loss, and what it sends until the loss is repaired.
//!
//! The mechanism ([`Connection`]) owns sequence numbers and timers, the [window law](super::law) says how far the window is
//! reduced; a recovery decides when, and what may be sent meanwhile. To add one: a file here with a [`model!`](longfat_foundation::model), a
//! `mod` line, and its name in the list of [`flavor`](super::flavor).

mod guard;
mod newreno;
mod newreno_rfc6582;
mod rack_tlp;
mod rate_reduction;
mod reno;
mod sack;
mod sack_rfc6675;
mod tahoe;
mod vanilla;

pub use newreno::NewReno;
pub use newreno_rfc6582::NewRenoRfc6582;
pub use rack_tlp::RackTlp;
pub use reno::Reno;
pub use sack::Sack;
pub use sack_rfc6675::{Reduction, SackRfc6675};
pub use tahoe::Tahoe;
pub use vanilla::Vanilla;

use longfat_foundation::registry::{Entry, Family};
use longfat_foundation::units::{Span, Time};

use super::connection::{Connection, DUPLICATE_THRESHOLD};
use super::segment::Piece;
use super::{Acknowledgment, ThresholdRule};

/// What happens besides at an acknowledgment of new data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Response {
    /// Whether the window law may let the window grow.
    pub window_may_grow: bool,
    /// Whether the retransmission timer starts anew.
    pub timer_restarts: bool,
}

impl Response {
    /// Outside of recovery.
    pub const NORMAL: Self = Self { window_may_grow: true, timer_restarts: true };
    /// During recovery, and at its end.
    pub const RECOVERING: Self = Self { window_may_grow: false, timer_restarts: true };
}

/// The response to duplicate acknowledgments that show a loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResponseToDuplicates {
    /// None: losses show by timeouts alone.
    None,
    /// Fast retransmit, then slow start from one segment.
    SlowStart,
    /// Fast retransmit, then fast recovery with the reduced window.
    FastRecovery,
}

/// The loss recovery of one connection.
///
/// It has no say while nothing is to be repaired: [`on_acknowledgment`](Self::on_acknowledgment) is heard only while it
/// [is recovering](Self::is_recovering), and new data that is sent then, with no duplicate acknowledgments since the last one of new
/// data and nothing to be sent again, is neither asked for by [`next`](Self::next) nor told by [`on_send`](Self::on_send): the window
/// lets it go. Nearly all segments are of that kind, which is why BSD has a way of its own for them too ("header prediction", Jacobson
/// 1990). Where they are selective, an acknowledgment that tells of new data alone after another one like it, while nothing is known to have
/// arrived beyond a hole, is not told by [`take_in`](Self::take_in) either. One that [is told of everything](Self::is_told_of_everything) hears of all that is acknowledged and sent.
pub trait Recovery: Send {
    /// The response to duplicate acknowledgments.
    fn response_to_duplicates(&self) -> ResponseToDuplicates;

    /// Whether it needs selective acknowledgments.
    fn is_selective(&self) -> bool {
        false
    }

    /// Whether it wants receivers to report what has arrived twice (RFC 2883).
    fn reports_duplicates(&self) -> bool {
        false
    }

    /// Whether it is told of everything, though nothing is to be repaired.
    fn is_told_of_everything(&self) -> bool {
        false
    }

    /// Whether it sends new data at the first duplicates by itself, as limited transmit does for the others.
    fn transmits_early(&self) -> bool {
        false
    }

    /// How a loss sets the threshold where the scenario leaves it to the flavor: as the papers print it (T-05).
    fn threshold_rule(&self) -> ThresholdRule {
        ThresholdRule::AsPrinted
    }

    /// Whether a loss is being repaired.
    fn is_recovering(&self) -> bool {
        false
    }

    /// Whether it knows of segments that are to be sent again, though the connection does not go back to them.
    fn has_to_send_again(&self, _connection: &Connection) -> bool {
        false
    }

    /// Bytes that are allocated.
    fn memory_bytes(&self) -> usize {
        0
    }

    /// Bytes in the network, as far as it knows: after a timeout what was sent since.
    fn in_flight(&self, connection: &Connection) -> u64 {
        connection.next() - connection.unacknowledged()
    }

    /// If it needs selective acknowledgments: takes in what one says beyond its number; tells whether it counts as a duplicate if its number is not new.
    fn take_in(&mut self, _now: Time, _connection: &mut Connection, _acknowledgment: &Acknowledgment) -> bool {
        true
    }

    /// The opening of the connection has measured a round trip.
    fn on_opened(&mut self, _now: Time, _round_trip: Span) {}

    /// An acknowledgment has told nothing new, the `connection.duplicates`-th in a row.
    fn on_duplicate(&mut self, _now: Time, _connection: &mut Connection) {}

    /// `bytes` of new data are acknowledged; the connection's left edge has moved already.
    fn on_acknowledgment(&mut self, _now: Time, _connection: &mut Connection, _bytes: u64) -> Response {
        Response::NORMAL
    }

    /// The retransmission timer has expired; the connection has gone back already.
    fn on_timeout(&mut self, _now: Time, _connection: &mut Connection) {}

    /// When it wants to be woken by [`on_wake`](Self::on_wake), if it is told of everything.
    fn wakes(&self, _connection: &Connection) -> Option<Time> {
        None
    }

    /// The time of [`wakes`](Self::wakes) has come.
    fn on_wake(&mut self, _now: Time, _connection: &mut Connection) {}

    /// Segments that it has come to take for lost since it was asked last, if it knows them one by one.
    fn take_lost(&mut self) -> Vec<Piece> {
        Vec::new()
    }

    /// What may be sent next.
    fn next(&self, connection: &Connection) -> Option<Piece> {
        connection.next_within(connection.window.usable())
    }

    /// A piece is about to be sent.
    fn on_send(&mut self, _now: Time, _connection: &mut Connection, _piece: Piece) {}
}

impl Family for dyn Recovery {
    const KIND: &'static str = "loss recovery";
    type Context = ();
    fn models() -> &'static [Entry<Self>] {
        super::flavor::RECOVERIES
    }
}
