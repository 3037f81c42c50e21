//! A tunnel of MASQUE: packets over UDP in datagrams of a QUIC between the proxies.

use std::collections::VecDeque;

use longfat_foundation::config::Bytes;
use longfat_foundation::measure::SendLimit;
use longfat_foundation::random::Stream;
use longfat_foundation::units::Time;
use longfat_hosts::end_system::{EndSystem, Parcel};
use longfat_hosts::quic::{End, Side as Role, largest_datagram};
use longfat_hosts::transport::flavor::Flavor;
use longfat_hosts::transport::{Codepoint, ReceivedBytes};

use super::{Connection, Relay, Relayed, Side, UdpProxies};
use crate::quic::Quic;
use crate::{Opener, Stack};

longfat_foundation::model! {
    /// Proxies carry the packets of each connection over UDP in DATAGRAM frames of a QUIC connection of their own, which is not split: hosts keep
    /// their congestion control, and that of the tunnel comes on top. A lost datagram is not sent again.
    #[name = "connect-udp"]
    #[source = "RFC 9298 (CONNECT-UDP); RFC 9297 section 2.1; RFC 9221"]
    pub struct ConnectUdp: dyn UdpProxies {
        /// The QUIC between the proxies. Who opens it is as with the connection itself.
        quic: Quic = "{}",
        /// Bytes behind the UDP header of a full packet between the proxies, in place of `quic.packet_size`: more than hosts send.
        packet_size: Bytes = "1452 B",
        /// Bytes of datagrams that wait at each proxy while window and pacing let none go; what exceeds them is dropped (RFC 9221 section 5.4
        /// lets a sender do either). By default as much as quinn 0.11 keeps.
        queue: Bytes = "1 MiB",
        /// Window and pacing of the tunnel hold datagrams back. Only where the proxies know for certain that the traffic within has a
        /// congestion control of its own may they not (RFC 9298 section 6).
        congestion_control: bool = "true" or ["false"],
    }
    build(config, _context) { Box::new(config.clone()) }
    objections(config, _context) { config.line().objections_as("quic") }
}

/// Bytes of an HTTP Datagram before a packet: the number of its request's stream, a quarter of 0, and the context 0 of packets (RFC 9297 section
/// 2.1, RFC 9298 section 5).
const HTTP_BYTES: u64 = 2;

impl ConnectUdp {
    /// The QUIC between the proxies.
    fn line(&self) -> Quic {
        self.quic.with_packets_of(self.packet_size)
    }
}

impl UdpProxies for ConnectUdp {
    fn relayed(&self, connection: &Connection<'_>, chance: &dyn Fn(&str) -> Stream) -> Option<Relayed> {
        let opener = connection.stack.map_or(Opener::Sender, Stack::opener);
        let pair = self.line().pair();
        let near = if opener == Opener::Sender { Role::Client } else { Role::Server };
        let chance = chance("tunnel");
        let proxy = |role| {
            let mut line = pair.end(role, &chance);
            if !self.congestion_control {
                line.exempt_datagrams();
            }
            Box::new(Tunnel::new(line, self.queue.0)) as Box<dyn Relay>
        };
        Some(Relayed { ends: None, relays: [near, near.other()].map(proxy) })
    }

    fn objection(&self, connection: &Connection<'_>) -> Option<String> {
        if connection.stack.is_some_and(|stack| !stack.is_over_udp()) {
            return Some(
                "carries UDP, and the stack of a connection is a TCP of its own; another stack, or udp = \"pass\""
                    .into(),
            );
        }
        let (largest, packet) = (connection.largest + HTTP_BYTES, self.packet_size.0);
        let missing = largest.saturating_sub(largest_datagram(packet));
        if missing > 0 {
            let least = packet + missing;
            return Some(format!(
                "packets of {} B do not fit the tunnel's of {packet} B; packet_size of {least} B at least",
                connection.largest
            ));
        }
        (self.queue.0 < largest)
            .then(|| format!("a queue of {} B has no room for a packet; at least {largest} B", self.queue.0))
    }

