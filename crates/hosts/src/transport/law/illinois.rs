//! The window of TCP-Illinois (Liu, Basar and Srikant 2008, "TCP-Illinois: a loss- and delay-based congestion control algorithm for high-speed
//! networks").

use longfat_foundation::units::{Span, Time};

use super::measured_round::MeasuredRound;
use super::{Classical, Progress, Window, WindowLaw};

/// Segments in a round trip, and the share that a loss takes, of the classical law.
const CLASSICAL_INCREASE: f64 = 1.0;
const CLASSICAL_DECREASE: f64 = 0.5;

/// What is chosen for an Illinois. Delays are those in queues, as shares of the longest.
#[derive(Clone, Copy, Debug)]
pub struct IllinoisSettings {
    /// Segments in a round trip while queues are empty (`alpha_max`).
    pub most_increase: f64,
    /// The same when they are longest (`alpha_min`).
    pub least_increase: f64,
    /// What a loss takes of the window while queues are short (`beta_min`).
    pub least_decrease: f64,
    /// The same when they are long (`beta_max`).
    pub most_decrease: f64,
    /// Up to this mean delay queues are empty (`d_1`).
    pub empty_delay: f64,
    /// Up to this one they are short (`d_2`).
    pub short_delay: f64,
    /// From this one on they are long (`d_3`).
    pub long_delay: f64,
    /// Below this window, in segments, it is the classical law (`W_thresh`).
    pub window_threshold: f64,
    /// So many round trips in a row must find queues empty that were not, before growth is the fastest again (`theta`).
    pub patience: u64,
}

/// Growth that is the slower, and a loss that takes the more, the longer packets wait.
pub struct Illinois {
    settings: IllinoisSettings,
    /// Round trips of the connection.
    shortest: Option<Span>,
    longest: Option<Span>,
    round: Option<MeasuredRound>,
    /// Segments in a round trip, now (`alpha`).
    increase: f64,
    /// The share of the window that a loss takes, now (`beta`).
    decrease: f64,
    /// Whether queues were not empty, and how many round trips in a row have found them empty since.
    has_waited: bool,
    empty_rounds: u64,
}

impl Illinois {
    /// Of a new connection.
    #[must_use]
    pub fn new(settings: IllinoisSettings) -> Self {
        Self {
            increase: settings.most_increase,
            decrease: CLASSICAL_DECREASE,
            settings,
            shortest: None,
            longest: None,
            round: None,
            has_waited: false,
            empty_rounds: 0,
        }
    }

    fn note(&mut self, sample: Span) {
        self.shortest = Some(self.shortest.map_or(sample, |shortest| shortest.min(sample)));
        self.longest = Some(self.longest.map_or(sample, |longest| longest.max(sample)));
    }

    /// A round trip is over.
    fn judge(&mut self, window: &Window, round: &MeasuredRound) {
        if window.cwnd < self.settings.window_threshold * window.mss() {
            (self.increase, self.decrease) = (CLASSICAL_INCREASE, CLASSICAL_DECREASE);
            return;
        }
        let Some(delay) = self.relative_delay(round) else { return };
        self.increase = self.increase_at(delay);
        self.decrease = self.decrease_at(delay);
    }

    /// The mean delay in queues, as a share of the longest; 0 if there was none.
    fn relative_delay(&self, round: &MeasuredRound) -> Option<f64> {
        let (shortest, longest) = self.shortest.zip(self.longest)?;
        let delay = round.mean_seconds()? - shortest.as_seconds();
        let longest = longest.as_seconds() - shortest.as_seconds();
        Some(if longest > 0.0 { (delay / longest).clamp(0.0, 1.0) } else { 0.0 })
    }

    /// `alpha`: the most while queues are empty; else a hyperbola from there to the least.
    fn increase_at(&mut self, delay: f64) -> f64 {
        let IllinoisSettings { most_increase, least_increase, empty_delay, patience, .. } = self.settings;
        if delay > empty_delay {
            (self.has_waited, self.empty_rounds) = (true, 0);
            let way = (delay - empty_delay) / (1.0 - empty_delay);
            return most_increase / (1.0 + way * (most_increase / least_increase - 1.0));
        }
        self.empty_rounds += 1;
        if self.has_waited && self.empty_rounds < patience {
            return self.increase;
        }
        self.has_waited = false;
        most_increase
    }

