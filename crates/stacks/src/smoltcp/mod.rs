//! smoltcp, a TCP stack for small devices, in virtual time.

mod device;
mod end;
mod header;

use longfat_foundation::config::Bytes;
use longfat_foundation::random::Stream;
use longfat_foundation::units::Span;
use longfat_hosts::end_system::EndSystem;
use smoltcp::socket::tcp::CongestionControl;

use super::{Opener, Stack};
use end::{End, Settings};

longfat_foundation::choice! {
    /// Congestion control of smoltcp.
    pub enum Controller {
        /// None: what the receiver has room for is sent.
        Nothing = "none",
        /// RFC 5681.
        Reno = "reno",
        /// RFC 8312.
        Cubic = "cubic",
    }
}

longfat_foundation::choice! {
    /// Release of the stack whose code runs.
    pub enum Release {
        /// smoltcp 0.14.0.
        Release0140 = "0.14.0",
    }
}

longfat_foundation::model! {
    /// smoltcp, a TCP stack for small devices: its own code decides what is sent when, over the network of the scenario. It has neither
    /// selective acknowledgments nor ECN, and its clock ticks once a microsecond. It tells neither its window nor its round trips: the largest
    /// window in results is the most that was in flight, and its timeouts are counted as none.
    #[name = "smoltcp"]
    #[source = "smoltcp 0.14.0, github.com/smoltcp-rs/smoltcp"]
    pub struct Smoltcp: dyn Stack {
        /// Release of smoltcp.
        release: Release = "0.14.0",
        /// Congestion control.
        congestion_control: Controller = "cubic" or ["reno", "none"],
        /// End that opens the connection.
        opened_by: Opener = "sender" or ["receiver"],
        /// Largest IP packet.
        mtu: Bytes = "1500 B",
        /// Room for data that have arrived.
        receive_buffer: Bytes = "65535 B",
        /// Room for data that are not acknowledged.
        send_buffer: Bytes = "65535 B",
        /// Time for which an acknowledgment waits for another segment.
        acknowledgment_delay: Span = "10 ms",
        /// Small segments wait for acknowledgments (Nagle's rule).
        nagle: bool = "true" or ["false"],
    }
    build(config, _context) { Box::new(config.clone()) }
    objections(config, _context) {
        let mut objections = Vec::new();
        if !(LEAST_MTU..=LARGEST_MTU).contains(&config.mtu.0) {
            let range = format!("from {LEAST_MTU} B (RFC 791) to {LARGEST_MTU} B");
            objections.push(("mtu", format!("{} B is no size of the largest packets; {range}", config.mtu.0)));
        }
        for (key, bytes) in [("receive_buffer", config.receive_buffer.0), ("send_buffer", config.send_buffer.0)] {
            if bytes > LARGEST_BUFFER {
                objections.push((key, format!("{bytes} B is too large for a window; at most {LARGEST_BUFFER} B")));
            }
        }
        objections
    }
}

/// Smallest packet that every network carries whole (RFC 791 section 3.2).
const LEAST_MTU: u64 = 68;

/// Largest packet that the length field of IP counts.
const LARGEST_MTU: u64 = 65_535;

/// Largest buffer: the window scale goes up to 14 (RFC 7323 section 2.3).
const LARGEST_BUFFER: u64 = 1 << 30;

/// Bytes of an IP and a UDP header, which the network adds to what an end system sends.
const HEADERS_BYTES: u64 = 28;

impl Stack for Smoltcp {
    #[expect(clippy::cast_possible_truncation, reason = "checked to be small")]
    fn ends(&self, mut chance: Stream) -> Option<[Box<dyn EndSystem>; 2]> {
        let (control, name) = match self.congestion_control {
            Controller::Nothing => (CongestionControl::None, "smoltcp-none"),
            Controller::Reno => (CongestionControl::Reno, "smoltcp-reno"),
            Controller::Cubic => (CongestionControl::Cubic, "smoltcp-cubic"),
        };
        let settings = Settings {
            name,
            control,
            mtu: self.mtu.0 as usize,
            receive_buffer: self.receive_buffer.0 as usize,
            send_buffer: self.send_buffer.0 as usize,
            acknowledgment_delay: self.acknowledgment_delay,
            nagle: self.nagle,
        };
        let near_opens = self.opened_by == Opener::Sender;
        Some([near_opens, !near_opens].map(|opens| Box::new(End::new(&settings, opens, chance.draw())) as Box<_>))
    }

    fn opener(&self) -> Opener {
        self.opened_by
    }

    fn is_over_udp(&self) -> bool {
        false
    }

    fn largest_packet(&self) -> u64 {
        self.mtu.0.saturating_sub(HEADERS_BYTES)
    }

    fn connection_bytes(&self) -> u64 {
        2 * (size_of::<End>() as u64 + self.receive_buffer.0 + self.send_buffer.0)
    }
}
