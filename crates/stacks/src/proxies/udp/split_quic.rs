//! QUIC split at proxies: three connections in a row.

use longfat_foundation::measure::SendLimit;
use longfat_foundation::random::Stream;
use longfat_foundation::units::Time;
use longfat_hosts::end_system::{EndSystem, Parcel};
use longfat_hosts::quic::End;
use longfat_hosts::transport::ReceivedBytes;
use longfat_hosts::transport::flavor::Flavor;

use super::{Connection, Relay, Relayed, Side, UdpProxies};
use crate::Stack;
use crate::quic::Quic;

longfat_foundation::model! {
    /// Proxies end connections of stack "quic" and begin the next, each with its own congestion control, losses and flow control. They hold the
    /// keys of both, as a host that trusts them gives them. A proxy forwards what it has received in order; flow control keeps the rest away
    /// once its buffer is full. Other packets over UDP pass.
    #[name = "split-quic"]
    #[source = "RFC 3135 section 2.4; RFC 9000 section 4"]
    pub struct SplitQuic: dyn UdpProxies {
        /// The QUIC between the proxies. Who opens it is as with the connection itself.
        quic: Quic = "{}",
    }
    build(config, _context) { Box::new(config.clone()) }
    objections(config, _context) { config.quic.objections_as("quic") }
}

impl UdpProxies for SplitQuic {
    fn relayed(&self, connection: &Connection<'_>, chance: &dyn Fn(&str) -> Stream) -> Option<Relayed> {
        let stack = connection.stack?;
        let [near_host, near_proxy] = stack.within(connection.buffer)?.ends(chance("leg-1"))?;
        let own = self.quic.opened_as(stack.opener()).within(connection.buffer)?;
        let [near_line, far_line] = own.ends(chance("leg-2"))?;
        let [far_proxy, far_host] = stack.ends(chance("leg-3"))?;
        let proxy = |host, line| Box::new(Split::new(host, line)) as Box<dyn Relay>;
        let relays = [proxy(near_proxy, near_line), proxy(far_proxy, far_line)];
        Some(Relayed { ends: Some([near_host, far_host]), relays })
    }

    fn objection(&self, connection: &Connection<'_>) -> Option<String> {
        let stack = connection.stack?;
        if stack.within(connection.buffer).is_none() {
            return Some("splits connections of stack \"quic\" alone; that stack, or udp = \"pass\"".into());
        }
        let least = 2 * stack.largest_packet().max(self.largest_packet());
        (connection.buffer < least).then(|| {
            format!("a buffer of {} B is too small for QUIC; at least two packets, {least} B", connection.buffer)
        })
    }

    fn carries_streams(&self) -> bool {
        false
    }

    fn largest_packet(&self) -> u64 {
        self.quic.largest_packet()
    }

    fn flavor(&self) -> Option<Box<dyn Flavor>> {
        self.quic.flavor()
    }

    fn connection_bytes(&self) -> u64 {
        4 * size_of::<End>() as u64
    }
}

/// A proxy between two connections.
struct Split {
    ends: [Box<dyn EndSystem>; 2],
    /// Bytes that each end has handed to the other.
    forwarded: [u64; 2],
    has_begun: bool,
    most_kept: u64,
}

impl Split {
    fn new(host: Box<dyn EndSystem>, line: Box<dyn EndSystem>) -> Self {
        let mut ends = [host, line];
        ends.iter_mut().for_each(|end| end.hold(0));
        Self { ends, forwarded: [0; 2], has_begun: false, most_kept: 0 }
    }

    /// Hands what one end has delivered to the other, and reads no more than the buffer then has room for.
    fn forward(&mut self, now: Time) {
        for from in 0..2 {
            let delivered = self.ends[from].progress().delivered;
            let new = delivered - self.forwarded[from];
            if new > 0 {
                self.forwarded[from] = delivered;
                self.ends[1 - from].offer(now, new);
            }
            let kept = delivered - self.ends[1 - from].acknowledged();
            self.ends[from].hold(kept);
            self.most_kept = self.most_kept.max(kept + self.ends[from].progress().held);
        }
    }
}

impl Relay for Split {
    fn receive(&mut self, now: Time, from: Side, parcel: Parcel) -> ReceivedBytes {
        if !std::mem::replace(&mut self.has_begun, true) {
            self.ends.iter_mut().for_each(|end| end.begin(now));
        }
        let brought = self.ends[from as usize].receive(now, parcel);
        self.forward(now);
        brought
    }

    fn expire(&mut self, now: Time) {
        for end in &mut self.ends {
            if end.expires().is_some_and(|due| due <= now) {
                end.expire(now);
            }
        }
    }

    fn transmit(&mut self, now: Time) -> Option<(Side, Parcel)> {
        let line = self.ends[Side::Line as usize].transmit(now).map(|parcel| (Side::Line, parcel));
        line.or_else(|| self.ends[Side::Host as usize].transmit(now).map(|parcel| (Side::Host, parcel)))
    }

    /// Before the first packet a proxy knows of no connection.
    fn expires(&mut self) -> Option<Time> {
        self.ends.iter_mut().filter(|_| self.has_begun).filter_map(|end| end.expires()).min()
    }

    fn limit(&self, to: Side) -> SendLimit {
        self.ends[to as usize].limit()
    }

    fn most_kept(&self) -> Option<u64> {
        Some(self.most_kept)
    }

    fn memory_bytes(&self) -> usize {
        size_of::<Self>() + self.ends.iter().map(|end| end.memory_bytes()).sum::<usize>()
    }
}
