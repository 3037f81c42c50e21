//! quinn, a QUIC stack, in virtual time.

mod end;
mod law;
mod messages;
mod plain_text;
mod surroundings;

use std::sync::Arc;
use std::time::Duration;

use longfat_foundation::config::{AtLeastOne, Bytes, PositiveNumber, PositiveSpan};
use longfat_foundation::random::Stream;
use longfat_foundation::registry::Chosen;
use longfat_foundation::units::Span;
use longfat_hosts::end_system::EndSystem;
use longfat_hosts::quic::{Avoidance, Settings};
use longfat_hosts::transport::flavor::Flavor;
use longfat_hosts::transport::law::ResponseToMarks;
use quinn_proto::congestion::{ControllerFactory, CubicConfig, NewRenoConfig};
use quinn_proto::{AckFrequencyConfig, IdleTimeout, MtuDiscoveryConfig, TransportConfig, VarInt};

use super::{Opener, Stack, control_name};
use end::{Pair, Side};
use law::Laws;
use plain_text::Sizes;
use surroundings::Clock;

longfat_foundation::choice! {
    /// Congestion control of quinn.
    pub enum Controller {
        /// RFC 9438.
        Cubic = "cubic",
        /// RFC 9002 section 7.
        NewReno = "new-reno",
        /// The window law of the engine that `flavor` names.
        Flavor = "flavor",
    }
}

longfat_foundation::choice! {
    /// Release of the stack whose code runs.
    pub enum Release {
        /// quinn-proto 0.11.19.
        Release01119 = "0.11.19",
    }
}

longfat_foundation::model! {
    /// quinn, a QUIC stack in use: its own code decides what is sent when, over the network of the scenario. Data are one stream in each
    /// direction; messages of sources that have some ("http") have a stream each. The handshake has the sizes of TLS 1.3 and no cryptography. Round trips in results are its smoothed estimates, segments its packets with
    /// data, and those sent again packets with data that had been sent before; it does not tell its probe timeouts, which are counted as none.
    /// Its BBR is missing: it draws from the system's randomness, so that no two runs would be the same. Laws of the engine may take the place of
    /// its congestion control.
    #[name = "quinn"]
    #[source = "quinn-proto 0.11.19, github.com/quinn-rs/quinn"]
    pub struct Quinn: dyn Stack {
        /// Release of quinn-proto.
        release: Release = "0.11.19",
        /// Congestion control.
        congestion_control: Controller = "cubic" or ["new-reno"],
        /// Window law, with `congestion_control = "flavor"`. quinn paces it by its window, whatever rate it has.
        flavor: Chosen<dyn Flavor> = "newreno",
        /// Initial congestion window.
        initial_window: Bytes = "12000 B",
        /// End that opens the connection.
        opened_by: Opener = "sender" or ["receiver"],
        /// Round trip that is assumed before one is measured (RFC 9002 section 6.2.2).
        initial_round_trip: PositiveSpan = "333 ms",
        /// Packets that must be acknowledged beyond one that is taken for lost (RFC 9002 section 6.1.1).
        packet_threshold: AtLeastOne = "3",
        /// Round trips after which a packet is taken for lost, if a later one was acknowledged (RFC 9002 section 6.1.2).
        time_threshold: PositiveNumber = "1.125",
        /// Probe timeouts without an acknowledgment after which congestion is persistent (RFC 9002 section 7.6).
        persistent_congestion_threshold: AtLeastOne = "3",
        /// Bytes behind the UDP header of the first packets.
        initial_mtu: Bytes = "1200 B",
        /// Bytes behind the UDP header of the largest packets that are tried (RFC 8899); none are, if as `initial_mtu`.
        largest_mtu: Bytes = "1452 B",
        /// Data that the receiver lets the sender of a stream send beyond what its application has read.
        stream_window: Bytes = "1250000 B",
        /// Data that the sender keeps until they are acknowledged.
        send_window: Bytes = "10000000 B",
        /// Streams that the end which asks may have open at once (RFC 9000 section 4.6).
        streams: AtLeastOne = "100",
        /// The receiver is asked to acknowledge more rarely, by the extension for acknowledgment frequency.
        acknowledgment_frequency: bool = "false" or ["true"],
        /// Packets use ECN, if the path lets its marks through.
        ecn: bool = "true" or ["false"],
        /// A connection on which nothing has arrived for so long ends; "0 s" for never.
        idle_timeout: Span = "30 s",
        /// Size of the client's first message.
        client_hello: Bytes = "300 B",
        /// Size of the server's messages, mostly certificates.
        server_flight: Bytes = "3000 B",
    }
    build(config, _context) { Box::new(config.clone()) }
    objections(config, _context) {
        let (first, largest) = (config.initial_mtu.0, config.largest_mtu.0);
        let mut objections = Vec::new();
        let is_read = config.congestion_control == Controller::Flavor;
        if !is_read && config.flavor.name() != DEFAULT_FLAVOR {
            let message = format!("\"{}\" is not read; congestion_control = \"flavor\" reads it", config.flavor.name());
            objections.push(("flavor", message));
        } else if is_read && matches!(config.flavor.build(&()).facts().marks, ResponseToMarks::ByShare(_)) {
            let message = format!("\"{}\" goes by the share of marks, which quinn does not tell a congestion control", config.flavor.name());
            objections.push(("flavor", message));
        }
        if !(LEAST_PACKET..=LARGEST_PACKET).contains(&first) {
            let range = format!("from {LEAST_PACKET} B (RFC 9000 section 14) to {LARGEST_PACKET} B");
            objections.push(("initial_mtu", format!("{first} B is no size of the first packets; {range}")));
        } else if !(first..=LARGEST_PACKET).contains(&largest) {
            let range = format!("from initial_mtu, {first} B, to {LARGEST_PACKET} B");
            objections.push(("largest_mtu", format!("{largest} B is no size of the largest packets; {range}")));
        }
        for (key, bytes) in [("client_hello", config.client_hello.0), ("server_flight", config.server_flight.0)] {
            if bytes > LARGEST_MESSAGE {
                objections.push((key, format!("{bytes} B is too long for a handshake; at most {LARGEST_MESSAGE} B")));
            }
        }
        for (key, bytes) in [("stream_window", config.stream_window.0), ("initial_window", config.initial_window.0)] {
            if bytes > VarInt::MAX.into_inner() {
                objections.push((key, format!("{bytes} B is more than QUIC counts; at most 2^62 - 1 B")));
            }
        }
        objections
    }
}

