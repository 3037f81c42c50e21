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
