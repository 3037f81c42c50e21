//! The round-trip samples of one round trip.

use longfat_foundation::units::Span;

use super::Progress;

/// Round-trip samples since a round began.
#[derive(Clone, Copy, Debug)]
pub struct MeasuredRound {
    /// The round ends when bytes beyond this one, the highest sent when it began, are acknowledged.
    end: u64,
    sum_seconds: f64,
    samples: u32,
    shortest: Option<Span>,
}

impl MeasuredRound {
    fn beginning(highest: u64) -> Self {
        Self { end: highest, sum_seconds: 0.0, samples: 0, shortest: None }
    }

    /// Records an acknowledgment; returns the round that it ends, if it ends one. Its own sample belongs to the next round.
    pub fn take_in(current: &mut Option<Self>, progress: &Progress) -> Option<Self> {
        let (mut round, over) = match *current {
            Some(round) if progress.unacknowledged <= round.end => (round, None),
            over => (Self::beginning(progress.highest), over),
        };
        if let Some(sample) = progress.sample {
            round.sum_seconds += sample.as_seconds();
            round.samples += 1;
            round.shortest = Some(round.shortest.map_or(sample, |shortest| shortest.min(sample)));
        }
        *current = Some(round);
        over
    }

    /// The minimum; `None` without samples.
    pub fn shortest(&self) -> Option<Span> {
        self.shortest
    }

    /// The mean; `None` without samples.
    pub fn mean_seconds(&self) -> Option<f64> {
        (self.samples > 0).then(|| self.sum_seconds / f64::from(self.samples))
    }
}
