//! Detection of a full pipe.

/// Rounds without this growth after which the pipe counts as full (section 5.3.1.2).
const FULL_ROUNDS: u32 = 3;
const FULL_GROWTH: f64 = 1.25;

/// The estimate of a full pipe (section 5.3.1.2).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FullPipe {
    /// `BBR.full_bw`, `BBR.full_bw_count`, `BBR.full_bw_now`.
    bandwidth: f64,
    rounds: u32,
    pub is_now: bool,
    /// `BBR.full_bw_reached`: whether it ever was.
    pub was_ever: bool,
}

impl FullPipe {
    /// Restarts detection from this bandwidth (`ResetFullBW`).
    pub fn look_anew(&mut self, bandwidth: f64) {
        *self = Self { bandwidth, was_ever: self.was_ever, ..Self::default() };
    }

    /// Records the delivery rate of a round.
    pub fn note(&mut self, rate: f64) {
        if rate >= self.bandwidth * FULL_GROWTH {
            return self.look_anew(rate);
        }
        self.rounds += 1;
        self.is_now = self.rounds >= FULL_ROUNDS;
        self.was_ever |= self.is_now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_rounds_without_a_quarter_more_fill_the_pipe() {
        let mut pipe = FullPipe::default();
        let seen: Vec<bool> = [100.0, 124.0, 125.0, 100.0, 100.0, 100.0]
            .into_iter()
            .map(|rate| {
                pipe.note(rate);
                pipe.is_now
            })
            .collect();
        assert_eq!(seen, [false, false, false, false, false, true], "125 begins anew");
        pipe.look_anew(125.0);
        assert!(!pipe.is_now && pipe.was_ever);
    }
}
