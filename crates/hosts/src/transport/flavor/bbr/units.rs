//! Units in which BBR computes: real numbers, or the integers of the module of Linux.

use longfat_foundation::units::{Span, Time};

use crate::transport::law::{Arithmetic, jiffies, microseconds};

/// `BBRHighGain`, 2 / ln 2: the smallest gain that doubles the rate in every round (section 4.3.2.1).
pub(super) const HIGH_GAIN: f64 = 2.885_39;
/// High gain in 256ths (`bbr_high_gain`), and its inverse (`bbr_drain_gain`).
const HIGH_GAIN_256: f64 = 739.0 / 256.0;
const DRAIN_GAIN_256: f64 = 88.0 / 256.0;

/// The kernel's unit of bandwidth: segments in 2^24 microseconds (`BW_SCALE`).
const SCALE: u32 = 24;

/// The arithmetic of a law with segments of `mss` bytes. Bandwidths are in bytes per second here, and windows in bytes.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Units {
    pub arithmetic: Arithmetic,
    pub mss: f64,
    /// A bandwidth that is asked for again and again, and in the kernel's unit.
    known: (f64, u64),
}

impl Units {
    pub fn new(arithmetic: Arithmetic) -> Self {
        Self { arithmetic, mss: 1.0, known: (0.0, 0) }
    }

    pub fn is_kernel(self) -> bool {
        self.arithmetic == Arithmetic::Kernel
    }

    pub fn high_gain(self) -> f64 {
        if self.is_kernel() { HIGH_GAIN_256 } else { HIGH_GAIN }
    }

    pub fn drain_gain(self) -> f64 {
        if self.is_kernel() { DRAIN_GAIN_256 } else { 1.0 / HIGH_GAIN }
    }

    /// Keeps a bandwidth in the kernel's unit, so that [`scaled`](Self::scaled) need not compute it again.
    pub fn keep(&mut self, bandwidth: f64) {
        if self.is_kernel() && bandwidth != self.known.0 {
            self.known = (bandwidth, self.scaled(bandwidth));
        }
    }

    /// A bandwidth in the kernel's unit, rounded down.
    pub fn scaled(self, bandwidth: f64) -> u64 {
        // What was rounded before is not rounded again.
        const ROUNDING: f64 = 1e-6;
        if bandwidth == self.known.0 {
            return self.known.1;
        }
        as_whole(bandwidth / self.mss / 1e6 * f64::from(1 << SCALE) + ROUNDING)
    }

    /// A bandwidth of so many units of the kernel.
    #[expect(clippy::cast_precision_loss, reason = "a bandwidth is far below 2^53 units")]
    pub fn unscaled(self, units: u64) -> f64 {
        units as f64 * self.mss * 1e6 / f64::from(1 << SCALE)
    }

    /// A measured bandwidth.
    pub fn bandwidth(self, rate: f64) -> f64 {
        if self.is_kernel() { self.unscaled(self.scaled(rate)) } else { rate }
    }

    /// `gain` bandwidth-delay products in bytes; the kernel rounds them up to whole segments (`bbr_bdp`).
    pub fn product(self, bandwidth: f64, round_trip: Span, gain: f64) -> f64 {
        if !self.is_kernel() {
            return gain * bandwidth * round_trip.as_seconds();
        }
        let product = u128::from(self.scaled(bandwidth)) * u128::from(microseconds(round_trip));
        self.bytes(((product * in_256ths(gain)) >> 8).div_ceil(1 << SCALE))
    }

    /// The pacing rate for a bandwidth and a gain, less a share of `margin` percent (`bbr_rate_bytes_per_sec`).
    pub fn rate(self, bandwidth: f64, gain: f64, margin: u32) -> f64 {
        if !self.is_kernel() {
            return gain * bandwidth * (f64::from(100 - margin) / 100.0);
        }
        let bytes = (u128::from(self.scaled(bandwidth)) * self.whole_mss() * in_256ths(gain)) >> 8;
        as_real((bytes * 10_000 * u128::from(100 - margin)) >> SCALE)
    }

