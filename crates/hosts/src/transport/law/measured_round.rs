//! The round trips that are measured in one.

use longfat_foundation::units::Span;

use super::Progress;

/// Round trips measured since one began.
#[derive(Clone, Copy, Debug)]
pub struct MeasuredRound {
    /// It is over when more is acknowledged than had been sent as it began.
    end: u64,
    sum_seconds: f64,
    samples: u32,
    shortest: Option<Span>,
}

impl MeasuredRound {
    fn beginning(highest: u64) -> Self {
        Self { end: highest, sum_seconds: 0.0, samples: 0, shortest: None }
    }

    /// Takes in an acknowledgment; gives the round that it ends. What it measures is the next one's.
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

    /// The shortest of them, if one was measured.
    pub fn shortest(&self) -> Option<Span> {
        self.shortest
    }

    /// Their mean, if one was measured.
    pub fn mean_seconds(&self) -> Option<f64> {
        (self.samples > 0).then(|| self.sum_seconds / f64::from(self.samples))
    }
}
