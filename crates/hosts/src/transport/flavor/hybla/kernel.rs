//! TCP Hybla as the module of Linux 6.12 computes it (`net/ipv4/tcp_hybla.c`): rho in eighths, growth in 128ths of a segment for each acknowledgment, whatever it
//! covers, and a first window of rho segments.

use longfat_foundation::units::{Span, Time};

use super::{Hybla, HyblaRoundTrip};
use crate::transport::Window;
use crate::transport::law::{Phase, Progress, WindowLaw, microseconds};

/// 2^(n/8) in 128ths, for n from 0 to 7 (`hybla_fraction`).
const POWERS: [u64; 8] = [128, 139, 152, 165, 181, 197, 215, 234];
/// Most segments of a window (`snd_cwnd_clamp`).
const LARGEST_WINDOW: u64 = 65_535;
/// Largest whole part of rho that is used as an exponent.
const LARGEST_EXPONENT: u64 = 16;

/// Growth by acknowledgments.
pub(super) struct Law {
    settings: Hybla,
    /// The round trip that rho is computed from, in eighths of a microsecond.
    round_trip: u64,
    /// rho in eighths (`rho_3ls`).
    rho: u64,
    /// Growth in 128ths of a segment that is not yet a segment (`snd_cwnd_cents`).
    parts: u64,
}

impl Law {
    pub fn new(settings: Hybla) -> Self {
        Self { settings, round_trip: u64::MAX, rho: 8, parts: 0 }
    }

    fn note(&mut self, smoothed: Span) {
        let eighths = smoothed.0 / (Span::from_microseconds(1).0 / 8);
        if eighths < self.round_trip || self.settings.round_trip == HyblaRoundTrip::Smoothed {
            self.round_trip = eighths;
            self.rho = (eighths / microseconds(self.settings.reference_round_trip.0).max(1)).max(8);
        }
    }

    /// Growth in slow start in 128ths of a segment: 2^rho - 1.
    fn in_slow_start(&self) -> u64 {
        let [whole, eighths] = [self.rho / 8, self.rho % 8];
        let power = POWERS.iter().zip(0..).find_map(|(power, n)| (n == eighths).then_some(*power));
        (1 << whole.min(LARGEST_EXPONENT)) * power.unwrap_or(POWERS[0]) - 128
    }

    /// Growth in congestion avoidance in 128ths of a segment: rho^2 / cwnd, rounded down.
    fn in_avoidance(&self, segments: u64) -> u64 {
        2 * self.rho * self.rho / segments
    }

    /// Adds 128ths of a segment; fractions are kept.
    fn grow(&mut self, window: &mut Window, increase: u64, segments: u64) {
        self.parts += increase % 128;
        let mut grown = segments + increase / 128;
        if self.parts >= 128 {
            grown += 1;
            self.parts -= 128;
            window.credit = 0;
        }
        if increase == 0 && window.credit >= grown {
            grown += 1;
            window.credit = 0;
        }
        window.set_segments(grown);
    }
}

/// Round trips from half of a window to all of it, at the mean speed of a hundred windows on the way.
pub(super) fn regrowth(segments: f64, rho: f64) -> f64 {
    let eighths = (8.0 * rho).floor();
    let round_trips = |window: f64| {
        let increase = (2.0 * eighths * eighths / window).floor();
        if increase == 0.0 { 1.0 } else { 128.0 / (increase * window) }
    };
    (0..100).map(|step| round_trips(segments * (0.5 + f64::from(step) / 200.0))).sum::<f64>() / 100.0 * segments / 2.0
}

impl WindowLaw for Law {
    fn on_opened(&mut self, _now: Time, round_trip: Span) {
        self.note(round_trip);
    }

    fn set_first_window(&mut self, window: &mut Window) {
        if self.settings.scales_start {
            window.set_segments(self.rho / 8);
        }
    }

