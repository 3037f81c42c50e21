//! TCP Westwood+ as the module of Linux 6.12 computes it (`net/ipv4/tcp_westwood.c`): bytes per jiffy, filtered twice, and a minimum round trip in jiffies.
//!
//! The first reduction halves the window as Reno does; the estimate is set when the recovery is over.

use longfat_foundation::units::{Span, Time};

use crate::transport::Window;
use crate::transport::law::{Arrivals, JIFFIES_PER_SECOND, Phase, Progress, WindowLaw, jiffies, jiffies_in};

/// Shortest interval of a bandwidth sample in jiffies (`TCP_WESTWOOD_RTT_MIN`).
const LEAST_INTERVAL: u64 = JIFFIES_PER_SECOND / 20;
/// Round trip in jiffies before one is measured (`TCP_WESTWOOD_INIT_RTT`).
const FIRST_ROUND_TRIP: u64 = 20 * JIFFIES_PER_SECOND;

/// Bandwidth and minimum round trip, in bytes and jiffies.
pub(super) struct Law {
    /// Weight of the old average in 256ths.
    memory: u64,
    /// The samples' average, and the average of that (`bw_ns_est`, `bw_est`).
    averages: Option<(u64, u64)>,
    /// When the present sample began, and the bytes counted since (`rtt_win_sx`, `bk`).
    began: u64,
    counted: u64,
    /// First byte that was not acknowledged at the acknowledgment before; `None` before the first.
    unacknowledged: Option<u64>,
    /// Bytes counted for duplicates, of which a later cumulative acknowledgment must not be counted again (`accounted`).
    counted_early: u64,
    /// Latest round trip and the minimum (`rtt`, `rtt_min`); no minimum until the next acknowledgment after a timeout.
    round_trip: u64,
    shortest: Option<u64>,
    /// First byte never sent.
    highest: u64,
    /// A reduction for marks is over when bytes beyond this one are acknowledged.
    reduces_until: Option<u64>,
}

impl Law {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of 256")]
    pub fn new(memory: f64) -> Self {
        Self {
            memory: (memory * 256.0).round() as u64,
            averages: None,
            began: 0,
            counted: 0,
            unacknowledged: None,
            counted_early: 0,
            round_trip: FIRST_ROUND_TRIP,
            shortest: None,
            highest: 0,
            reduces_until: None,
        }
    }

    /// Ends a sample that is longer than a round trip and than 48 ms (`westwood_update_window`).
    fn sample(&mut self, now: u64) {
        let interval = now.saturating_sub(self.began);
        if interval <= self.round_trip.max(LEAST_INTERVAL) {
            return;
        }
        let sample = self.counted / interval;
        let filter = |old: u64, new: u64| (self.memory * old + (256 - self.memory) * new) >> 8;
        self.averages = Some(self.averages.filter(|averages| *averages != (0, 0)).map_or((sample, sample), |old| {
            let first = filter(old.0, sample);
            (first, filter(old.1, first))
        }));
        (self.counted, self.began) = (0, now);
    }

    /// Bytes that an acknowledgment off the fast path counts for: a duplicate for a segment (`westwood_acked_count`).
    fn count(&mut self, passed: u64, mss: u64) -> u64 {
        if passed == 0 {
            self.counted_early += mss;
            return mss;
        }
        if passed <= mss {
            return passed;
        }
        if self.counted_early >= passed {
            self.counted_early -= passed;
            mss
        } else {
            passed - std::mem::take(&mut self.counted_early)
        }
    }

