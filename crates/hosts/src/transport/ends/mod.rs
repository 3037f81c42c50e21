//! The ends of a connection over TCP, as plugs of the network ([`EndSystem`](crate::end_system::EndSystem)).

mod receiving;
mod room;
mod sending;
#[cfg(test)]
mod tests;

pub use receiving::Receiving;
pub use sending::Sending;

use longfat_foundation::units::Time;

use super::{Acknowledgment, Codepoint, TcpConfig, TickClock};
use crate::end_system::Packets;
use room::Room;

/// The packets of TCP.
pub struct Segments;

impl Packets for Segments {
    type Leaving = Leaving;
    type Arriving<'a> = Arriving<'a>;

    #[inline(always)]
    fn number(packet: &Arriving<'_>) -> Option<u64> {
        match packet.signal {
            Signal::Data { sequence, .. } => Some(sequence),
            Signal::Acknowledgment(acknowledgment) => Some(acknowledgment.next),
            Signal::Synchronize { .. } | Signal::Synchronized { .. } => None,
        }
    }
}

/// Contents of a packet; `A` is an acknowledgment, or a reference to one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal<A> {
    /// Data.
    Data {
        /// First byte.
        sequence: u64,
        /// Number of bytes.
        length: u64,
        /// Time of transmission, as a timestamp would carry it.
        sent: Time,
        /// True if it announces a reduction of the window for a mark (CWR).
        reduced: bool,
    },
    /// An acknowledgment.
    Acknowledgment(A),
    /// A SYN.
    Synchronize {
        /// Time of transmission.
        sent: Time,
    },
    /// A SYN-ACK.
    Synchronized {
        /// Time of transmission of the SYN that it answers.
        sent: Time,
    },
}

/// A packet as it leaves.
#[derive(Clone, Copy, Debug)]
pub struct Leaving {
    /// Contents.
    pub signal: Signal<Acknowledgment>,
    /// ECN field of the IP header.
    pub codepoint: Codepoint,
    /// Size of the TCP options.
    pub option_bytes: u64,
    /// True for a retransmission.
    pub again: bool,
    /// Window field, where the receiver's window changes.
    pub window: Option<u16>,
}

/// A packet as it arrives.
#[derive(Clone, Copy, Debug)]
pub struct Arriving<'a> {
    /// Contents.
    pub signal: Signal<&'a Acknowledgment>,
    /// ECN field of the IP header.
    pub codepoint: Codepoint,
    /// Window field; meaningless where the receiver's window does not change.
    pub window: u16,
}

/// The ends of a connection. If its data end at a proxy, that has `room` for so many bytes and advertises what is left.
#[must_use]
pub fn ends(tcp: &TcpConfig, clock: TickClock, room: Option<u64>) -> (Sending, Receiving) {
    let room = room.map(|bytes| Room::of(tcp, bytes));
    let sending = Sending::new(tcp, clock, room.as_ref());
    let receiving = Receiving::new(tcp, sending.sender().receiver(tcp), room);
    (sending, receiving)
}
