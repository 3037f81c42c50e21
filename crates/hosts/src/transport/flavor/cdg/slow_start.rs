//! The end of slow start by trains of acknowledgments and by delay, as CDG's module has it (`tcp_cdg_hystart_update`). Against CUBIC's: at any
//! window; acknowledgments up to three milliseconds apart form a train, which begins anew when the window is not used; half of the shortest
//! round trip without an allowance; delays count from 125 microseconds on, and the shortest round trip counts delayed acknowledgments out.

use longfat_foundation::units::{Span, Time};

use super::gradient::Extremes;
use crate::transport::Window;

/// Acknowledgments that are this far apart form no train.
const TRAIN_GAP: Span = Span::from_microseconds(3_000);
/// Least length of a train, and least delay, in microseconds.
const LEAST_US: u64 = 125;
/// Acknowledgments of a round before its delay is judged.
const SAMPLES: u64 = 8;

/// One slow start.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct TrainOrDelay {
    /// The shortest round trip of the connection in microseconds (`delay_min`).
    shortest_us: Option<u64>,
    /// The first and the latest acknowledgment of the train (`round_start`, `last_ack`).
    train: Option<(Time, Time)>,
    samples: u64,
}

impl TrainOrDelay {
    /// A round trip is over.
    pub fn begin_round(&mut self) {
        (self.train, self.samples) = (None, 0);
    }

    /// Takes an acknowledgment in slow start; sets the threshold to the window if slow start is over.
    pub fn note(&mut self, window: &mut Window, now: Time, round: Option<Extremes>, is_used: bool) {
        let of_round = round.map(|round| round.shortest);
        let known = self.shortest_us.into_iter().chain(of_round).min();
        self.shortest_us = known;
        let Some(shortest_us) = known else { return };
        if self.is_long_train(now, shortest_us, is_used) || self.is_delayed(of_round, shortest_us) {
            window.ssthresh = window.cwnd;
        }
    }

    fn is_long_train(&mut self, now: Time, shortest_us: u64, is_used: bool) -> bool {
        match &mut self.train {
            Some((began, latest)) if is_used => {
                if now - *latest >= TRAIN_GAP {
                    return false;
                }
                *latest = now;
                now - *began > Span::from_microseconds((shortest_us / 2).max(LEAST_US))
            }
            train => {
                *train = Some((now, now));
                false
            }
        }
    }

    fn is_delayed(&mut self, of_round: Option<u64>, shortest_us: u64) -> bool {
        if self.samples < SAMPLES {
            self.samples += 1;
            return false;
        }
        of_round.is_some_and(|us| us > (shortest_us + shortest_us / 8).max(LEAST_US))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::law::test_support::window;

    /// Acknowledgments so many microseconds apart, each after a round trip; how many until slow start is over.
    fn acknowledgments(
        apart_us: u64,
        round_trip_us: impl Fn(u64) -> u64,
        is_used: impl Fn(u64) -> bool,
    ) -> Option<u64> {
        let (mut window, mut start) = (window(4000.0), TrainOrDelay::default());
        window.ssthresh = f64::INFINITY;
        (0..100).find(|&number| {
            let now = Time::ZERO + Span::from_microseconds(apart_us * number);
            let us = round_trip_us(number);
            start.note(&mut window, now, Some(Extremes { shortest: us, longest: us }), is_used(number));
            window.ssthresh.is_finite()
        })
    }

    /// More than 20 ms: the 17th acknowledgment after the first, 1.2 ms apart.
    #[test]
    fn a_train_of_half_a_round_trip_ends_slow_start_at_any_window() {
        assert_eq!(acknowledgments(1200, |_| 40_000, |_| true), Some(17));
        assert_eq!(acknowledgments(3000, |_| 40_000, |_| true), None);
        assert_eq!(acknowledgments(1200, |_| 40_000, |number| number > 10), Some(27), "it begins at the 11th, unused");
    }

    /// Those of 40 ms come first; an eighth is 5 ms.
    #[test]
    fn a_round_whose_shortest_round_trip_is_longer_by_an_eighth_ends_it_after_eight_samples() {
        let longer = |us| move |number| if number < 4 { 40_000 } else { us };
        assert_eq!(acknowledgments(5000, longer(45_001), |_| true), Some(8));
        assert_eq!(acknowledgments(5000, longer(45_000), |_| true), None);
    }
}