    /// `beta`: the least while queues are short, the most when they are long, and a line between.
    fn decrease_at(&self, delay: f64) -> f64 {
        let IllinoisSettings { least_decrease, most_decrease, short_delay, long_delay, .. } = self.settings;
        if delay <= short_delay {
            least_decrease
        } else if delay >= long_delay {
            most_decrease
        } else {
            let way = (delay - short_delay) / (long_delay - short_delay);
            least_decrease + way * (most_decrease - least_decrease)
        }
    }
}

impl WindowLaw for Illinois {
    fn on_acknowledgment(&mut self, window: &mut Window, progress: &Progress) {
        if let Some(over) = MeasuredRound::take_in(&mut self.round, progress) {
            self.judge(window, &over);
        }
        if let Some(sample) = progress.sample {
            self.note(sample);
        }
        if window.in_slow_start() {
            Classical.on_acknowledgment(window, progress);
        } else if progress.window_is_used || window.grows_unused() {
            // No faster than one segment for each that was acknowledged.
            let most = window.cwnd / window.mss();
            window.grow_linearly_by(self.increase.min(most), progress.acknowledged);
        }
    }

    fn on_loss(&mut self, window: &mut Window, flight: u64) {
        window.reduce(1.0 - self.decrease, flight);
    }

    fn on_loss_after_mark(&mut self, _window: &mut Window, _flight: u64) {}

    /// From here on it is the classical law until a round trip tells more.
    fn on_timeout(&mut self, window: &mut Window, flight: u64) {
        window.reduce_threshold_at_timeout(1.0 - self.decrease, flight);
        window.collapse();
        (self.increase, self.decrease) = (CLASSICAL_INCREASE, CLASSICAL_DECREASE);
        (self.has_waited, self.empty_rounds) = (false, 0);
        self.round = None;
    }

    /// What was measured is of another time.
    fn on_restart_from_idle(&mut self, _now: Time) {
        self.round = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAPER: IllinoisSettings = IllinoisSettings {
        most_increase: 10.0,
        least_increase: 0.3,
        least_decrease: 0.125,
        most_decrease: 0.5,
        empty_delay: 0.01,
        short_delay: 0.1,
        long_delay: 0.8,
        window_threshold: 15.0,
        patience: 5,
    };

    fn assert_near(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-12, "{found}, not {expected}");
    }

    /// Half of the way: 10 / (1 + 32.333 / 2) = 0.5825.
    #[test]
    fn growth_falls_from_the_most_to_the_least_as_a_hyperbola() {
        for (delay, increase) in [(0.01, 10.0), (0.505, 10.0 / (1.0 + 97.0 / 6.0)), (1.0, 0.3)] {
            assert_near(Illinois::new(PAPER).increase_at(delay), increase);
        }
    }

    #[test]
    fn what_a_loss_takes_rises_from_the_least_to_the_most_as_a_line() {
        let cases = [(0.0, 0.125), (0.1, 0.125), (0.45, 0.3125), (0.8, 0.5), (1.0, 0.5)];
        for (delay, decrease) in cases {
            assert_near(Illinois::new(PAPER).decrease_at(delay), decrease);
        }
    }

    #[test]
    fn five_empty_rounds_in_a_row_make_growth_the_fastest_again() {
        let mut law = Illinois::new(PAPER);
        assert_near(law.increase_at(0.0), 10.0);
        law.increase = law.increase_at(1.0);
        (0..4).for_each(|_| assert_near(law.increase_at(0.0), 0.3));
        law.increase = law.increase_at(0.505);
        let waits = law.increase;
        (0..4).for_each(|_| assert_near(law.increase_at(0.01), waits));
        assert_near(law.increase_at(0.01), 10.0);
        assert_near(law.increase_at(0.01), 10.0);
    }
}
