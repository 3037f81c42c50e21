//! BIC TCP as the module of Linux 6.12 computes it (`net/ipv4/tcp_bic.c`): acknowledged segments for one of growth, divided by how many an acknowledgment covers,
//! judged anew for a new window and every 28 ms.

use super::Bic;
use crate::transport::Window;
use crate::transport::law::{Arrivals, JIFFIES_PER_SECOND, Phase, Progress, WindowLaw, jiffies};

/// Jiffies for which a judgement holds while the window stays the same.
const JUDGED_FOR: u64 = JIFFIES_PER_SECOND / 32;
/// Most segments for one of growth before the first loss: 5 % per round trip.
const SLOWEST_UNGUIDED: u64 = 20;

/// A search in whole segments.
pub(super) struct Law {
    low_window: u64,
    max_increment: u64,
    divisor: u64,
    smooth_part: u64,
    /// Share that a loss leaves in 1024ths.
    share: u64,
    fast_convergence: bool,
    /// Window at the latest loss; 0 before the first and after a timeout (`last_max_cwnd`).
    maximum: u64,
    /// Acknowledged segments for one of growth (`cnt`), for which window, and when that was judged.
    period: u64,
    judged_window: u64,
    judged: u64,
    /// Segments that an acknowledgment covers, in sixteenths (`delayed_ack`).
    covered: u64,
}

impl Law {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "parameters are positive")]
    pub fn new(settings: &Bic) -> Self {
        Self {
            low_window: settings.low_window.0,
            max_increment: settings.max_increment.0,
            divisor: settings.search_divisor.0.round().max(1.0) as u64,
            smooth_part: settings.smooth_part.0,
            share: (settings.beta.0 * 1024.0) as u64,
            fast_convergence: settings.fast_convergence,
            maximum: 0,
            period: 0,
            judged_window: 0,
            judged: 0,
            covered: 2 << 4,
        }
    }

    /// Judges growth (`bictcp_update`).
    fn judge(&mut self, segments: u64, now: u64) {
        if self.judged_window == segments && now - self.judged <= JUDGED_FOR {
            return;
        }
        (self.judged_window, self.judged) = (segments, now);
        if segments <= self.low_window {
            self.period = segments;
            return;
        }
        let mut period =
            if segments < self.maximum { self.search(segments) } else { self.probe(segments, segments - self.maximum) };
        if self.maximum == 0 {
            period = period.min(SLOWEST_UNGUIDED);
        }
        self.period = ((period << 4) / self.covered).max(1);
    }

    /// Below the maximum: a part of the distance in a round trip.
    fn search(&self, segments: u64) -> u64 {
        let part = (self.maximum - segments) / self.divisor;
        if part > self.max_increment {
            segments / self.max_increment
        } else if part <= 1 {
            segments * self.smooth_part / self.divisor
        } else {
            segments / part
        }
    }

    /// Beyond the maximum: slowly at first, then faster with the distance.
    fn probe(&self, segments: u64, distance: u64) -> u64 {
        if distance < self.divisor {
            segments * self.smooth_part / self.divisor
        } else if distance < self.max_increment * (self.divisor - 1) {
            segments * (self.divisor - 1) / distance
        } else {
            segments / self.max_increment
        }
    }

    /// Records the window of a loss; returns the segments that it leaves.
    fn left(&mut self, window: &Window) -> u64 {
        let segments = window.segments();
        let gives_way = self.fast_convergence && segments < self.maximum;
        self.maximum = if gives_way { segments * (1024 + self.share) / 2048 } else { segments };
        if segments <= self.low_window { segments / 2 } else { segments * self.share / 1024 }
    }
}

impl WindowLaw for Law {
    fn observes_arrivals(&self) -> bool {
        true
    }

    fn on_arrivals(&mut self, _window: &mut Window, arrivals: &Arrivals) {
        if arrivals.phase == Phase::Open {
            self.covered = self.covered + arrivals.segments - (self.covered >> 4);
        }
    }

    fn on_acknowledgment(&mut self, window: &mut Window, progress: &Progress) {
        if !(progress.window_is_used || window.grows_unused()) {
            return;
        }
        let acknowledged = window.in_segments(progress.acknowledged);
        let rest = if window.in_slow_start() { window.start_slowly(acknowledged) } else { acknowledged };
        if rest > 0 {
            self.judge(window.segments(), jiffies(progress.now));
            window.add_one_per(self.period, rest);
        }
    }

