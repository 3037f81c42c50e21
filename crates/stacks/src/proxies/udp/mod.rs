//! Treatment of connections over UDP by proxies.
//!
//! To add one: a file here with a [`model!`](longfat_foundation::model), a `mod` line and a line in [`UDP_PROXIES`].

mod connect_udp;
mod pass;
mod split_quic;
#[cfg(test)]
mod tests;

use longfat_foundation::measure::SendLimit;
use longfat_foundation::random::Stream;
use longfat_foundation::registry::{Entry, Family};
use longfat_foundation::units::Time;
use longfat_hosts::end_system::{EndSystem, Parcel};
use longfat_hosts::transport::ReceivedBytes;
use longfat_hosts::transport::flavor::Flavor;

use crate::Stack;

/// Every registered kind.
pub const UDP_PROXIES: &[Entry<dyn UdpProxies>] =
    &[Entry::of::<pass::Pass>(), Entry::of::<split_quic::SplitQuic>(), Entry::of::<connect_udp::ConnectUdp>()];

/// The side of a proxy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Towards the host.
    Host,
    /// Towards the other proxy, over the bottleneck.
    Line,
}

/// A proxy of one connection. As an [`EndSystem`] it has no clock: after each call the network sends what [`transmit`](Self::transmit) gives.
pub trait Relay: Send {
    /// A packet arrives from a side. Returns the bytes of data that it brought.
    fn receive(&mut self, now: Time, from: Side, parcel: Parcel) -> ReceivedBytes;
    /// The timer is due.
    fn expire(&mut self, now: Time);
    /// Next packet to send now, and to which side, if there is one.
    fn transmit(&mut self, now: Time) -> Option<(Side, Parcel)>;
    /// When its timer is due.
    fn expires(&mut self) -> Option<Time>;
    /// The limit that keeps it from sending more to a side.
    fn limit(&self, to: Side) -> SendLimit;
    /// Datagrams of hosts that it has taken in, less those that it has handed out or that are lost beyond it.
    fn datagrams_inside(&self) -> i64 {
        0
    }
    /// The most bytes that it has kept of the data of either direction, if it keeps any.
    fn most_kept(&self) -> Option<u64> {
        None
    }
    /// Bytes that are allocated.
    fn memory_bytes(&self) -> usize;
}

/// A connection with proxies: that of the near host comes first.
pub struct Relayed {
    /// Its ends at the hosts, if they are others than without proxies.
    pub ends: Option<[Box<dyn EndSystem>; 2]>,
    /// The proxies.
    pub relays: [Box<dyn Relay>; 2],
}

/// A connection over UDP, as proxies see it.
pub struct Connection<'a> {
    /// Its stack; `None` for plain datagrams.
    pub stack: Option<&'a dyn Stack>,
    /// Bytes of its largest packet.
    pub largest: u64,
    /// Bytes of data that a proxy may keep in each direction.
    pub buffer: u64,
}

/// Treatment of connections over UDP by proxies.
pub trait UdpProxies: Send + Sync {
    /// The proxies of a connection; `None` if its packets pass as they are. `chance` gives each part of it a random stream.
    fn relayed(&self, connection: &Connection<'_>, chance: &dyn Fn(&str) -> Stream) -> Option<Relayed>;
    /// Why a connection cannot have them, if it cannot.
    fn objection(&self, _connection: &Connection<'_>) -> Option<String> {
        None
    }
    /// True if a connection may have streams beside its one in each direction.
    fn carries_streams(&self) -> bool {
        true
    }
    /// Bytes behind the UDP header of the largest packet that proxies send of their own; 0 if they send none.
    fn largest_packet(&self) -> u64 {
        0
    }
    /// The flavor of what proxies send to each other, if they have a congestion control.
    fn flavor(&self) -> Option<Box<dyn Flavor>> {
        None
    }
    /// Bytes that the proxies of a connection take when it begins.
    fn connection_bytes(&self) -> u64 {
        0
    }
}

impl Family for dyn UdpProxies {
    const KIND: &'static str = "kind of proxies for UDP";
    type Context = ();
    const NOTHING: Option<&'static str> = Some("pass");
    fn models() -> &'static [Entry<Self>] {
        UDP_PROXIES
    }
}
