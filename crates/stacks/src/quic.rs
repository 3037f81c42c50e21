//! QUIC as a model of the engine, with its window laws.

use std::sync::Arc;

use longfat_foundation::config::{AtLeastOne, Bytes, Gain, PositiveNumber, PositiveSpan};
use longfat_foundation::random::Stream;
use longfat_foundation::registry::{Chosen, Model};
use longfat_hosts::end_system::EndSystem;
use longfat_hosts::quic::{
    AckRules, Asked, AtReduction, Avoidance, Bundle, Burst, End, First, Marking, Pacing, Pair, Probe, Settings, Side,
    Window,
};
use longfat_hosts::transport::flavor::Flavor;
use longfat_hosts::transport::resume::Resumption;
use longfat_hosts::transport::slow_start::SlowStartExit;

use super::{Opener, Stack, control_name};

longfat_foundation::model! {
    /// QUIC with the loss recovery of RFC 9002 and any window law of the engine. Data are one stream in each direction; messages of sources
    /// that have some ("http") have a stream each. The handshake has the sizes of TLS 1.3 and no cryptography. In results, segments are packets with data, those sent again are packets with data that had been sent before,
    /// timeouts are probe timeouts, and fast retransmits are reductions for losses.
    #[name = "quic"]
    #[source = "RFC 9000; RFC 9001; RFC 9002"]
    pub struct Quic: dyn Stack {
        /// Whom it follows where RFC 9002 leaves a choice, or quinn takes a liberty: sets `window`, `burst`, `probe`, `at_reduction`,
        /// `avoidance`, `first` and `pacing`.
        r#as: Bundle = "rfc-9002" or ["quinn"],
        /// Window law. Of the flavor only the law counts: losses are those of RFC 9002.
        flavor: Chosen<dyn Flavor> = "newreno" or ["cubic"],
        /// Rule that ends slow start, beside the threshold and losses.
        slow_start_exit: Chosen<dyn SlowStartExit> = "by-flavor",
        /// How a connection uses what was learned of its path before (RFC 9959).
        resume: Chosen<dyn Resumption> = "none",
        /// Bytes behind the UDP header of a full packet (RFC 9000 section 14).
        packet_size: Bytes = "1200 B" or ["1452 B"],
        /// End that opens the connection.
        opened_by: Opener = "sender" or ["receiver"],
        /// The client sends data in its first flight, as to a server that it knows (RFC 9001 section 4.6). Only with `opened_by = "sender"`.
        zero_round_trip: bool = "false" or ["true"],
        /// Initial congestion window (RFC 9002 section 7.2).
        initial_window: Bytes = "12000 B",
        /// The window that lets another packet go.
        window: Window = "by-bundle",
        /// Packets that a reduction lets go beyond the window.
        at_reduction: AtReduction = "by-bundle",
        /// Linear growth of flavors that grow by a packet per round trip, as "newreno" does.
        avoidance: Avoidance = "by-bundle" or ["shares", "windows"],
        /// First effect of an acknowledgment that shows losses too.
        first: First = "by-bundle" or ["losses", "growth"],
        /// How packets are spread over a round trip (RFC 9002 section 7.7).
        pacing: Pacing = "by-bundle" or ["none"],
        /// Windows per round trip at which packets are paced (N of RFC 9002 section 7.7).
        pacing_gain: Gain = "1.25",
        /// Packets that may leave together where packets are paced.
        burst: Burst = "by-bundle",
        /// Round trip that is assumed before one is measured (RFC 9002 section 6.2.2).
        initial_round_trip: PositiveSpan = "333 ms",
        /// Packets that must be acknowledged beyond one that is taken for lost (RFC 9002 section 6.1.1).
        packet_threshold: AtLeastOne = "3",
        /// Round trips after which a packet is taken for lost, if a later one was acknowledged (RFC 9002 section 6.1.2).
        time_threshold: PositiveNumber = "1.125",
        /// Probe timeouts between two lost packets for which congestion is persistent (RFC 9002 section 7.6).
        persistent_congestion_threshold: AtLeastOne = "3",
        /// Contents of a probe where there is no new data.
        probe: Probe = "by-bundle",
        /// Packets that must be acknowledged for one acknowledgment (RFC 9000 section 13.2.2).
        acknowledged_packets: AtLeastOne = "2",
        /// Longest delay of an acknowledgment (RFC 9000 section 18.2, max_ack_delay).
        longest_acknowledgment_delay: PositiveSpan = "25 ms",
        /// Most ranges of packet numbers in an acknowledgment (RFC 9000 section 13.2.3).
        acknowledged_ranges: AtLeastOne = "64",
        /// Packets by which others must overtake a missing one to be acknowledged at once; 1 is any disorder (RFC 9000 section 13.2.1).
        reordering_threshold: AtLeastOne = "1",
        /// Each end asks the other for the rules of the next three settings, once the handshake is over (draft-ietf-quic-ack-frequency-10).
        acknowledgment_frequency: bool = "false" or ["true"],
        /// Packets for one acknowledgment that are asked for.
        asked_packets: AtLeastOne = "10",
        /// Longest delay that is asked for.
        asked_delay: PositiveSpan = "25 ms",
        /// Packets of reordering that are asked for.
        asked_reordering: AtLeastOne = "3",
        /// ECN codepoint of packets (RFC 9000 section 13.4). "ect-1" is for laws that respond to the share of marks.
        codepoint: Marking = "none" or ["ect-0", "ect-1"],
        /// Data that the receiver lets the sender of a stream send beyond what its application has read (RFC 9000 section 4.1).
        stream_window: Bytes = "1250000 B",
        /// Data that the receiver lets the sender send on all streams together, beyond what its application has read.
        connection_window: Bytes = "10000000 B",
        /// Streams that the end which asks may have open at once (RFC 9000 section 4.6): 100 at least, by RFC 9114 section 6.1. When more than an
        /// eighth of them are over, it may open as many again, as with quinn-proto 0.11.19.
        streams: AtLeastOne = "100",
        /// Size of the client's first message.
        client_hello: Bytes = "300 B",
        /// Size of the server's messages, mostly certificates.
        server_flight: Bytes = "3000 B",
    }
    build(config, _context) { Box::new(config.clone()) }
    objections(config, _context) {
        let within = |key: &'static str, own: Vec<(&'static str, String)>| {
            own.into_iter().map(move |(name, message)| (key, format!("{name}: {message}")))
        };
        let mut objections: Vec<_> = within("flavor", config.flavor.objections(&())).collect();
        objections.extend(within("slow_start_exit", config.slow_start_exit.objections(&())));
        objections.extend(within("resume", config.resume.objections(&())));
        let packet = config.packet_size.0;
        if !(LEAST_PACKET..=LARGEST_PACKET).contains(&packet) {
            let range = format!("from {LEAST_PACKET} B (RFC 9000 section 14) to {LARGEST_PACKET} B");
            objections.push(("packet_size", format!("{packet} B is no size of a packet; {range}")));
        }
        if config.zero_round_trip && config.opened_by == Opener::Receiver {
            let message = "true, but the receiver opens the connection and only the client sends early data; false, or opened_by = \"sender\"";
            objections.push(("zero_round_trip", message.into()));
        }
        if config.initial_window.0 < 2 * packet {
            let message = format!("{} B is no window; at least 2 packets, {} B (RFC 9002 section 7.2)", config.initial_window.0, 2 * packet);
            objections.push(("initial_window", message));
        }
        for (key, bytes) in [("client_hello", config.client_hello.0), ("server_flight", config.server_flight.0)] {
            if !(LEAST_MESSAGE..=LARGEST_MESSAGE).contains(&bytes) {
                let message = format!("{bytes} B is no size for a handshake; from {LEAST_MESSAGE} B to {LARGEST_MESSAGE} B");
                objections.push((key, message));
            }
        }
        for (key, bytes) in [("stream_window", config.stream_window.0), ("connection_window", config.connection_window.0)] {
            if bytes >= LARGEST_WINDOW {
                objections.push((key, format!("{bytes} B is no window; at most 2^60 B")));
            }
        }
        objections
    }
}

