//! TCP Vegas as the module of Linux 6.12 computes it (`net/ipv4/tcp_vegas.c`): whole segments and microseconds, one acknowledgment per round trip in slow start
//! that does not grow the window, and Reno's growth while anything is missing.

use longfat_foundation::units::Time;

use super::{Vegas, VegasRoundTrip};
use crate::transport::Window;
use crate::transport::law::{Arrivals, Phase, Progress, RoundTrips, WindowLaw};

/// Growth and reduction by the number of segments in queues, judged once per round trip.
pub(super) struct Law {
    settings: Vegas,
    /// The shortest of all, and of the round with the number of its samples.
    round_trips: RoundTrips,
    /// Sum of the round's samples in microseconds.
    sum: u64,
    /// The end of the round, if round trips are judged: not while anything is missing (`doing_vegas_now`, `beg_snd_nxt`).
    round_end: Option<u64>,
    /// Whether slow start grows in this round trip.
    grows: bool,
}

impl Law {
    pub fn new(settings: Vegas) -> Self {
        Self { settings, round_trips: RoundTrips::new(), sum: 0, round_end: Some(0), grows: true }
    }

    fn enable(&mut self, highest: u64) {
        self.round_end = Some(highest);
        self.round_trips.begin_round();
        self.sum = 0;
    }

    /// Adjusts the window at the end of a round.
    fn judge(&mut self, window: &mut Window, acknowledged: u64, is_used: bool) {
        let segments = window.segments();
        let RoundTrips { base, shortest, samples } = self.round_trips;
        let round_trip = match self.settings.round_trip {
            VegasRoundTrip::Shortest => shortest,
            VegasRoundTrip::Mean => self.sum / samples,
        };
        let waiting = as_number(segments * (round_trip - base) / base);
        if window.in_slow_start() {
            if waiting > self.settings.gamma.0 {
                window.set_segments(segments.min(segments * base / round_trip + 1));
                limit_threshold(window);
            } else if self.grows && is_used {
                window.start_slowly(acknowledged);
            }
            self.grows = !(self.grows && self.settings.cautious_slow_start);
        } else if waiting > self.settings.beta.0 {
            window.set_segments(segments - 1);
            limit_threshold(window);
        } else if waiting < self.settings.alpha.0 {
            window.set_segments(segments + 1);
        }
        window.set_segments(window.segments().max(2));
        // `tcp_current_ssthresh`: three quarters of the window at least.
        let segments = window.segments();
        window.set_threshold_segments(window.threshold_segments().max((segments >> 1) + (segments >> 2)));
    }
}

#[expect(clippy::cast_precision_loss, reason = "windows are far below 2^53 segments")]
fn as_number(segments: u64) -> f64 {
    segments as f64
}

fn limit_threshold(window: &mut Window) {
    window.set_threshold_segments(window.threshold_segments().min(window.segments()));
}

impl WindowLaw for Law {
    fn observes_arrivals(&self) -> bool {
        true
    }

    fn on_arrivals(&mut self, _window: &mut Window, arrivals: &Arrivals) {
        self.sum += self.round_trips.note(arrivals).unwrap_or(0);
    }

    fn on_acknowledgment(&mut self, window: &mut Window, progress: &Progress) {
        let is_used = progress.window_is_used || window.grows_unused();
        let acknowledged = window.in_segments(progress.acknowledged);
        if progress.phase != Phase::Open {
            self.round_end = None;
        } else if self.round_end.is_none() {
            self.enable(progress.highest);
        }
        let is_over = self.round_end.is_some_and(|end| progress.unacknowledged > end);
        if is_over && self.round_trips.are_enough() {
            self.judge(window, acknowledged, is_used);
        } else if self.round_end.is_none() || is_over {
            if is_used {
                window.grow_in_segments(acknowledged);
            }
        } else if window.in_slow_start() && self.grows && is_used {
            window.start_slowly(acknowledged);
        }
        if is_over {
            self.enable(progress.highest);
        }
    }

    fn on_loss(&mut self, window: &mut Window, _flight: u64) {
        self.round_end = None;
        window.reduce_to(share(window.segments(), self.settings.share_after_loss.0));
    }

    fn on_loss_after_mark(&mut self, _window: &mut Window, _flight: u64) {}

