//! HyStart++ (RFC 9406): ends slow start when round trips become longer, before packets are lost.

use longfat_foundation::units::Span;

use super::{Progress, Window};

/// Least number of round-trip samples of a round that counts (`N_RTT_SAMPLE`; RFC 9406 section 4.3).
const SAMPLES: u32 = 8;
/// Slow start ends when round trips have grown by an eighth, within these limits (`MIN_RTT_THRESH`, `MAX_RTT_THRESH`).
const LEAST_GROWTH: Span = Span::from_microseconds(4_000);
const MOST_GROWTH: Span = Span::from_microseconds(16_000);
const GROWTH_DIVISOR: u64 = 8;
/// Divisor of the window's growth in conservative slow start (`CSS_GROWTH_DIVISOR`), and its length in rounds (`CSS_ROUNDS`).
const CONSERVATIVE_DIVISOR: f64 = 4.0;
const CONSERVATIVE_ROUNDS: u32 = 5;
/// Most segments that one acknowledgment adds to the window (L), unless segments are paced.
const MOST_SEGMENTS: f64 = 8.0;

/// The first slow start of a connection (RFC 9406 section 4.2).
#[derive(Clone, Debug, Default)]
pub struct HyStart {
    last_round: Option<Span>,
    this_round: Option<Span>,
    samples: u32,
    /// The end of the data that was sent when the round began; the first round is that of the initial window.
    round_end: Option<u64>,
    /// Conservative slow start, if it has begun.
    conservative: Option<Conservative>,
}

/// Conservative slow start: the minimum round trip when it began, and rounds since.
#[derive(Clone, Copy, Debug)]
struct Conservative {
    baseline: Span,
    rounds: u32,
}

impl HyStart {
    /// Grows the window in slow start, if it is used; returns whether slow start is over.
    #[expect(clippy::cast_precision_loss, reason = "windows are far below 2^53 bytes")]
    pub fn ends_slow_start(&mut self, window: &mut Window, progress: &Progress) -> bool {
        if progress.window_is_used {
            let bytes = progress.acknowledged.min(Self::most_counted(window, progress));
            window.grow(bytes as f64 * self.share_of_growth());
        }
        self.is_over(progress)
    }

    /// Most bytes of an acknowledgment that count (L segments).
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "some segments")]
    pub fn most_counted(window: &Window, progress: &Progress) -> u64 {
        if progress.is_paced { u64::MAX } else { (MOST_SEGMENTS * window.mss()) as u64 }
    }

    /// The share of slow start's growth that the window has at present.
    pub fn share_of_growth(&self) -> f64 {
        if self.conservative.is_some() { 1.0 / CONSERVATIVE_DIVISOR } else { 1.0 }
    }

    /// Takes note of an acknowledgment after the window has grown; returns whether slow start is over.
    pub fn is_over(&mut self, progress: &Progress) -> bool {
        if let Some(sample) = progress.sample {
            self.note(sample);
        }
        if progress.unacknowledged >= *self.round_end.get_or_insert(progress.highest) {
            self.end_round(progress.highest);
        }
        self.conservative.is_some_and(|conservative| conservative.rounds >= CONSERVATIVE_ROUNDS)
    }

    fn note(&mut self, sample: Span) {
        self.samples += 1;
        let shortest = self.this_round.map_or(sample, |shortest| shortest.min(sample));
        self.this_round = Some(shortest);
        if self.samples < SAMPLES {
            return;
        }
        if let Some(conservative) = self.conservative {
            // The queue has gone again: slow start was not over.
            if shortest < conservative.baseline {
                self.conservative = None;
            }
        } else if let Some(last) = self.last_round {
            let growth = Span(last.0 / GROWTH_DIVISOR).clamp(LEAST_GROWTH, MOST_GROWTH);
            if shortest >= last + growth {
                self.conservative = Some(Conservative { baseline: shortest, rounds: 0 });
            }
        }
    }

    fn end_round(&mut self, highest: u64) {
        self.round_end = Some(highest);
        self.last_round = self.this_round.take();
        self.samples = 0;
        if let Some(conservative) = &mut self.conservative {
            conservative.rounds += 1;
        }
    }
}

#[cfg(test)]
mod steps;
#[cfg(test)]
mod tests {
    use super::*;

    fn milliseconds(number: u64) -> Span {
        Span::from_microseconds(1000 * number)
    }

    fn round(hystart: &mut HyStart, samples: &[u64]) {
        samples.iter().for_each(|&sample| hystart.note(milliseconds(sample)));
        hystart.end_round(0);
    }

    #[test]
    fn a_round_trip_longer_by_an_eighth_within_limits_begins_conservative_slow_start() {
        for (base, longer, begins) in
            [(80, 90, true), (80, 89, false), (16, 20, true), (16, 19, false), (400, 416, true)]
        {
            let mut hystart = HyStart::default();
            round(&mut hystart, &[base; 8]);
            round(&mut hystart, &[longer; 8]);
            assert_eq!(hystart.conservative.is_some(), begins, "{base} ms, then {longer} ms");
        }
    }

    #[test]
    fn it_takes_eight_samples_and_the_shortest_counts() {
        let mut hystart = HyStart::default();
        round(&mut hystart, &[80; 8]);
        round(&mut hystart, &[200; 7]);
        assert!(hystart.conservative.is_none(), "seven");
        let mut hystart = HyStart::default();
        round(&mut hystart, &[80; 8]);
        round(&mut hystart, &[81, 200, 200, 200, 200, 200, 200, 200]);
        assert!(hystart.conservative.is_none(), "one was short");
    }

    #[test]
    fn shorter_round_trips_end_it_and_five_rounds_end_slow_start() {
        let mut hystart = HyStart::default();
        round(&mut hystart, &[80; 8]);
        round(&mut hystart, &[100; 8]);
        round(&mut hystart, &[99; 8]);
        assert!(hystart.conservative.is_none(), "99 ms are less than 100");
        round(&mut hystart, &[140; 8]);
        (0..4).for_each(|_| round(&mut hystart, &[150; 8]));
        assert_eq!(hystart.conservative.map(|conservative| conservative.rounds), Some(5));
    }
}
