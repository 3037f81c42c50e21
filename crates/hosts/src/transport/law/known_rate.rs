//! A rate that an earlier connection had, in a law that goes by delivery rates (RFC 9959 appendix C).

/// Rounds for which the rate is tried: that in which it is sent, and that in which it is acknowledged.
const ROUNDS: u64 = 2;

/// How far the attempt has come. Rates are in bytes of data per second.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Stage {
    /// There is none, or it is over.
    #[default]
    None,
    /// With the next round.
    Asked(f64),
    /// Until a round has begun (`carefully-resuming` is true).
    Tried { rate: f64, until: u64 },
    /// It was too much: Startup ends, and what Drain measures does not count.
    Retreating,
}

/// The attempt to send at such a rate.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::transport) struct KnownRate(Stage);

impl KnownRate {
    /// Asks for a rate, from the next round on.
    pub fn ask(&mut self, rate: f64) {
        self.0 = Stage::Asked(rate);
    }

    /// A round begins; only Startup may try the rate.
    pub fn begin_round(&mut self, round: u64, is_startup: bool) {
        self.0 = match self.0 {
            Stage::Asked(rate) if is_startup => Stage::Tried { rate, until: round + ROUNDS },
            Stage::Asked(_) => Stage::None,
            Stage::Tried { until, .. } if round >= until => Stage::None,
            stage => stage,
        };
    }

    /// The least bandwidth for rate and window at present, 0 if there is none.
    pub fn floor(self) -> f64 {
        match self.0 {
            Stage::Tried { rate, .. } => rate,
            _ => 0.0,
        }
    }

    /// A loss, a mark or a timeout.
    pub fn note_congestion(&mut self) {
        self.0 = match self.0 {
            Stage::Asked(_) | Stage::None => Stage::None,
            Stage::Tried { .. } | Stage::Retreating => Stage::Retreating,
        };
    }

    /// True in the safe retreat (RFC 9959): Startup ends, and the bandwidth filter takes no delivery rates during Drain.
    pub fn retreats(self) -> bool {
        self.0 == Stage::Retreating
    }

    /// Drain is over.
    pub fn end(&mut self) {
        self.0 = Stage::None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tried() -> KnownRate {
        let mut known = KnownRate::default();
        known.ask(1e6);
        assert_eq!(known.floor(), 0.0, "not before a round begins");
        known.begin_round(5, true);
        known
    }

    #[test]
    fn a_rate_is_tried_for_two_rounds() {
        let mut known = tried();
        assert_eq!(known.floor(), 1e6);
        known.begin_round(6, true);
        assert_eq!(known.floor(), 1e6);
        known.begin_round(7, true);
        assert_eq!(known.floor(), 0.0);
        known.note_congestion();
        assert!(!known.retreats(), "congestion later is not its");
    }

    #[test]
    fn congestion_ends_it_until_the_queue_is_drained() {
        let mut known = tried();
        known.note_congestion();
        known.begin_round(7, false);
        assert!(known.retreats() && known.floor() == 0.0);
        known.end();
        assert!(!known.retreats());
    }

    #[test]
    fn nothing_is_tried_after_startup_or_after_a_loss() {
        let mut known = KnownRate::default();
        known.ask(1e6);
        known.begin_round(5, false);
        assert_eq!(known.floor(), 0.0);
        known.ask(1e6);
        known.note_congestion();
        known.begin_round(6, true);
        assert!(known.floor() == 0.0 && !known.retreats());
    }
}
