//! Loss recoveries: how a sender detects a loss, and what it sends until the loss is repaired.
//!
//! The mechanism ([`Connection`]) owns sequence numbers and timers, the [window law](super::law) says how far the window is
//! reduced; a recovery decides when, and what may be sent meanwhile. To add one: a file here with a [`model!`](longfat_foundation::model), a
//! `mod` line, and its name in the list of [`flavor`](super::flavor).

mod guard;
mod newreno;
mod newreno_rfc6582;
mod rack_tlp;
mod rack_tlp_linux;
mod rate_reduction;
mod reno;
mod sack;
mod sack_rfc6675;
mod tahoe;
mod vanilla;

pub use newreno::NewReno;
pub use newreno_rfc6582::NewRenoRfc6582;
pub use rack_tlp::RackTlp;
pub use rack_tlp_linux::RackTlpLinux;
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

/// Effects of an acknowledgment of new data on window and timer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Response {
    /// True if the window law may increase the window.
    pub window_may_grow: bool,
    /// True if the retransmission timer is restarted.
    pub timer_restarts: bool,
    /// Bytes for which the window grows, if not those newly acknowledged.
    pub counted: Option<u64>,
}

impl Response {
    /// Outside recovery.
    pub const NORMAL: Self = Self { window_may_grow: true, timer_restarts: true, counted: None };
    /// During recovery, and at its end.
    pub const RECOVERING: Self = Self { window_may_grow: false, timer_restarts: true, counted: None };
}

/// The response to a loss indicated by duplicate acknowledgments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResponseToDuplicates {
    /// None: losses are detected by timeouts alone.
    None,
    /// Fast retransmit, then slow start from one segment.
    SlowStart,
    /// Fast retransmit, then fast recovery with the reduced window.
    FastRecovery,
}

/// The loss recovery of one connection.
///
/// It is bypassed while there is nothing to repair (the fast path, "header prediction", Jacobson 1990):
/// [`on_acknowledgment`](Self::on_acknowledgment) is called only while it [is recovering](Self::is_recovering). New data sent outside
/// recovery, with no duplicate acknowledgments since the latest one of new data and nothing to retransmit, is limited by the window alone,
/// without [`next`](Self::next) and [`on_send`](Self::on_send). A selective recovery also misses [`take_in`](Self::take_in) for an
/// acknowledgment that only reports new data after another of this kind, while no data is known to have arrived beyond a hole. A recovery
/// that [is told of everything](Self::is_told_of_everything) is called for every acknowledgment and every segment.
pub trait Recovery: Send {
    /// Response to duplicate acknowledgments.
    fn response_to_duplicates(&self) -> ResponseToDuplicates;

    /// True if it may send beyond the window that the receiver advertises, as the literal PIPE of 98-0876R1 does (T-33).
    fn may_exceed_receiver_window(&self) -> bool {
        false
    }
    /// True if it needs selective acknowledgments.
    fn is_selective(&self) -> bool {
        false
    }

    /// True if receivers must report duplicates (D-SACK, RFC 2883).
    fn reports_duplicates(&self) -> bool {
        false
    }

    /// True if it is called for every acknowledgment and segment, even with nothing to repair.
    fn is_told_of_everything(&self) -> bool {
        false
    }

    /// True if it sends new data at the first two duplicates itself; for the others, limited transmit does.
    fn transmits_early(&self) -> bool {
        false
    }

    /// Rule for ssthresh after a loss where the scenario leaves it to the flavor; the default is that of the papers (T-05).
    fn threshold_rule(&self) -> ThresholdRule {
        ThresholdRule::AsPrinted
    }

    /// True if a loss is being repaired.
    fn is_recovering(&self) -> bool {
        false
    }

    /// True if it has segments to retransmit without go-back-N.
    fn has_to_send_again(&self, _connection: &Connection) -> bool {
        false
    }

    /// Allocated memory in bytes.
    fn memory_bytes(&self) -> usize {
        0
    }

    /// True if it knows when each segment was sent, and so the [round trip](Self::newest_round_trip) of each.
    fn measures_segments(&self) -> bool {
        false
    }

    /// Round trip of the segment sent last of those that the latest acknowledgment reports; `None` if that was sent before.
    fn newest_round_trip(&self) -> Option<Span> {
        None
    }

    /// Estimate of the bytes in the network; after a timeout, the bytes sent since.
    fn in_flight(&self, connection: &Connection) -> u64 {
        connection.next() - connection.unacknowledged()
    }

    /// Handles an acknowledgment of new data without blocks, before the connection has advanced, as [`take_in`](Self::take_in) and
    /// [`on_acknowledgment`](Self::on_acknowledgment) would. `None`, with nothing done, unless all in flight was sent once, nothing is
    /// missing and no probe is out. Only for recoveries that are told of everything.
    fn go_on(&mut self, _now: Time, _connection: &Connection, _acknowledgment: &Acknowledgment) -> Option<Response> {
        None
    }

    /// Processes the SACK blocks of an acknowledgment, if it needs them. Returns true if an acknowledgment without new data counts as a
    /// duplicate.
    fn take_in(&mut self, _now: Time, _connection: &mut Connection, _acknowledgment: &Acknowledgment) -> bool {
        true
    }

    /// Records the round trip measured by the handshake.
    fn on_opened(&mut self, _now: Time, _round_trip: Span) {}

    /// Handles the `connection.duplicates`-th duplicate acknowledgment in a row.
    fn on_duplicate(&mut self, _now: Time, _connection: &mut Connection) {}

    /// Handles an acknowledgment of `bytes` bytes of new data, after the connection has advanced its left edge.
    fn on_acknowledgment(&mut self, _now: Time, _connection: &mut Connection, _bytes: u64) -> Response {
        Response::NORMAL
    }

    /// Handles an expiry of the retransmission timer, after the connection has gone back (go-back-N).
    fn on_timeout(&mut self, _now: Time, _connection: &mut Connection) {}

    /// Handles a reduction of the window for a mark, from `before` bytes; by default it takes effect at once.
    fn on_reduction_for_mark(&mut self, _connection: &mut Connection, _before: f64) {}

    /// Handles a reduction by the window law alone, from `before` bytes; by default it takes effect at once.
    fn on_back_off(&mut self, _connection: &mut Connection, _before: f64) {}

    /// Time at which [`on_wake`](Self::on_wake) must be called; used only if it is called for everything.
    fn wakes(&self, _connection: &Connection) -> Option<Time> {
        None
    }

    /// Handles the wake-up that [`wakes`](Self::wakes) has requested.
    fn on_wake(&mut self, _now: Time, _connection: &mut Connection) {}

    /// Tells of the segments newly detected as lost since the last call, if it tracks segments individually.
    fn tell_lost(&mut self, _tell: &mut dyn FnMut(Piece)) {}

    /// Next piece to send.
    fn next(&self, connection: &Connection) -> Option<Piece> {
        connection.next_within(connection.window.usable())
    }

    /// Records that `piece` is about to be sent.
    fn on_send(&mut self, _now: Time, _connection: &mut Connection, _piece: Piece) {}
}

impl Family for dyn Recovery {
    const KIND: &'static str = "loss recovery";
    type Context = ();
    fn models() -> &'static [Entry<Self>] {
        super::flavor::RECOVERIES
    }
}
