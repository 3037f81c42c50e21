//! Properties of window laws on which checks, reports and tests rely.
//!
//! None has a default: a law that said nothing would silently be taken for Reno.

use crate::transport::CongestionNotification;

/// Properties of a law with its parameters that do not depend on the path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LawFacts {
    /// How fast slow start is.
    pub slow_start: SlowStart,
    /// Whether the law has a rule, such as HyStart, that ends slow start below the threshold without a loss or a mark.
    pub ends_slow_start: bool,
    /// Whether the mean window is sqrt(3 / 2p) segments at a loss rate of p where nothing queues and nothing is marked (Mathis, Semke,
    /// Mahdavi and Ott 1997).
    pub has_reno_response: bool,
    /// How marks reduce the window.
    pub marks: ResponseToMarks,
    /// Whether the law uses delivery rates.
    pub observes_deliveries: bool,
    /// Whether segments are paced at a rate of the law's own.
    pub is_paced: bool,
    /// Whether the law leaves the pipe partly idle from time to time by itself: to measure the minimum round trip, or for a queue that begins.
    pub leaves_pipe_idle: bool,
    /// Whether the window may shrink without a loss, a mark or a timeout.
    pub shrinks_without_loss: bool,
}

/// How fast a window grows in slow start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlowStart {
    /// It doubles in each round trip.
    Doubles,
    /// It takes more than a round trip to double.
    Slower,
    /// It more than doubles in a round trip.
    Faster,
}

/// How a law reduces the window when packets are marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResponseToMarks {
    /// Not at all.
    None,
    /// As for a loss (RFC 3168 section 5).
    AsLoss,
    /// By the share of marked bytes, which only these echoes convey.
    ByShare(&'static [CongestionNotification]),
}

/// Effect of a loss on a window of a given size, on a path with a given round trip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AfterLoss {
    /// Largest share of the window that remains after a fast retransmit.
    pub left: f64,
    /// Largest share of the window that ssthresh is set to at a timeout.
    pub left_after_timeout: f64,
    /// How long the window takes to be again what it was.
    pub regrowth: Regrowth,
}

impl AfterLoss {
    /// Reno: half of the window remains, and grows back by one segment per round trip (RFC 5681 section 3.1).
    #[must_use]
    pub fn reno(segments: f64, round_trip_s: f64) -> Self {
        let regrowth = Regrowth::ByAcknowledgments(segments / 2.0 * round_trip_s);
        Self { left: 0.5, left_after_timeout: 0.5, regrowth }
    }
}

/// How long a window takes to be again what it was before a loss, in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Regrowth {
    /// If every segment is acknowledged. Growth counts acknowledgments: if only every second segment is acknowledged, twice as long.
    ByAcknowledgments(f64),
    /// Growth is a function of time, however segments are acknowledged.
    ByTime(f64),
    /// The window is no saw-tooth of losses, or its depth depends on more than window and round trip.
    NoSawTooth,
}

impl Regrowth {
    /// The time in seconds where an acknowledgment covers this many segments; `None` without a saw-tooth.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a few segments")]
    pub fn seconds(self, segments_per_acknowledgment: u64) -> Option<f64> {
        match self {
            Self::ByAcknowledgments(seconds) => Some(seconds * segments_per_acknowledgment as f64),
            Self::ByTime(seconds) => Some(seconds),
            Self::NoSawTooth => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_that_counts_acknowledgments_is_slower_the_fewer_they_are() {
        assert_eq!(
            [1, 2, 10].map(|covers| Regrowth::ByAcknowledgments(3.0).seconds(covers)),
            [3.0, 6.0, 30.0].map(Some)
        );
        assert_eq!([1, 2, 10].map(|covers| Regrowth::ByTime(3.0).seconds(covers)), [3.0; 3].map(Some));
        assert_eq!(Regrowth::NoSawTooth.seconds(2), None);
    }
}