    fn on_acknowledgment(&mut self, window: &mut Window, progress: &Progress) {
        if let Some(smoothed) = progress.smoothed_round_trip {
            self.note(smoothed);
        }
        if !(progress.window_is_used || window.grows_unused()) {
            return;
        }
        if progress.phase != Phase::Open {
            window.grow_in_segments(window.in_segments(progress.acknowledged));
            return;
        }
        let segments = window.segments();
        let most = if window.in_slow_start() {
            self.grow(window, self.in_slow_start(), segments);
            window.threshold_segments()
        } else {
            let increase = self.in_avoidance(segments.max(1));
            window.credit += u64::from(increase < 128);
            self.grow(window, increase, segments);
            u64::MAX
        };
        window.set_segments(window.segments().min(most).min(LARGEST_WINDOW));
    }

    fn on_loss(&mut self, window: &mut Window, _flight: u64) {
        window.reduce_to(window.segments() / 2);
    }

    fn on_loss_after_mark(&mut self, _window: &mut Window, _flight: u64) {}

    fn on_timeout(&mut self, window: &mut Window, _flight: u64) {
        window.time_out_to(window.segments() / 2);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::law::test_support::Module;
    use crate::transport::law::with_defaults;

    fn opened(round_trip_ms: u64, settings: &str) -> Module {
        let mut module = Module::of("hybla", settings, 10);
        module.law.on_opened(module.now, Span::from_microseconds(1000 * round_trip_ms));
        module.law.set_first_window(&mut module.window);
        module
    }

    /// 8 * 40 / 25 = 12 eighths, of which the whole part is 1; 600 / 25 = 24.
    #[test]
    fn the_first_window_is_rho_segments() {
        assert_eq!([20, 40, 600].map(|ms| opened(ms, "").window.segments()), [1, 1, 24]);
        assert_eq!(opened(600, "scales_start = false").window.segments(), 10);
        assert_eq!(opened(600, "reference_round_trip = \"100 ms\"").window.segments(), 6);
    }

    /// rho is 12 eighths: 2 * 181 - 128 = 234 of 128 for an acknowledgment of one segment or of two: 1, then 234 + 106 = 340 are 2 and 84.
    #[test]
    fn slow_start_counts_acknowledgments_not_segments() {
        for covers in [1, 2] {
            let mut module = opened(40, "");
            module.window.set_threshold_segments(1000);
            let grown = [(); 3].map(|()| {
                module.acknowledge(covers, 40_000);
                module.window.segments()
            });
            assert_eq!(grown, [2, 4, 6]);
        }
    }

    /// 2 * 12 * 12 / 40 = 7 of 128 for each acknowledgment: the nineteenth reaches 133.
    #[test]
    fn congestion_avoidance_counts_acknowledgments_and_rounds_growth_down() {
        let mut module = opened(40, "");
        module.window.set_segments(40);
        (0..18).for_each(|_| module.acknowledge(2, 40_000));
        assert_eq!(module.window.segments(), 40);
        module.acknowledge(2, 40_000);
        assert_eq!(module.window.segments(), 41);
    }

    /// 288 / 300 is nothing: then 300 acknowledgments are a segment.
    #[test]
    fn growth_of_less_than_a_part_is_a_segment_for_a_window_of_acknowledgments() {
        let mut module = opened(40, "");
        module.window.set_segments(300);
        (0..299).for_each(|_| module.acknowledge(2, 40_000));
        assert_eq!(module.window.segments(), 300);
        module.acknowledge(2, 40_000);
        assert_eq!(module.window.segments(), 301);
    }

    #[test]
    fn it_grows_as_reno_while_anything_is_missing() {
        let mut module = opened(600, "");
        (0..12).for_each(|_| module.acknowledge_in(Phase::Loss, 2, 600_000));
        assert_eq!(module.window.segments(), 25);
    }

    #[test]
    fn rho_follows_the_minimum_or_the_smoothed_round_trip() {
        for (settings, rho) in [("{}", 16), ("{ round_trip = \"smoothed\" }", 32)] {
            let mut law = Law::new(crate::transport::law::written(settings));
            [50_000, 100_000].iter().for_each(|us| law.note(Span::from_microseconds(*us)));
            assert_eq!(law.rho, rho, "{settings}");
        }
    }

    #[test]
    fn however_long_the_round_trip_the_power_is_bounded() {
        let mut law = Law::new(with_defaults());
        law.rho = 8 * 100;
        assert_eq!(law.in_slow_start(), 65_536 * 128 - 128);
    }
}
