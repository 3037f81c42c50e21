//! TCP-LP as the module of Linux 6.12 computes it (net/ipv4/tcp_lp.c), names in code font: timestamps in milliseconds as integers of 32 bits that wrap.
//!
//! The receiver's timestamps begin at a random number (`tsoffset`), the sender's at none, so their difference can be any; and it is smoothed in eighths
//! of which only 29 bits are whole numbers. A connection whose difference is no such number never finds a queue, and it is Reno; seven of eight are.
//! The others find a queue in their first sample, where the range has no width. Then 15 % of the range, from the random number to twice that, are days;
//! but while delays rise the receiver's clock seems to have more than 1000 ticks in a second (`remote_hz`), its timestamps count for nothing, and the
//! delay jumps.

use longfat_foundation::random::Stream;
use longfat_foundation::units::{Span, Time};

use super::{Inference, Lp};
use crate::transport::Window;
use crate::transport::law::{Classical, Progress, WindowLaw, microseconds};

/// Ticks of timestamps in a second (`TCP_TS_HZ`, `LP_RESOL`).
const TICKS_PER_SECOND: u32 = 1000;
const TICK_US: u64 = 1_000_000 / TICKS_PER_SECOND as u64;

/// One acknowledgment's timestamps (`rcv_tsval`, `rcv_tsecr`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Timestamps {
    received: u32,
    sent: u32,
}

/// Reno's window that shrinks if the module finds a queue.
pub(super) struct Law {
    settings: Lp,
    inference: Inference,
    /// Where the receiver's timestamps begin.
    offset: u32,
    /// The latest timestamps (`remote_ref_time`, `local_ref_time`), and the receiver's ticks in a second.
    latest: Option<Timestamps>,
    receiver_ticks: u32,
    /// One-way delays (`owd_min`, `owd_max`, `owd_max_rsv`), and the smoothed one, scaled (`sowd`).
    least: u32,
    most: u32,
    reserve: u32,
    smoothed: u32,
    /// Binary digits of its fraction.
    digits: u32,
}

#[expect(clippy::cast_possible_truncation, reason = "timestamps wrap")]
fn wrapped(number: u64) -> u32 {
    number as u32
}

/// The timestamp of a time.
fn timestamp(time: Time) -> u32 {
    wrapped(microseconds(time - Time::ZERO) / TICK_US)
}

/// A setting as the nearest integer.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "settings are positive and small")]
fn nearest(setting: f64) -> u32 {
    libm::round(setting) as u32
}

impl Law {
    pub fn new(settings: Lp) -> Self {
        // The nearest power of two: 3 for an eighth.
        let digits = nearest((-libm::log2(settings.smoothing.0)).clamp(0.0, 10.0));
        Self {
            settings,
            inference: Inference::default(),
            offset: 0,
            latest: None,
            receiver_ticks: 0,
            least: u32::MAX,
            most: 0,
            reserve: 0,
            smoothed: 0,
            digits,
        }
    }

    /// `tcp_lp_remote_hz_estimator`.
    fn note_ticks(&mut self, now: Timestamps) {
        if let Some(before) = self.latest.replace(now)
            && before.received != now.received
            && before.sent != now.sent
        {
            let ticks = TICKS_PER_SECOND.wrapping_mul(now.received.wrapping_sub(before.received));
            let measured = u64::from(ticks / now.sent.wrapping_sub(before.sent));
            let known = u64::from(self.receiver_ticks) << 6;
            let smoothed = if known > 0 { known + measured - (known >> 6) } else { measured << 6 };
            self.receiver_ticks = wrapped(smoothed >> 6);
        }
    }

    /// `tcp_lp_owd_calculator`; `None` if it has no answer.
    fn delay(&mut self, now: Timestamps) -> Option<u32> {
        self.note_ticks(now);
        let scale = TICKS_PER_SECOND.checked_div(self.receiver_ticks)?;
        Some(now.received.wrapping_mul(scale).wrapping_sub(now.sent)).filter(|delay| *delay > 0)
    }

    /// `tcp_lp_rtt_sample`.
    fn note_delay(&mut self, delay: u32) {
        self.least = self.least.min(delay);
        if delay > self.most {
            self.most = if delay > self.reserve && self.reserve > 0 { self.reserve } else { delay };
            self.reserve = self.reserve.max(delay);
        }
        self.smoothed = if self.smoothed == 0 {
            delay << self.digits
        } else {
            self.smoothed.wrapping_add(delay.wrapping_sub(self.smoothed >> self.digits))
        };
    }

    /// Whether the smoothed delay is beyond the threshold.
    fn finds_queue(&self) -> bool {
        let hundredths = nearest(100.0 * self.settings.threshold.0);
        let range = self.most.wrapping_sub(self.least);
        self.smoothed >> self.digits >= self.least.wrapping_add(hundredths.wrapping_mul(range) / 100)
    }