/// Smallest packet that every path carries (RFC 9000 section 14).
const LEAST_PACKET: u64 = 1200;

/// Largest packet: the length of a long header is written in two bytes (RFC 9000 section 16).
const LARGEST_PACKET: u64 = 16_383;

/// Range of the handshake's messages: a hello of the server, and what implementations keep out of order.
const LEAST_MESSAGE: u64 = 100;
const LARGEST_MESSAGE: u64 = 16_000;

/// Offsets stay below 2^62 (RFC 9000 section 16).
const LARGEST_WINDOW: u64 = 1 << 60;

impl Quic {
    #[expect(clippy::cast_possible_truncation, reason = "a count of at most 100,000")]
    fn settings(&self) -> Settings {
        Settings {
            packet_bytes: self.packet_size.0,
            client_hello: self.client_hello.0,
            server_flight: self.server_flight.0,
            has_early_data: self.zero_round_trip,
            initial_round_trip: self.initial_round_trip.0,
            packet_threshold: self.packet_threshold.0,
            time_threshold: self.time_threshold.0,
            persistent_congestion_threshold: self.persistent_congestion_threshold.0,
            probe: self.probe.settled(self.r#as),
            acknowledging: AckRules {
                threshold: self.acknowledged_packets.0,
                longest_delay: self.longest_acknowledgment_delay.0,
                reordering: self.reordering_threshold.0,
                most_ranges: self.acknowledged_ranges.0 as usize,
            },
            asked: self.acknowledgment_frequency.then_some(Asked {
                packets: self.asked_packets.0,
                delay: self.asked_delay.0,
                reordering: self.asked_reordering.0,
            }),
            flavor: self.flavor.clone(),
            slow_start_exit: self.slow_start_exit.clone(),
            resume: self.resume.clone(),
            initial_window: self.initial_window.0,
            window: self.window.settled(self.r#as),
            at_reduction: self.at_reduction.settled(self.r#as),
            avoidance: self.avoidance.settled(self.r#as),
            first: self.first.settled(self.r#as),
            pacing: self.pacing.settled(self.r#as),
            pacing_gain: self.pacing_gain.0,
            burst: self.burst.settled(self.r#as),
            marking: self.codepoint,
            stream_window: self.stream_window.0,
            connection_window: self.connection_window.0,
            streams: self.streams.0,
        }
    }
}

impl Quic {
    /// Both ends of connections.
    pub(crate) fn pair(&self) -> Pair {
        Pair { name: format!("quic-{}", control_name(&self.flavor)), settings: Arc::new(self.settings()) }
    }

    /// The stack with that end as the one that opens.
    pub(crate) fn opened_as(&self, opened_by: Opener) -> Self {
        Self { opened_by, zero_round_trip: self.zero_round_trip && opened_by == Opener::Sender, ..self.clone() }
    }

    /// The stack with full packets of that size.
    pub(crate) fn with_packets_of(&self, packet_size: Bytes) -> Self {
        Self { packet_size, ..self.clone() }
    }

    /// Errors of these settings within those of another model, where they are called `key`.
    pub(crate) fn objections_as(&self, key: &'static str) -> Vec<(&'static str, String)> {
        let own = Model::<dyn Stack>::objections(self, &());
        own.into_iter().map(|(name, message)| (key, format!("{name}: {message}"))).collect()
    }
}

impl Stack for Quic {
    fn ends(&self, chance: Stream) -> Option<[Box<dyn EndSystem>; 2]> {
        let pair = self.pair();
        let near = if self.opened_by == Opener::Sender { Side::Client } else { Side::Server };
        Some([near, near.other()].map(|side| Box::new(pair.end(side, &chance)) as Box<dyn EndSystem>))
    }

    fn opener(&self) -> Opener {
        self.opened_by
    }

    fn within(&self, bytes: u64) -> Option<Box<dyn Stack>> {
        let stream_window = Bytes(self.stream_window.0.min(bytes));
        let connection_window = Bytes(self.connection_window.0.min(bytes));
        Some(Box::new(Self { stream_window, connection_window, ..self.clone() }))
    }

    fn largest_packet(&self) -> u64 {
        self.packet_size.0
    }

    fn flavor(&self) -> Option<Box<dyn Flavor>> {
        Some(self.flavor.build(&()))
    }

    fn connection_bytes(&self) -> u64 {
        2 * size_of::<End>() as u64
    }
}