    fn on_loss(&mut self, window: &mut Window, _flight: u64) {
        window.reduce_to(self.left(window));
    }

    fn on_loss_after_mark(&mut self, _window: &mut Window, _flight: u64) {}

    /// Abandons the search.
    fn on_timeout(&mut self, window: &mut Window, _flight: u64) {
        let left = self.left(window);
        window.time_out_to(left);
        (self.maximum, self.period, self.judged_window, self.judged, self.covered) = (0, 0, 0, 0, 2 << 4);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::law::test_support::Module;
    use crate::transport::law::written;

    fn period(settings: &str, maximum: u64, segments: u64) -> u64 {
        let mut law = Law { maximum, ..Law::new(&written(&format!("{{ {settings} }}"))) };
        law.judge(segments, 0);
        law.period
    }

    /// Every period is halved, since an acknowledgment is taken to cover two segments: (100 - 80) / 4 = 5 and 80 / 5 = 16; 98 * 20 / 4 = 490;
    /// beyond it 112 * 3 / 12 = 28; far below it 100 / 16 = 6.
    #[test]
    fn growth_is_a_search_in_whole_numbers() {
        assert_eq!([80, 98, 101, 112].map(|segments| period("", 100, segments)), [8, 245, 252, 14]);
        assert_eq!([period("", 500, 100), period("", 100, 400)], [3, 12]);
        assert_eq!([14, 15].map(|segments| period("", 0, segments)), [14, 1]);
    }

    #[test]
    fn every_parameter_counts() {
        assert_eq!([period("", 500, 400), period("max_increment = 32", 500, 400)], [12, 8]);
        assert_eq!([period("", 100, 80), period("search_divisor = 2", 100, 80)], [8, 4]);
        assert_eq!([period("", 100, 98), period("smooth_part = 4", 100, 98)], [245, 49]);
        assert_eq!([period("", 100, 20), period("low_window = 20", 100, 20)], [1, 20]);
    }

    /// 100 * 819 / 1024 = 79; that loss, below the maximum of 100, leaves 90 * 1843 / 2048 = 80 as the next.
    #[test]
    fn a_loss_leaves_four_fifths_and_moves_the_maximum() {
        for (settings, maximum) in [("", 80), ("fast_convergence = false", 90)] {
            let mut law = Law::new(&written(&format!("{{ {settings} }}")));
            let mut window = Module::of("bic", "", 100).window;
            assert_eq!((law.left(&window), law.maximum), (79, 100));
            window.set_segments(90);
            assert_eq!((law.left(&window), law.maximum), (71, maximum), "{settings}");
        }
        assert_eq!(Module::of("bic", "", 14).lose(), 7);
        assert_eq!(Module::of("bic", "beta = 0.5", 100).lose(), 50);
    }

    #[test]
    fn acknowledgments_that_cover_more_make_the_period_shorter() {
        let mut module = Law::new(&written("{}"));
        let arrivals = Arrivals { segments: 4, ..Arrivals::default() };
        let mut window = Module::of("bic", "", 80).window;
        (0..100).for_each(|_| module.on_arrivals(&mut window, &arrivals));
        assert_eq!(module.covered, 64);
        module.maximum = 100;
        module.judge(80, 0);
        assert_eq!(module.period, 16 * 16 / 64);
    }

    /// 28 ms are 7 jiffies.
    #[test]
    fn a_judgement_holds_for_28_milliseconds() {
        let mut law = Law { maximum: 100, ..Law::new(&written("{}")) };
        law.judge(80, 10);
        law.maximum = 84;
        law.judge(80, 17);
        assert_eq!(law.period, 8);
        law.judge(80, 18);
        assert_eq!(law.period, 200);
    }

    #[test]
    fn a_timeout_ends_the_search() {
        let mut module = Module::of("bic", "", 100);
        assert_eq!(module.time_out(), 79);
        module.window.set_segments(20);
        module.acknowledge(1, 40_000);
        assert_eq!(module.window.segments(), 21, "without a maximum, 20 * 3 / 20 is halved to 1");
    }
}