    /// `tcp_lp_pkts_acked`.
    fn note(&mut self, window: &mut Window, now: Time, timestamps: Timestamps) {
        if let Some(delay) = self.delay(timestamps) {
            self.note_delay(delay);
        }
        if !self.finds_queue() {
            return;
        }
        if self.settings.forgets_range {
            let smoothed = self.smoothed >> self.digits;
            (self.least, self.most, self.reserve) = (smoothed, smoothed << 1, smoothed << 1);
        }
        self.inference.yield_to_others(window, now);
    }
}

impl WindowLaw for Law {
    fn on_acknowledgment(&mut self, window: &mut Window, progress: &Progress) {
        let mut lasts = self.inference.lasts(progress.now);
        if let Some((delay, round_trip)) = progress.one_way_delay.zip(progress.sample) {
            let sent = Time(progress.now.0 - round_trip.0);
            let now = Timestamps { received: self.offset.wrapping_add(timestamp(sent + delay)), sent: timestamp(sent) };
            let ticks = u64::from(timestamp(progress.now).wrapping_sub(now.sent));
            self.inference.length = Span::from_microseconds(self.settings.inference_round_trips.0 * ticks * TICK_US);
            lasts = self.inference.lasts(progress.now);
            self.note(window, progress.now, now);
        }
        // The first sign of a queue does not keep this acknowledgment from growing the window.
        if !lasts {
            Classical.on_acknowledgment(window, progress);
        }
    }

    fn on_loss(&mut self, window: &mut Window, flight: u64) {
        Classical.on_loss(window, flight);
    }

    fn on_loss_after_mark(&mut self, _window: &mut Window, _flight: u64) {}

    fn on_timeout(&mut self, window: &mut Window, flight: u64) {
        Classical.on_timeout(window, flight);
    }

    fn take_chance(&mut self, chance: &mut dyn FnMut() -> Stream) {
        self.offset = wrapped(chance().draw() >> 32);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::law::test_support::{law_and_window, with_defaults, written};

    const FORGETS: &str = "{ arithmetic = \"linux\", forgets_range = true }";

    /// Acknowledgments of data sent 10 ms apart over one-way delays of 20 ms, and 60 from the hundredth on; those that reduce the window, of 20
    /// segments each time.
    fn queues_found(offset: u32) -> Vec<u64> {
        let mut law = Law { offset, ..Law::new(written(FORGETS)) };
        let (_, mut window) = law_and_window("slow_start_at_ssthresh = false");
        window.set_threshold_segments(2);
        let finds = |number: &u64| {
            window.set_segments(20);
            let sent = Time::ZERO + Span::from_microseconds(TICK_US * 10 * number);
            let delay = Span::from_microseconds(if *number < 100 { 20_000 } else { 60_000 });
            let now = sent + delay + Span::from_microseconds(20_000);
            let progress = Progress {
                now,
                acknowledged: 1000,
                sample: Some(now - sent),
                one_way_delay: Some(delay),
                window_is_used: true,
                ..Progress::default()
            };
            law.on_acknowledgment(&mut window, &progress);
            window.segments() < 20
        };
        (0..110).filter(finds).collect()
    }

    #[test]
    fn clocks_that_differ_by_less_than_29_bits_show_one_at_first() {
        for offset in [5000, (1 << 29) - 100] {
            assert_eq!(queues_found(offset), [1], "{offset}");
        }
    }

    #[test]
    fn the_other_clocks_show_none() {
        for offset in [1 << 29, 1 << 30, 1 << 31, u32::MAX / 2, 3 << 30] {
            assert_eq!(queues_found(offset), [0; 0], "{offset}");
        }
    }

    /// 11 ticks of the receiver for 10, as when a queue makes each delay longer than the one before: 1000 + 100 / 64, and 1000 / 1001 is none.
    #[test]
    fn a_delay_that_rises_makes_the_receivers_timestamps_count_for_nothing() {
        let mut law = Law::new(with_defaults());
        let mut delay = |received, sent| law.delay(Timestamps { received, sent });
        assert_eq!([delay(5020, 0), delay(5030, 10), delay(5040, 20)], [None, Some(5020), Some(5020)]);
        assert_eq!(delay(5051, 30), Some(u32::MAX - 29));
    }

    /// 2 ms for 1, and then 64 times 1 for 1: 2000 - 1000 / 64 and so on.
    #[test]
    fn ticks_of_the_receiver_are_smoothed_in_sixty_fourths() {
        let mut law = Law::new(with_defaults());
        law.note_ticks(Timestamps { received: 0, sent: 0 });
        law.note_ticks(Timestamps { received: 2, sent: 1 });
        assert_eq!(law.receiver_ticks, 2000);
        law.note_ticks(Timestamps { received: 3, sent: 2 });
        assert_eq!(law.receiver_ticks, 1984);
        law.note_ticks(Timestamps { received: 3, sent: 3 });
        assert_eq!(law.receiver_ticks, 1984, "no tick, no measure");
    }
}
