//! Gradients of the round trips, from round to round.

/// The shortest and the longest round trip of a round, in microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Extremes {
    pub shortest: u64,
    pub longest: u64,
}

impl Extremes {
    /// Takes a round trip.
    pub fn note(round: &mut Option<Self>, us: u64) {
        let round = round.get_or_insert(Self { shortest: us, longest: us });
        (round.shortest, round.longest) = (round.shortest.min(us), round.longest.max(us));
    }
}

/// State of the bottleneck's queue, by the gradients (`state`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Queue {
    /// No gradient has told.
    Unknown,
    /// Packets that are lost were not lost to a full queue.
    NotFull,
    /// The shortest round trip grows and the longest does not.
    Full,
}

/// Gradients that are less than half of this over the rounds, in microseconds, are zero.
const NOISE: i64 = 64;
/// A back-off has made round trips shorter if their gradients over the rounds are no more than this, in microseconds.
const EFFECT: i64 = -32;

/// The latest gradients, in microseconds.
#[derive(Clone, Debug)]
pub(super) struct Gradients {
    /// State of the queue by the latest of them.
    pub queue: Queue,
    /// Of the shortest and of the longest round trip, in a ring.
    rounds: Vec<[i64; 2]>,
    next: usize,
    is_filled: bool,
    sums: [i64; 2],
}

impl Gradients {
    /// Of so many rounds.
    pub fn new(rounds: u64) -> Self {
        let rounds = usize::try_from(rounds).expect("rounds fit into memory");
        Self { queue: Queue::Unknown, rounds: vec![[0; 2]; rounds], next: 0, is_filled: false, sums: [0; 2] }
    }

    /// Adds the gradient from the round before to this one. Returns the sum for the shortest round trip if it grows, otherwise for the
    /// longest; what rounds are missing at first counts as the mean of the others (`tcp_cdg_grad`).
    pub fn add(&mut self, round: Extremes, before: Extremes) -> i64 {
        let latest = [
            round.shortest.cast_signed() - before.shortest.cast_signed(),
            round.longest.cast_signed() - before.longest.cast_signed(),
        ];
        let oldest = std::mem::replace(&mut self.rounds[self.next], latest);
        for ((sum, latest), oldest) in self.sums.iter_mut().zip(latest).zip(oldest) {
            *sum += latest - oldest;
        }
        self.next = (self.next + 1) % self.rounds.len();
        self.is_filled |= self.next == 0;
        self.judge();
        let [shortest, longest] = self.sums;
        let gradient = if shortest > 0 { shortest } else { longest };
        let signed = |number: usize| i64::try_from(number).expect("rounds fit into memory");
        if self.is_filled { gradient } else { gradient * signed(self.rounds.len()) / signed(self.next) }
    }

    /// Whether round trips have become shorter.
    pub fn have_fallen(&self) -> bool {
        self.sums.iter().any(|sum| *sum <= EFFECT)
    }

    fn judge(&mut self) {
        let [shortest, longest] = self.sums.map(|sum| (2 * sum.abs() + NOISE) / (2 * NOISE) * sum.signum());
        if shortest > 0 && longest <= 0 {
            self.queue = Queue::Full;
        } else if (shortest > 0 && longest > 0) || longest < 0 {
            self.queue = Queue::NotFull;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE: Extremes = Extremes { shortest: 40_000, longest: 50_000 };

    /// From the base, so many microseconds more.
    fn more(shortest: i64, longest: i64) -> Extremes {
        Extremes {
            shortest: BASE.shortest.strict_add_signed(shortest),
            longest: BASE.longest.strict_add_signed(longest),
        }
    }

    /// By hand: 100 of one round count for 400 of four, 100 + 60 of two for 320, and so on; the fifth takes the place of the first.
    #[test]
    fn rounds_that_are_missing_count_as_the_others() {
        let mut gradients = Gradients::new(4);
        let found = [100, 60, 20, 40, 10].map(|grown| gradients.add(more(grown, 0), BASE));
        assert_eq!(found, [400, 320, 240, 220, 130]);
    }

    #[test]
    fn the_longest_round_trip_counts_where_the_shortest_does_not_grow() {
        assert_eq!(Gradients::new(1).add(more(0, 70), BASE), 70);
        assert_eq!(Gradients::new(1).add(more(-5, -70), BASE), -70);
        assert_eq!(Gradients::new(1).add(more(1, 70), BASE), 1);
    }

    /// 32 of 64 is a half, which rounds up; 31 is noise.
    #[test]
    fn a_queue_is_full_when_the_longest_round_trip_no_longer_grows() {
        let queue = |shortest, longest| {
            let mut gradients = Gradients::new(1);
            gradients.add(more(shortest, longest), BASE);
            gradients.queue
        };
        assert_eq!(queue(32, 31), Queue::Full);
        assert_eq!(queue(32, 32), Queue::NotFull);
        assert_eq!(queue(31, 31), Queue::Unknown);
        assert_eq!(queue(31, -32), Queue::NotFull);
    }

    #[test]
    fn round_trips_have_fallen_if_either_has_by_32_microseconds() {
        for (shortest, longest, have) in [(-31, -31, false), (-32, 900, true), (900, -32, true)] {
            let mut gradients = Gradients::new(1);
            gradients.add(more(shortest, longest), BASE);
            assert_eq!(gradients.have_fallen(), have);
        }
    }
}