    fn on_recovered(&mut self, _window: &mut Window, highest: u64) {
        self.enable(highest);
    }

    fn on_timeout(&mut self, window: &mut Window, _flight: u64) {
        self.round_end = None;
        window.time_out_to(window.segments() / 2);
    }

    /// Everything measured is forgotten, the minimum too.
    fn on_restart_from_idle(&mut self, _now: Time) {
        *self = Self { round_end: None, ..Self::new(self.settings.clone()) };
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "a share of a window"
)]
fn share(segments: u64, share: f64) -> u64 {
    (segments as f64 * share) as u64
}

#[cfg(test)]
mod tests {
    use crate::transport::law::Phase;
    use crate::transport::law::test_support::Module;

    const PRESET: &str = "alpha = 2, beta = 4, round_trip = \"shortest\", cautious_slow_start = false";

    /// A window of ten over 40 ms, and then rounds over this round trip.
    fn after_rounds(settings: &str, round_trip_us: u64, threshold: u64) -> Module {
        let mut module = Module::of("vegas", settings, 10);
        module.window.set_threshold_segments(threshold);
        module.acknowledge(1, 40_000);
        // What began with the first acknowledgment is over after its window; then comes a round of this round trip alone.
        (0..22).for_each(|_| module.acknowledge(1, round_trip_us));
        module
    }

    /// 10 segments * (48,000 - 40,000) / 40,000 wait: 2. At 47.9 ms it is 1, and at 60 ms 5.
    #[test]
    fn the_window_follows_the_segments_in_queues() {
        assert_eq!(after_rounds(PRESET, 48_002, 2).window.segments(), 10);
        assert!(after_rounds(PRESET, 47_900, 2).window.segments() > 10);
        assert!(after_rounds(PRESET, 60_100, 2).window.segments() < 10);
        assert!(after_rounds("alpha = 1, beta = 1", 48_002, 2).window.segments() < 10);
        assert!(after_rounds("alpha = 3, beta = 4", 48_002, 2).window.segments() > 10);
    }

    #[test]
    fn slow_start_ends_with_the_window_that_the_path_holds() {
        let mut module = Module::of("vegas", PRESET, 10);
        module.window.set_threshold_segments(1000);
        module.acknowledge(1, 40_000);
        (0..12).for_each(|_| module.acknowledge(1, 40_000));
        assert!(module.window.segments() > 20);
        (0..60).for_each(|_| module.acknowledge(1, 60_000));
        assert!(!module.window.in_slow_start());
    }

    /// Samples of 40 and 60 ms in turn are 50 on average: 2 segments wait, and by the minimum none.
    #[test]
    fn the_round_trip_is_the_minimum_or_the_mean() {
        let grown = |round_trip: &str| {
            let settings = format!("alpha = 2, beta = 4, round_trip = \"{round_trip}\"");
            let mut module = Module::of("vegas", &settings, 10);
            (0..40).for_each(|number| module.acknowledge(1, if number % 2 == 0 { 40_000 } else { 60_000 }));
            module.window.segments()
        };
        assert_eq!(grown("mean"), 10);
        assert!(grown("shortest") > 10);
    }

    #[test]
    fn cautious_slow_start_rests_every_second_round() {
        let grown = |settings: &str| {
            let mut module = Module::of("vegas", settings, 10);
            module.window.set_threshold_segments(1000);
            (0..60).for_each(|_| module.acknowledge(1, 40_000));
            module.window.segments()
        };
        assert_eq!(grown("cautious_slow_start = false"), 70);
        assert!(grown("cautious_slow_start = true") < 60);
    }

    #[test]
    fn growth_is_renos_while_anything_is_missing() {
        let mut module = Module::of("vegas", PRESET, 10);
        (0..10).for_each(|_| module.acknowledge_in(Phase::Disorder, 1, 90_000));
        assert_eq!(module.window.segments(), 11);
    }

    #[test]
    fn a_loss_halves_the_window_or_leaves_what_is_set() {
        assert_eq!(Module::of("vegas", PRESET, 11).lose(), 5);
        assert_eq!(Module::of("vegas", "share_after_loss = 0.75", 11).lose(), 8);
        assert_eq!(Module::of("vegas", PRESET, 11).time_out(), 5);
    }
}
