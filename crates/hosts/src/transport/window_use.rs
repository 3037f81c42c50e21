//! Congestion window validation: whether the window limits the sender.
//!
//! A window that is not used says nothing about the path, so acknowledgments must not increase it (RFC 9438 section 5.8; RFC 7661 section
//! 1).

use super::Window;

/// Use of the window in the latest round trip, as in Linux (`tcp_cwnd_validate`): paced segments leave later than the acknowledgments that
/// allow them.
#[derive(Clone, Copy, Debug, Default)]
pub struct WindowUse {
    /// Highest sequence number sent when the round began.
    round_end: u64,
    /// True if another full segment would have exceeded the window.
    is_full: bool,
    /// Largest number of bytes in flight.
    most_in_flight: u64,
}

impl WindowUse {
    /// Processes an acknowledgment; before it, `unacknowledged` was the left edge and `highest` the highest sequence number sent. Returns
    /// true if the window is used. Half of it is enough in slow start, where it doubles per round, and with pacing, which sends no more
    /// than a window per smoothed round trip, while the actual one may be shorter (RFC 7661 section 4.3 asks for half in general).
    #[expect(clippy::cast_precision_loss, reason = "windows are far below 2^53 bytes")]
    pub fn note(&mut self, window: &Window, unacknowledged: u64, highest: u64, is_paced: bool) -> bool {
        let flight = highest - unacknowledged;
        let is_full = flight as f64 + window.mss() > window.cwnd;
        if unacknowledged >= self.round_end || is_full || (!self.is_full && flight > self.most_in_flight) {
            *self = Self { round_end: highest, is_full, most_in_flight: flight };
        }
        self.is_full || ((is_paced || window.in_slow_start()) && window.cwnd < 2.0 * self.most_in_flight as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::super::law::window;
    use super::*;

    const MSS: u64 = 1000;

    /// A window of ten segments, with ssthresh at `threshold` segments.
    fn ten(threshold: f64) -> Window {
        let mut window = window(10_000.0);
        window.ssthresh = 1000.0 * threshold;
        window
    }

    #[test]
    fn a_full_window_is_used_for_a_round_trip() {
        let window = ten(1.0);
        let mut used = WindowUse::default();
        assert!(used.note(&window, 0, 10 * MSS, false));
        assert!(used.note(&window, 5 * MSS, 10 * MSS, false), "half of it is under way, and the round is not over");
        assert!(!used.note(&window, 10 * MSS, 15 * MSS, false), "now it is");
    }

    #[test]
    fn in_slow_start_and_where_segments_are_paced_more_than_half_of_it_must_be() {
        for (threshold, is_paced) in [(20.0, false), (1.0, true)] {
            assert!(!WindowUse::default().note(&ten(threshold), 0, 5 * MSS, is_paced));
            assert!(WindowUse::default().note(&ten(threshold), 0, 5 * MSS + 1, is_paced));
        }
    }
}
