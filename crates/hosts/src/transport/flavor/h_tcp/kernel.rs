//! H-TCP as the module of Linux 6.12 computes it (`net/ipv4/tcp_htcp.c`): round trips and times in jiffies, growth and shares in 128ths.

use longfat_foundation::units::{Span, Time};

use super::HTcp;
use crate::transport::Window;
use crate::transport::law::{
    Arrivals, JIFFIES_PER_SECOND, Phase, Progress, WindowLaw, jiffies, jiffies_in, microseconds,
};

/// 1, and the limits of the share that a loss leaves, in 128ths (`ALPHA_BASE`, `BETA_MIN`, `BETA_MAX`).
const ONE: u64 = 128;
const LEAST_SHARE: u64 = 64;
const MOST_SHARE: u64 = 102;
/// Most jiffies by which a round trip may exceed the longest so far to be taken for the longest (20 ms).
const LARGEST_STEP: u64 = JIFFIES_PER_SECOND / 50;
/// Shortest round trip in jiffies for which a loss leaves more than a half (10 ms, rounded up).
const LEAST_ROUND_TRIP: u64 = 3;

/// Growth by the time since the latest reduction.
pub(super) struct Law {
    settings: HTcp,
    now: u64,
    /// Growth per round trip, and the share that a loss leaves, in 128ths (`alpha`, `beta`).
    increase: u64,
    share: u64,
    /// Whether a reduction came before, so that round trips show what queues add (`modeswitch`).
    adapts: bool,
    /// Segments of the latest acknowledgment in order (`pkts_acked`).
    acknowledged: u64,
    /// Extremes of the round trip in jiffies; 0 before the first.
    shortest: u64,
    longest: u64,
    /// The latest reduction, or the end of its recovery.
    reduced: u64,
    throughput: Throughput,
}

/// Segments per second, over intervals of a window and a round trip at least (`Bi`, `minB`, `maxB`).
#[derive(Default)]
struct Throughput {
    counted: u64,
    began: u64,
    average: u64,
    most: u64,
    most_before: u64,
}

impl Throughput {
    fn begin(&mut self, now: u64) {
        (self.counted, self.began) = (0, now);
    }

    /// Ends an interval: just after a reduction everything begins anew.
    fn sample(&mut self, now: u64, is_new: bool) {
        let sample = self.counted * JIFFIES_PER_SECOND / (now - self.began);
        if is_new {
            (self.average, self.most) = (sample, sample);
        } else {
            self.average = (3 * self.average + sample) / 4;
            self.most = self.most.max(self.average);
        }
        self.begin(now);
    }

    /// Whether the most since the reduction before the latest is within a fifth of what it was before that.
    fn is_steady(&mut self) -> bool {
        let before = std::mem::replace(&mut self.most_before, self.most);
        (4 * before..=6 * before).contains(&(5 * self.most))
    }
}

impl Law {
    pub fn new(settings: HTcp) -> Self {
        Self {
            settings,
            now: 0,
            increase: ONE,
            share: LEAST_SHARE,
            adapts: false,
            acknowledged: 1,
            shortest: 0,
            longest: 0,
            reduced: 0,
            throughput: Throughput::default(),
        }
    }

    fn note_round_trip(&mut self, round_trip: u64, phase: Phase) {
        if self.shortest > round_trip || self.shortest == 0 {
            self.shortest = round_trip;
        }
        if phase == Phase::Open {
            self.longest = self.longest.max(self.shortest);
            if self.longest < round_trip && round_trip <= self.longest + LARGEST_STEP {
                self.longest = round_trip;
            }
        }
    }

    fn note_throughput(&mut self, window: &Window, arrivals: &Arrivals) {
        if !matches!(arrivals.phase, Phase::Open | Phase::Disorder) {
            return self.throughput.begin(self.now);
        }
        self.throughput.counted += arrivals.segments;
        let grown = (self.increase >> 7).max(1);
        let is_window = self.throughput.counted + grown >= window.segments();
        if is_window && self.shortest > 0 && self.now - self.throughput.began >= self.shortest {
            let is_new = (self.now - self.reduced) / self.shortest <= 3;
            self.throughput.sample(self.now, is_new);
        }
    }