/// Smallest packet that every path carries (RFC 9000 section 14).
const LEAST_PACKET: u64 = 1200;

/// Largest packet (RFC 9000 section 18.2).
const LARGEST_PACKET: u64 = 65_527;

/// Largest handshake message: quinn keeps 16 KiB that arrive out of order.
const LARGEST_MESSAGE: u64 = 16_000;

/// The flavor of a connection that does not read it.
const DEFAULT_FLAVOR: &str = "newreno";

impl Quinn {
    /// Settings of an end with this clock, and randomness of its law.
    #[expect(clippy::cast_possible_truncation, reason = "checked against the ranges of these fields")]
    fn transport(&self, clock: Clock, chance: Stream) -> TransportConfig {
        let mut config = TransportConfig::default();
        let controller: Arc<dyn ControllerFactory + Send + Sync> = match self.congestion_control {
            Controller::Cubic => {
                let mut cubic = CubicConfig::default();
                cubic.initial_window(self.initial_window.0);
                Arc::new(cubic)
            }
            Controller::NewReno => {
                let mut new_reno = NewRenoConfig::default();
                new_reno.initial_window(self.initial_window.0);
                Arc::new(new_reno)
            }
            Controller::Flavor => {
                let window = Settings::window_of(self.initial_mtu.0, self.initial_window.0, Avoidance::Shares);
                Arc::new(Laws { flavor: self.flavor.clone(), window, clock, chance })
            }
        };
        let largest = (self.largest_mtu.0 > self.initial_mtu.0).then(|| {
            let mut discovery = MtuDiscoveryConfig::default();
            discovery.upper_bound(self.largest_mtu.0 as u16);
            discovery
        });
        let idle = VarInt::from_u64(self.idle_timeout.0 / PICOSECONDS_PER_MILLISECOND).unwrap_or(VarInt::MAX);
        config
            .congestion_controller_factory(controller)
            .initial_rtt(duration(self.initial_round_trip.0))
            .packet_threshold(self.packet_threshold.0 as u32)
            .time_threshold(self.time_threshold.0 as f32)
            .persistent_congestion_threshold(self.persistent_congestion_threshold.0 as u32)
            .initial_mtu(self.initial_mtu.0 as u16)
            .mtu_discovery_config(largest)
            .stream_receive_window(VarInt::from_u64(self.stream_window.0).unwrap_or(VarInt::MAX))
            .send_window(self.send_window.0)
            .max_concurrent_bidi_streams(VarInt::from_u64(self.streams.0).unwrap_or(VarInt::MAX))
            .ack_frequency_config(self.acknowledgment_frequency.then(AckFrequencyConfig::default))
            .max_idle_timeout((self.idle_timeout > Span::ZERO).then(|| IdleTimeout::from(idle)))
            .allow_spin(false)
            .enable_segmentation_offload(false);
        config
    }
}

/// Picoseconds in a millisecond, the unit of an idle timeout.
const PICOSECONDS_PER_MILLISECOND: u64 = 1_000_000_000;

/// Time in the nanoseconds of the stack's clock, rounded down.
fn duration(span: Span) -> Duration {
    Duration::from_nanos(span.0 / 1000)
}

impl Stack for Quinn {
    #[expect(clippy::cast_possible_truncation, reason = "checked to be short")]
    fn ends(&self, chance: Stream) -> Option<[Box<dyn EndSystem>; 2]> {
        let sizes = Sizes { client_hello: self.client_hello.0 as usize, server_flight: self.server_flight.0 as usize };
        let name = match self.congestion_control {
            Controller::Cubic => "quinn-cubic".to_owned(),
            Controller::NewReno => "quinn-new-reno".to_owned(),
            Controller::Flavor => format!("quinn-flavor-{}", control_name(&self.flavor)),
        };
        let pair = Pair { name, quinn: self, sizes, uses_ecn: self.ecn };
        let near = if self.opened_by == Opener::Sender { Side::Client } else { Side::Server };
        Some([near, near.other()].map(|side| Box::new(pair.end(side, &chance)) as Box<dyn EndSystem>))
    }

    fn opener(&self) -> Opener {
        self.opened_by
    }

    fn largest_packet(&self) -> u64 {
        self.largest_mtu.0
    }

    fn flavor(&self) -> Option<Box<dyn Flavor>> {
        (self.congestion_control == Controller::Flavor).then(|| self.flavor.build(&()))
    }

    fn connection_bytes(&self) -> u64 {
        2 * end::STACK_BYTES as u64
    }
}