    /// Bytes of a window: whole segments for the kernel.
    pub fn whole(self, bytes: f64) -> f64 {
        if self.is_kernel() { self.bytes(self.segments(bytes).into()) } else { bytes }
    }

    /// Segments in so many bytes, of which the last may be shorter.
    #[expect(clippy::cast_precision_loss, reason = "windows are below 2^53 bytes")]
    pub fn segments(self, bytes: f64) -> u64 {
        let segments = bytes / self.mss;
        let whole = as_whole(segments);
        // Rounded up without a function of the mathematical library.
        whole + u64::from((whole as f64) < segments)
    }

    /// Bytes in so many segments.
    pub fn bytes(self, segments: u128) -> f64 {
        as_real(segments) * self.mss
    }

    /// A round trip, which the kernel measures in whole microseconds.
    pub fn round_trip(self, sample: Span) -> Span {
        if self.is_kernel() { Span::from_microseconds(microseconds(sample)) } else { sample }
    }

    /// Whether a time is past; the kernel looks at its jiffies.
    pub fn is_past(self, time: Time, now: Time) -> bool {
        if self.is_kernel() { jiffies(now) > jiffies(time) } else { now > time }
    }

    fn whole_mss(self) -> u128 {
        as_whole(self.mss).into()
    }
}

fn in_256ths(gain: f64) -> u128 {
    as_whole(gain * 256.0 + 0.5).into()
}

/// A positive real number as a whole one, rounded down. Processors have an instruction for signed integers of 64 bits.
#[inline]
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "windows and rates are below 2^53 bytes")]
pub(super) fn as_whole(real: f64) -> u64 {
    real as i64 as u64
}

/// A whole number as a real one.
#[inline]
#[expect(clippy::cast_precision_loss, reason = "windows and rates are far below 2^53 bytes")]
fn as_real(whole: u128) -> f64 {
    i64::try_from(whole).unwrap_or(i64::MAX) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kernel() -> Units {
        Units { mss: 1448.0, ..Units::new(Arithmetic::Kernel) }
    }

    /// 33 segments in 40 ms are 33 * 2^24 / 40,000 = 13,841.2 units.
    #[test]
    fn a_bandwidth_is_a_whole_number_of_units_and_a_window_of_segments() {
        let units = kernel();
        let bandwidth = units.bandwidth(33.0 * 1448.0 / 0.04);
        assert_eq!(units.scaled(bandwidth), 13_841);
        assert_eq!(units.scaled(units.bandwidth(bandwidth)), 13_841);
        // 13,841 * 40,121 us / 2^24 is 33.1 segments, and twice that 66.2.
        let round_trip = Span::from_microseconds(40_121);
        assert_eq!([1.0, 2.0].map(|gain| units.product(bandwidth, round_trip, gain) / 1448.0), [34.0, 67.0]);
        let real = Units { mss: 1448.0, ..Units::new(Arithmetic::Real) };
        assert_eq!(real.product(1000.0, Span::from_microseconds(40_000), 2.0), 80.0);
    }

    /// 13,841 * 1448 * 739 / 256 = 57,854,947, times 990,000 and divided by 2^24: 3,413,939 bytes per second.
    #[test]
    fn the_rate_is_a_hundredth_less_and_rounded_down() {
        let units = kernel();
        let bandwidth = units.unscaled(13_841);
        assert_eq!(units.rate(bandwidth, units.high_gain(), 1), 3_413_939.0);
        assert_eq!(units.rate(bandwidth, 1.25, 0), 1_493_228.0, "13,841 * 1448 * 320 / 256 * 10^6 / 2^24");
    }

    #[test]
    fn gains_are_in_256ths() {
        let units = kernel();
        assert_eq!([units.high_gain(), units.drain_gain()].map(|gain| gain * 256.0), [739.0, 88.0]);
    }
}