    /// Sets the share that the next loss leaves (`htcp_beta_update`).
    fn set_share(&mut self) {
        self.share = LEAST_SHARE;
        if !self.throughput.is_steady() {
            self.adapts = false;
        } else if self.adapts && self.shortest > LEAST_ROUND_TRIP && self.longest > 0 {
            self.share = ((self.shortest << 7) / self.longest).clamp(LEAST_SHARE, MOST_SHARE);
        } else {
            self.adapts = true;
        }
        if !self.settings.adaptive_backoff {
            self.share = LEAST_SHARE;
        }
    }

    /// Sets growth by the time since the latest reduction (`htcp_alpha_update`).
    fn set_increase(&mut self) {
        let low_speed = jiffies_in(microseconds(self.settings.low_speed.0));
        let since = self.now - self.reduced;
        let mut factor = 1;
        if since > low_speed {
            let beyond = since - low_speed;
            factor += (10 * beyond + (beyond / 2) * (beyond / 2) / JIFFIES_PER_SECOND) / JIFFIES_PER_SECOND;
        }
        if self.settings.round_trip_scaling && self.shortest > 0 {
            let reference = microseconds(self.settings.reference_round_trip.0) * JIFFIES_PER_SECOND / 1_000_000;
            let scale = ((reference << 3) / self.shortest).clamp(1 << 2, 10 << 3);
            factor = ((factor << 3) / scale).max(1);
        }
        self.increase = 2 * factor * (ONE - self.share);
    }

    /// Segments that a loss leaves.
    fn left(&mut self, window: &Window) -> u64 {
        self.set_share();
        self.set_increase();
        if self.longest > self.shortest {
            self.longest = self.shortest + (self.longest - self.shortest) * 95 / 100;
        }
        (window.segments() * self.share) >> 7
    }
}

impl WindowLaw for Law {
    fn observes_arrivals(&self) -> bool {
        true
    }

    fn on_opened(&mut self, now: Time, _round_trip: Span) {
        (self.now, self.reduced) = (jiffies(now), jiffies(now));
    }

    fn on_arrivals(&mut self, window: &mut Window, arrivals: &Arrivals) {
        self.now = jiffies(arrivals.now);
        if arrivals.phase == Phase::Open {
            self.acknowledged = arrivals.segments;
        }
        if let Some(us) = arrivals.microseconds() {
            self.note_round_trip(jiffies_in(us), arrivals.phase);
        }
        self.note_throughput(window, arrivals);
    }

    fn on_acknowledgment(&mut self, window: &mut Window, progress: &Progress) {
        if !(progress.window_is_used || window.grows_unused()) {
            return;
        }
        if window.in_slow_start() {
            window.start_slowly(window.in_segments(progress.acknowledged));
            return;
        }
        if (window.credit * self.increase) >> 7 >= window.segments() {
            window.set_segments(window.segments() + 1);
            window.credit = 0;
            self.set_increase();
        } else {
            window.credit += self.acknowledged;
        }
        self.acknowledged = 1;
    }

    fn on_loss(&mut self, window: &mut Window, _flight: u64) {
        window.reduce_to(self.left(window));
        self.reduced = self.now;
    }

    fn on_loss_after_mark(&mut self, _window: &mut Window, _flight: u64) {}

    fn on_recovered(&mut self, _window: &mut Window, _highest: u64) {
        self.reduced = self.now;
    }