    fn largest_packet(&self) -> u64 {
        self.packet_size.0
    }

    fn flavor(&self) -> Option<Box<dyn Flavor>> {
        self.quic.flavor()
    }

    fn connection_bytes(&self) -> u64 {
        2 * size_of::<End>() as u64
    }
}

/// An end of a tunnel.
struct Tunnel {
    line: End,
    queue: u64,
    has_begun: bool,
    to_host: VecDeque<Parcel>,
    taken: u64,
    dropped: u64,
    handed_out: u64,
}

impl Tunnel {
    fn new(line: End, queue: u64) -> Self {
        Self { line, queue, has_begun: false, to_host: VecDeque::new(), taken: 0, dropped: 0, handed_out: 0 }
    }

    /// Puts a host's packet into the queue, if there is room.
    fn enqueue(&mut self, parcel: &Parcel) {
        let length = parcel.length + HTTP_BYTES;
        self.taken += 1;
        if self.line.waiting_datagram_bytes() + length > self.queue {
            self.dropped += 1;
        } else {
            self.line.send_datagram(length, packed(parcel));
        }
    }
}

impl Relay for Tunnel {
    fn receive(&mut self, now: Time, from: Side, parcel: Parcel) -> ReceivedBytes {
        if !std::mem::replace(&mut self.has_begun, true) {
            self.line.begin(now);
        }
        if from == Side::Host {
            self.enqueue(&parcel);
            return ReceivedBytes { new: parcel.length, ..ReceivedBytes::default() };
        }
        self.line.receive(now, parcel);
        let mut new = 0;
        while let Some(parcel) = self.line.take_datagram().as_deref().and_then(unpacked) {
            new += parcel.length;
            self.to_host.push_back(parcel);
        }
        ReceivedBytes { new, ..ReceivedBytes::default() }
    }

    fn expire(&mut self, now: Time) {
        self.line.expire(now);
    }

    fn transmit(&mut self, now: Time) -> Option<(Side, Parcel)> {
        if let Some(parcel) = self.to_host.pop_front() {
            self.handed_out += 1;
            return Some((Side::Host, parcel));
        }
        self.line.transmit(now).map(|parcel| (Side::Line, parcel))
    }

    /// Before the first packet a proxy knows of no connection.
    fn expires(&mut self) -> Option<Time> {
        if self.has_begun { self.line.expires() } else { None }
    }

    fn limit(&self, to: Side) -> SendLimit {
        if to == Side::Line { self.line.limit() } else { SendLimit::NoData }
    }

    #[expect(clippy::cast_possible_wrap, reason = "far less than 2^63 packets")]
    fn datagrams_inside(&self) -> i64 {
        self.taken as i64 - (self.dropped + self.line.datagrams_lost() + self.handed_out) as i64
    }

    fn memory_bytes(&self) -> usize {
        size_of::<Self>() + self.line.memory_bytes() + self.to_host.capacity() * size_of::<Parcel>()
    }
}

/// Numbers before the contents of a packet.
const WORDS: usize = 3;

/// A packet as the other proxy has to know it. Its ECN codepoint stays behind.
fn packed(parcel: &Parcel) -> Vec<u8> {
    let words = [parcel.length, parcel.number, parcel.sent.0];
    let mut packed: Vec<u8> = words.iter().flat_map(|word| word.to_be_bytes()).collect();
    packed.extend(&parcel.contents);
    packed
}

fn unpacked(packed: &[u8]) -> Option<Parcel> {
    let (words, contents) = packed.split_at_checked(8 * WORDS)?;
    let word =
        |index: usize| words[8 * index..8 * (index + 1)].iter().fold(0, |word, byte| word << 8 | u64::from(*byte));
    let (length, number, sent) = (word(0), word(1), Time(word(2)));
    Some(Parcel { length, number, sent, codepoint: Codepoint::NotCapable, contents: contents.to_vec() })
}
