//! Hybrid slow start (Ha and Rhee 2011, "Taming the elephants: new TCP slow start"), as Linux 6.12 has it (`hystart_update` of
//! net/ipv4/tcp_cubic.c); names in code font are the kernel's.

use longfat_foundation::units::{Span, Time};

use super::{Arrivals, Window};

/// Least window in segments at which slow start may end (`hystart_low_window`).
const LOW_WINDOW: u64 = 16;
/// Largest distance between acknowledgments of a train (`hystart_ack_delta_us`).
const TRAIN_GAP: Span = Span::from_microseconds(2_000);
/// Added to the round trip for acknowledgments that wait for segmentation offloads: its limit, which is reached at rates below 2 Gbit/s
/// (`hystart_ack_delay`).
const OFFLOAD_DELAY: Span = Span::from_microseconds(1_000);
/// Samples of a round before the delay is judged (`HYSTART_MIN_SAMPLES`).
const SAMPLES: u32 = 8;
/// Slow start ends when round trips have grown by an eighth, within these limits (`HYSTART_DELAY_MIN`, `HYSTART_DELAY_MAX`).
const LEAST_GROWTH: Span = Span::from_microseconds(4_000);
const MOST_GROWTH: Span = Span::from_microseconds(16_000);

/// Ends a slow start when acknowledgments have followed each other for half of the least round trip, since then the path is full, or when
/// round trips have grown by an eighth.
#[derive(Clone, Debug, Default)]
pub struct HybridStart {
    /// Whether slow start has ended (`found`).
    has_ended: bool,
    round: Option<Round>,
}

/// One round trip of slow start.
#[derive(Clone, Copy, Debug)]
struct Round {
    /// When it began (`round_start`), and the latest acknowledgment of the train that began with it (`last_ack`).
    began: Time,
    train: Time,
    /// The end of the data sent when it began (`end_seq`).
    end: u64,
    /// Its shortest round trip (`curr_rtt`) and samples (`sample_cnt`).
    shortest: Option<Span>,
    samples: u32,
}

impl Round {
    fn begin(arrivals: &Arrivals) -> Self {
        Self { began: arrivals.now, train: arrivals.now, end: arrivals.highest, shortest: None, samples: 0 }
    }
}

impl HybridStart {
    /// Begins again after a timeout, `latest` being the latest acknowledgment before it: the first round is that of what was sent until then.
    pub fn begin_anew(&mut self, latest: &Arrivals) {
        *self = Self { has_ended: false, round: Some(Round::begin(latest)) };
    }

    /// Takes an acknowledgment in slow start whose round trip is `sample`, where the least round trip is `shortest`; sets the threshold to
    /// the window if slow start is over.
    pub fn note(&mut self, window: &mut Window, arrivals: &Arrivals, sample: Span, shortest: Span) {
        if self.has_ended {
            return;
        }
        let round = match &mut self.round {
            Some(round) if arrivals.unacknowledged <= round.end => round,
            round => round.insert(Round::begin(arrivals)),
        };
        if window.segments() < LOW_WINDOW {
            return;
        }
        if arrivals.now - round.train <= TRAIN_GAP {
            round.train = arrivals.now;
            let least = shortest + OFFLOAD_DELAY;
            // Pacing delays segments by up to half a round trip.
            let length = if arrivals.is_paced { least } else { Span(least.0 / 2) };
            self.has_ended |= arrivals.now - round.began > length;
        }
        round.shortest = Some(round.shortest.map_or(sample, |before| before.min(sample)));
        if round.samples < SAMPLES {
            round.samples += 1;
        } else {
            let growth = Span(shortest.0 / 8).clamp(LEAST_GROWTH, MOST_GROWTH);
            self.has_ended |= round.shortest.is_some_and(|now| now > shortest + growth);
        }
        if self.has_ended {
            window.set_threshold_segments(window.segments());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::law::test_support::window;

    const ROUND_TRIP: Span = Span::from_microseconds(40_000);

    /// Acknowledgments of one segment each, `gap_us` apart, of which the k-th has a round trip of 40 ms and k times `grows_us` more; returns how
    /// many came before slow start ended.
    fn acknowledgments(segments: f64, gap_us: u64, grows_us: u64, is_paced: bool) -> Option<u64> {
        let mut window = window(1000.0 * segments);
        window.ssthresh = f64::INFINITY;
        let mut start = HybridStart::default();
        (0..100).find(|&number| {
            let now = Time::ZERO + Span::from_microseconds(40_000 + gap_us * number);
            let arrivals = Arrivals {
                now,
                unacknowledged: 1000 * (number + 1),
                highest: 1_000_000,
                is_paced,
                ..Arrivals::default()
            };
            let sample = ROUND_TRIP + Span::from_microseconds(grows_us * number);
            start.note(&mut window, &arrivals, sample, ROUND_TRIP);
            window.ssthresh.is_finite()
        })
    }

    /// (40 ms + 1 ms) / 2 = 20.5 ms, and with pacing 41 ms: the 18th and the 35th acknowledgment after the first, 1.2 ms apart.
    #[test]
    fn a_train_of_half_a_round_trip_ends_slow_start() {
        assert_eq!(acknowledgments(20.0, 1200, 0, false), Some(18));
        assert_eq!(acknowledgments(20.0, 1200, 0, true), Some(35));
    }

    #[test]
    fn acknowledgments_farther_apart_are_no_train() {
        assert_eq!(acknowledgments(20.0, 2001, 0, false), None);
    }

    #[test]
    fn a_window_below_sixteen_segments_is_left_alone() {
        assert_eq!(acknowledgments(15.0, 1200, 0, false), None);
    }

    /// The shortest of a round counts: an eighth of 40 ms is 5 ms.
    #[test]
    fn round_trips_that_are_longer_by_an_eighth_end_slow_start_after_eight_samples() {
        let mut window = window(20_000.0);
        window.ssthresh = f64::INFINITY;
        let ends_after = |sample_us: u64, window: &mut Window| {
            window.ssthresh = f64::INFINITY;
            let mut start = HybridStart::default();
            (0..20u64).find(|&number| {
                let now = Time::ZERO + Span::from_microseconds(5000 * number);
                let arrivals = Arrivals { now, unacknowledged: number, highest: 1000, ..Arrivals::default() };
                start.note(window, &arrivals, Span::from_microseconds(sample_us), ROUND_TRIP);
                window.ssthresh.is_finite()
            })
        };
        assert_eq!(ends_after(45_001, &mut window), Some(8));
        assert_eq!(ends_after(45_000, &mut window), None);
    }
}