    fn on_timeout(&mut self, window: &mut Window, _flight: u64) {
        let left = self.left(window);
        window.time_out_to(left);
        self.reduced = self.now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::law::test_support::Module;
    use crate::transport::law::with_defaults;

    fn at(since_ms: u64, settings: &str) -> u64 {
        let mut law = Law::new(crate::transport::law::written(&format!("{{ {settings} }}")));
        (law.shortest, law.now) = (11, since_ms / 4);
        law.set_increase();
        law.increase
    }

    /// Two seconds: 1 + (10 * 250 + 125 * 125 / 250) / 250 = 11, times 128. Scaled, 8 * 25 / 11 = 18 eighths: 8 * 11 / 18 = 4.
    #[test]
    fn growth_begins_a_second_after_a_reduction_and_may_be_scaled_by_the_round_trip() {
        assert_eq!([0, 1000, 2000].map(|since| at(since, "")), [128, 128, 11 * 128]);
        assert_eq!([0, 1000, 2000].map(|since| at(since, "round_trip_scaling = true")), [128, 128, 4 * 128]);
        assert_eq!(at(2000, "low_speed = \"2 s\""), 128);
        assert_eq!(at(2000, "round_trip_scaling = true, reference_round_trip = \"44 ms\""), 11 * 128);
    }

    /// 11 jiffies of 20: 11 * 128 / 20 = 70 of 128.
    #[test]
    fn a_second_loss_at_steady_throughput_leaves_the_share_that_the_path_holds() {
        let left = |settings: &str, before: u64| {
            let mut law = Law::new(crate::transport::law::written(&format!("{{ {settings} }}")));
            (law.shortest, law.longest, law.adapts) = (11, 20, true);
            (law.throughput.most, law.throughput.most_before) = (800, before);
            law.set_share();
            law.share
        };
        assert_eq!([670, 800, 1000].map(|before| left("", before)), [70; 3]);
        assert_eq!([600, 1001].map(|before| left("", before)), [64; 2], "a change by more than a fifth");
        assert_eq!(left("adaptive_backoff = false", 800), 64);
    }

    /// Of 81 segments 81 * 64 / 128; the longest round trip fades: 11 + 9 * 95 / 100 = 19.
    #[test]
    fn a_first_loss_halves_the_window_and_lets_the_longest_round_trip_fade() {
        let mut law = Law::new(with_defaults());
        (law.shortest, law.longest) = (11, 20);
        let window = Module::of("h-tcp", "", 81).window;
        assert_eq!((law.left(&window), law.longest), (40, 19));
        assert!(law.adapts);
    }

    #[test]
    fn a_window_grows_when_alpha_times_the_acknowledged_segments_reach_it() {
        let mut module = Module::of("h-tcp", "", 10);
        (0..5).for_each(|_| module.acknowledge(2, 40_000));
        assert_eq!((module.window.segments(), module.window.credit), (10, 10));
        module.acknowledge(2, 40_000);
        assert_eq!((module.window.segments(), module.window.credit), (11, 0), "this one is not counted");
    }

    /// 20 jiffies is 80 ms, more than 20 ms beyond the longest.
    #[test]
    fn a_round_trip_far_beyond_the_longest_is_not_taken_for_one() {
        let mut law = Law::new(with_defaults());
        law.note_round_trip(11, Phase::Open);
        law.note_round_trip(20, Phase::Open);
        assert_eq!((law.shortest, law.longest), (11, 11));
        law.note_round_trip(16, Phase::Recovery);
        assert_eq!(law.longest, 11);
        law.note_round_trip(16, Phase::Open);
        assert_eq!(law.longest, 16);
    }

    /// 40 segments in 12 jiffies are 833 a second, then 80 in 12 are 1666: a quarter of the way.
    #[test]
    fn throughput_is_averaged_over_round_trips_and_begins_anew_after_a_reduction() {
        let mut throughput = Throughput { counted: 40, ..Throughput::default() };
        throughput.sample(12, true);
        throughput.counted = 80;
        throughput.sample(24, false);
        assert_eq!((throughput.average, throughput.most), ((3 * 833 + 1666) / 4, (3 * 833 + 1666) / 4));
    }
}
