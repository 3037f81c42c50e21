//! Programs outside the simulation, whose packets a run in real time carries.

use longfat_foundation::config::Bytes;
use longfat_foundation::random::Stream;
use longfat_hosts::end_system::EndSystem;
use longfat_hosts::outside::{HEADERS_BYTES, Outside as End};

use super::{Opener, Stack};

longfat_foundation::model! {
    /// Programs outside the simulation: `longfat emulate` runs them, gives each end a network interface, and carries their IP packets in
    /// real time. What they send is theirs: the traffic of the scenario says nothing about these connections.
    #[name = "outside"]
    #[source = "RFC 791; RFC 8200"]
    pub struct Outside: dyn Stack {
        /// End at which the program that opens connections runs.
        opened_by: Opener = "sender" or ["receiver"],
        /// Largest IP packet, which the interfaces have as their MTU.
        mtu: Bytes = "1500 B",
    }
    build(config, _context) { Box::new(config.clone()) }
    objections(config, _context) {
        let range = LEAST_MTU..=LARGEST_MTU;
        let message = || {
            format!("{} B is no size of the largest packets; from {LEAST_MTU} B (RFC 8200 section 5) to {LARGEST_MTU} B", config.mtu.0)
        };
        (!range.contains(&config.mtu.0)).then(|| ("mtu", message())).into_iter().collect()
    }
}

impl Outside {
    /// End at which the program that opens connections runs.
    #[must_use]
    pub fn opened_by(&self) -> Opener {
        self.opened_by
    }

    /// Largest IP packet in bytes.
    #[must_use]
    pub fn mtu(&self) -> u64 {
        self.mtu.0
    }
}

/// Smallest MTU of a network that carries IPv6.
const LEAST_MTU: u64 = 1280;

/// Largest packet that the length field of IP counts.
const LARGEST_MTU: u64 = 65_535;

impl Stack for Outside {
    fn ends(&self, _chance: Stream) -> Option<[Box<dyn EndSystem>; 2]> {
        Some([(), ()].map(|()| Box::new(End::default()) as Box<_>))
    }

    fn largest_packet(&self) -> u64 {
        self.mtu.0.saturating_sub(HEADERS_BYTES)
    }

    fn outside(&self) -> Option<&Outside> {
        Some(self)
    }

    fn connection_bytes(&self) -> u64 {
        2 * size_of::<End>() as u64
    }
}
