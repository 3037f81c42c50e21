//! Split TCP: proxies that terminate a connection and open the next.

use longfat_foundation::config::Bytes;
use longfat_foundation::registry::Chosen;

use longfat_hosts::transport::acknowledging::Acknowledging;
use longfat_hosts::transport::flavor::Flavor;
use longfat_hosts::transport::pacing::Pacing;
use longfat_hosts::transport::{
    CongestionNotification, CongestionWindowLimit, InitialThreshold, InitialWindow, SlowStartGrowth, TcpConfig,
    WindowScale,
};

use super::Proxies;
use super::udp::UdpProxies;

longfat_foundation::section! {
    /// TCP settings of the leg over the bottleneck; the others are those of its connection.
    pub struct LegTcp {
        /// Congestion control, with its own threshold rule.
        pub flavor: Option<Chosen<dyn Flavor>> = "as-others",
        /// The largest window that the receiving proxy advertises; its buffer may have less room.
        pub receiver_window: Option<Bytes> = "as-others",
        /// Congestion window of a new leg.
        pub initial_window: Option<InitialWindow> = "as-others",
        /// Slow start threshold of a new leg.
        pub initial_ssthresh: Option<InitialThreshold> = "as-others",
        /// Upper bound of the congestion window.
        pub cwnd_limit: Option<CongestionWindowLimit> = "as-others",
        /// Growth of the window in slow start.
        pub slow_start_growth: Option<SlowStartGrowth> = "as-others",
        /// Whether segments are paced.
        pub pacing: Option<Chosen<dyn Pacing>> = "as-others",
        /// ECN mechanism of the two ends of the leg.
        pub ecn: Option<CongestionNotification> = "as-others",
        /// When the receiving proxy sends acknowledgments.
        pub acknowledgments: Option<Chosen<dyn Acknowledging>> = "as-others",
        /// Whether the leg begins with a handshake. Proxies that keep connections open between them need none.
        pub handshake: Option<bool> = "as-others",
    }
}

longfat_foundation::model! {
    /// A proxy before each end of the bottleneck splits every connection into three TCP connections in a row, each with its own windows,
    /// timers and losses. A proxy forwards what it has received in order, and advertises the free room of its buffer.
    #[name = "split-tcp"]
    #[source = "RFC 3135 sections 2.4 and 3.1"]
    pub struct SplitTcp: dyn Proxies {
        /// The most bytes per connection and direction that each proxy buffers: data that has arrived, in order or not, and is not
        /// acknowledged by the next leg.
        pub buffer: Bytes,
        /// The TCP over the bottleneck.
        pub tcp: LegTcp = "{}",
        /// Treatment of connections over UDP: of stacks such as QUIC, and of datagrams.
        pub udp: Chosen<dyn UdpProxies> = "pass",
    }
    build(config, _context) { Box::new(config.clone()) }
}

impl Proxies for SplitTcp {
    fn splits(&self) -> Option<&SplitTcp> {
        Some(self)
    }
}

impl SplitTcp {
    /// Configuration of the leg over the bottleneck, for a connection whose end systems are configured as `others`.
    #[must_use]
    pub fn over_bottleneck(&self, others: &TcpConfig) -> TcpConfig {
        let (mut tcp, own) = (others.clone(), self.tcp.clone());
        if let Some(flavor) = own.flavor {
            tcp.ssthresh_rule = flavor.build(&()).recovery().build(&()).threshold_rule();
            tcp.flavor = flavor;
        }
        tcp.receiver_window = own.receiver_window.unwrap_or(tcp.receiver_window);
        tcp.initial_window = own.initial_window.unwrap_or(tcp.initial_window);
        tcp.initial_ssthresh = own.initial_ssthresh.unwrap_or(tcp.initial_ssthresh);
        tcp.cwnd_limit = own.cwnd_limit.unwrap_or(tcp.cwnd_limit);
        tcp.slow_start_growth = own.slow_start_growth.unwrap_or(tcp.slow_start_growth);
        tcp.pacing = own.pacing.unwrap_or(tcp.pacing);
        tcp.ecn = own.ecn.unwrap_or(tcp.ecn);
        tcp.acknowledgments = own.acknowledgments.unwrap_or(tcp.acknowledgments);
        tcp.handshake = own.handshake.unwrap_or(tcp.handshake);
        self.ending_here(tcp)
    }

    /// Configuration of a leg that ends at a proxy: limits the receiver window to the buffer, with the smallest window scale that suffices.
    #[must_use]
    pub fn ending_here(&self, mut tcp: TcpConfig) -> TcpConfig {
        tcp.receiver_window.0 = tcp.receiver_window.0.min(self.buffer.0);
        tcp.window_scale = WindowScale::Automatic.settled(tcp.receiver_window.0);
        tcp
    }
}