    /// Segments that the path holds without a queue, at least two (`tcp_westwood_bw_rttmin`).
    fn path(&self, window: &Window) -> u64 {
        let bandwidth = self.averages.map_or(0, |averages| averages.1);
        let bytes = bandwidth * self.shortest.unwrap_or(self.round_trip);
        (bytes / whole(window.mss())).max(2)
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a segment's size")]
fn whole(mss: f64) -> u64 {
    mss as u64
}

impl WindowLaw for Law {
    fn observes_arrivals(&self) -> bool {
        true
    }

    fn on_opened(&mut self, now: Time, _round_trip: Span) {
        self.began = jiffies(now);
    }

    fn on_arrivals(&mut self, window: &mut Window, arrivals: &Arrivals) {
        if let Some(us) = arrivals.microseconds() {
            self.round_trip = jiffies_in(us);
        }
        let before = self.unacknowledged.replace(arrivals.unacknowledged).unwrap_or(arrivals.unacknowledged);
        self.sample(jiffies(arrivals.now));
        let passed = arrivals.unacknowledged - before;
        let is_fast = arrivals.phase == Phase::Open && arrivals.bytes > 0;
        self.counted += if is_fast { passed } else { self.count(passed, whole(window.mss())) };
        self.shortest = Some(self.shortest.map_or(self.round_trip, |shortest| shortest.min(self.round_trip)));
        self.highest = arrivals.highest;
        if self.reduces_until.take_if(|until| arrivals.unacknowledged > *until).is_some() {
            self.on_recovered(window, arrivals.highest);
        }
    }

    fn on_acknowledgment(&mut self, window: &mut Window, progress: &Progress) {
        if progress.window_is_used || window.grows_unused() {
            window.grow_in_segments(window.in_segments(progress.acknowledged));
        }
    }

    fn on_loss(&mut self, window: &mut Window, _flight: u64) {
        window.reduce_to(window.segments() / 2);
    }

    fn on_loss_after_mark(&mut self, _window: &mut Window, _flight: u64) {}

    fn on_mark(&mut self, window: &mut Window, flight: u64) {
        self.on_loss(window, flight);
        self.reduces_until = Some(self.highest);
    }

    fn on_recovered(&mut self, window: &mut Window, _highest: u64) {
        self.reduces_until = None;
        window.set_threshold_segments(self.path(window));
        window.set_to_threshold();
    }

    fn on_timeout(&mut self, window: &mut Window, _flight: u64) {
        let path = self.path(window);
        window.time_out_to(path);
        self.shortest = None;
    }
}

#[cfg(test)]
mod tests {
    use crate::transport::law::test_support::Module;

    /// A segment each 4 ms is 1000 bytes a jiffy. A sample ends after more than 12 jiffies; the segments of 13 jiffies are counted, the first not.
    fn measured(settings: &str) -> Module {
        let mut module = Module::of("westwood", settings, 40);
        (0..14).for_each(|_| {
            module.acknowledge(1, 40_001);
            module.wait(4);
        });
        module
    }

    /// 12 segments in 13 jiffies are 923 bytes a jiffy; 40.001 ms are 11 jiffies: 923 * 11 / 1000.
    #[test]
    fn a_loss_halves_the_window_and_the_end_of_its_repair_sets_it_to_what_the_path_holds() {
        let mut module = measured("");
        assert_eq!(module.lose(), 20);
        module.law.on_recovered(&mut module.window, 0);
        assert_eq!((module.window.segments(), module.window.threshold_segments()), (10, 10));
    }

    #[test]
    fn marks_halve_the_window_and_their_reduction_ends_when_what_was_in_flight_is_acknowledged() {
        let mut module = measured("");
        module.law.on_mark(&mut module.window, 40_000);
        assert_eq!(module.window.segments(), 20);
        module.acknowledge(40, 40_001);
        assert_eq!(module.window.segments(), 14, "10, and 40 segments are four windows");
    }

    #[test]
    fn a_timeout_sets_the_threshold_and_forgets_the_minimum_round_trip() {
        let mut module = measured("");
        assert_eq!(module.time_out(), 10);
        module.acknowledge(1, 80_000);
        assert_eq!(module.time_out(), 18, "923 * 20 / 1000");
    }

    /// A second sample has 25 segments in 13 jiffies, 1923 bytes a jiffy: (7 * 923 + 1923) / 8 = 1048, and filtered again (7 * 923 + 1048) / 8 =
    /// 938. With halves, (923 + 1923) / 2 = 1423, and again 1173.
    #[test]
    fn the_bandwidth_is_filtered_twice() {
        for (settings, left) in [("memory = 0.875", 938 * 11 / 1000), ("memory = 0.5", 1173 * 11 / 1000)] {
            let mut module = measured(settings);
            (0..13).for_each(|_| {
                module.acknowledge(2, 40_001);
                module.wait(4);
            });
            module.law.on_recovered(&mut module.window, 0);
            assert_eq!(module.window.segments(), left, "{settings}");
        }
    }
}
