//! The plug of an end system: all that a network sees of a transport whose packets it carries as they are.
//!
//! TCP is one ([`ends`](crate::transport::ends)), plain UDP another ([`datagrams`](crate::datagrams)); QUIC and stacks that were written elsewhere
//! are others. An end system has no clock and no sockets. The network hands it bytes of the application, packets and the times of its timer, and
//! after each of these sends what [`transmit`](EndSystem::transmit) gives until there is nothing more.

use longfat_foundation::measure::SendLimit;
use longfat_foundation::units::{Span, Time};

use crate::outside::Outside;
use crate::quic::{Kind, Packet};
use crate::transport::resume::Resumption;
use crate::transport::{Codepoint, ReceivedBytes, SenderStatistics};

/// An end of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The end with the source of the connection.
    Near,
    /// The end that takes its data.
    Far,
}

/// The packets of a kind of end system.
pub trait Packets {
    /// A packet as it leaves one end.
    type Leaving;
    /// A packet as it reaches the other.
    type Arriving<'a>;
    /// Number by which packets of a direction are told apart; `None` for packets that only open a connection.
    fn number(packet: &Self::Arriving<'_>) -> Option<u64>;
}

/// Packets that are bytes behind a UDP header.
pub struct Parcels;

impl Packets for Parcels {
    type Leaving = Parcel;
    type Arriving<'a> = Parcel;

    fn number(packet: &Parcel) -> Option<u64> {
        Some(packet.number)
    }
}

/// A packet of an end system over UDP, as it leaves or arrives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parcel {
    /// Bytes behind the UDP header.
    pub length: u64,
    /// Number among the packets of its direction, from 0; of an answer, that of the packet that it answers.
    pub number: u64,
    /// Time of transmission; of an answer, that of the packet that it answers.
    pub sent: Time,
    /// ECN field of its IP header.
    pub codepoint: Codepoint,
    /// Contents, as far as the other end reads them.
    pub contents: Vec<u8>,
}

/// Data of an application that goes on a stream of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message {
    /// Number of the stream, from 1 in the order of the requests that open them. An answer has that of its request.
    pub stream: u64,
    /// Its size.
    pub bytes: u64,
    /// True if it takes turns with others that do; otherwise all of it goes before what is on later streams (RFC 9218 sections 4.2 and 10).
    pub takes_turns: bool,
}

/// An end's account of itself, in bytes of the application where nothing else is said.
#[derive(Clone, Copy, Debug, Default)]
pub struct Progress {
    /// Handed over by its application; `u64::MAX` for data without end.
    pub offered: u64,
    /// Delivered to its application in order.
    pub delivered: u64,
    /// Received beyond a hole.
    pub held: u64,
    /// End of the furthest byte received.
    pub received_to: u64,
    /// Counters of its sender.
    pub sent: SenderStatistics,
}

/// Limit and next wake-up of an end that sends.
#[derive(Clone, Copy, Debug)]
pub struct Waiting {
    /// When its timer is due.
    pub expires: Option<Time>,
    /// Limit that keeps it from sending more.
    pub limit: SendLimit,
    /// True if that timer makes it send again what may be lost; false for one of pacing, and for the pause before a delayed retransmission.
    pub has_timer: bool,
}

/// Account of a sender of its path and its window, as far as it gives one.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Vitals {
    /// Congestion window in bytes.
    pub window: Option<f64>,
    /// Slow start threshold in bytes; infinite if there is none yet.
    pub threshold: Option<f64>,
    /// Bytes in flight.
    pub flight: Option<f64>,
    /// Latest round trip; the smoothed one, if it tells no other.
    pub round_trip: Option<Span>,
    /// Smoothed round trip.
    pub smoothed_round_trip: Option<Span>,
    /// Retransmission or probe timeout, with its backoff.
    pub timeout: Option<Span>,
}

/// Direction of a packet at an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// It leaves.
    Sent,
    /// It arrives.
    Received,
}

/// One end of a connection whose packets are `P`.
pub trait EndSystem<P: Packets = Parcels>: Send {
    /// Name of the transport and its congestion control in results.
    fn name(&self) -> String;
    /// The connection begins.
    fn begin(&mut self, _now: Time) {}
    /// The application hands over `bytes` more; `u64::MAX` for data without end.
    fn offer(&mut self, now: Time, bytes: u64);
    /// True if messages may each have a stream of their own ([`send`](Self::send)).
    fn has_streams(&self) -> bool {
        false
    }
    /// The application sends a message: on a stream that it opens with it, or on which a whole message has arrived.
    fn send(&mut self, _now: Time, _message: Message) {}
    /// The next stream on which a message has arrived whole, once.
    fn take_whole(&mut self) -> Option<u64> {
        None
    }
    /// Bytes that its application can no longer put anything before: those that were sent, or that a stack has taken over.
    fn committed(&self) -> u64 {
        self.progress().offered
    }
    /// The application stops: data without end ends with what was sent.
    fn withdraw(&mut self, _now: Time) {}
    /// A packet arrives. Returns the bytes of the application that it brought.
    fn receive(&mut self, now: Time, packet: P::Arriving<'_>) -> ReceivedBytes;
    /// The timer is due.
    fn expire(&mut self, _now: Time) {}
    /// Next packet to send now, if any.
    fn transmit(&mut self, now: Time) -> Option<P::Leaving>;
    /// When its timer is due.
    fn expires(&mut self) -> Option<Time> {
        None
    }
    /// The limit that keeps it from sending more.
    fn limit(&self) -> SendLimit {
        SendLimit::NoData
    }
    /// Its limit with its timer. It has one that makes it send again as long as it has something to send, if it does not know better.
    fn waits(&mut self) -> Waiting {
        let limit = self.limit();
        Waiting { expires: self.expires(), limit, has_timer: limit != SendLimit::NoData }
    }
    /// Sets the bytes that were delivered and not read by its application: flow control lets the other end send so much less. No effect on
    /// ends whose application reads at once.
    fn hold(&mut self, _unread: u64) {}
    /// Bytes that the other end has acknowledged, from the beginning on, where it is told.
    fn acknowledged(&self) -> u64 {
        0
    }
    /// The rule of resumption of what it sends, if there is one.
    fn resumption(&mut self) -> Option<&mut dyn Resumption> {
        None
    }
    /// Its account of itself.
    fn progress(&self) -> Progress;
    /// Its account of its path and its window.
    fn vitals(&self) -> Vitals {
        Vitals::default()
    }
    /// The QUIC packets of a datagram, with their sizes: none, if it is not QUIC. Asked for every datagram of a watched run, and for none of
    /// others.
    fn packets(&mut self, _parcel: &Parcel, _direction: Direction) -> Vec<(Packet, u64)> {
        Vec::new()
    }
    /// QUIC packets that it has taken for lost when it last received a packet or its timer was due, as far as it tells, once.
    fn take_lost(&mut self) -> Vec<(Kind, u64)> {
        Vec::new()
    }
    /// Restarts the peaks of its counters.
    fn count_anew(&mut self) {}
    /// Bytes that are allocated.
    fn memory_bytes(&self) -> usize;
    /// The end of a program outside, if it is one.
    fn outside(&mut self) -> Option<&mut Outside> {
        None
    }
}
