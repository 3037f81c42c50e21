//! Thinned acknowledgments: one for many segments.

use longfat_foundation::config::{AtLeastOne, PositiveSpan};
use longfat_foundation::units::Time;

use super::delayed::{DelayTimer, Wait};
use super::{Acknowledging, Arrival};

longfat_foundation::model! {
    /// One acknowledgment for every tenth in-order segment, for return links with little capacity; at the start of a connection one for
    /// every second segment, so that slow start is not delayed. Also when the delay is over. Out-of-order segments, and segments that fill
    /// a hole, are acknowledged at once.
    #[name = "thinned"]
    #[source = "RFC 3449 section 4.1; draft-fairhurst-quic-ack-scaling-01"]
    pub struct Thinned: dyn Acknowledging {
        /// Longest wait; the value of QUIC (RFC 9000 section 18.2), because a sender whose last segment waits is idle.
        delay: PositiveSpan = "25 ms" or ["100 ms"],
        /// How many in-order segments one acknowledgment covers (the ratio R of RFC 5690).
        segments: AtLeastOne = "10" or ["4"],
        /// Number of segments at the start of a connection that are acknowledged in pairs instead.
        from: AtLeastOne = "100",
    }
    build(config, _context) {
        let wait = |segments| Wait::new(config.delay.0, segments, DelayTimer::FromArrival);
        Box::new(Thinner { wait: wait(config.segments.0.min(AT_FIRST)), segments: config.segments.0, left: config.from.0 })
    }
}

/// Segments per acknowledgment at the start of a connection (RFC 5681 section 4.2).
const AT_FIRST: u64 = 2;

struct Thinner {
    wait: Wait,
    segments: u64,
    /// Segments left of the start of the connection.
    left: u64,
}

impl Acknowledging for Thinner {
    fn delay(&mut self, now: Time, arrival: Arrival) -> Option<Time> {
        if self.left == 0 {
            self.wait.set_segments(self.segments);
        }
        self.left = self.left.saturating_sub(1);
        self.wait.delay(now, arrival)
    }
}
