//! TCP-Illinois (Liu, Basar and Srikant 2008, "TCP-Illinois: a loss- and delay-based congestion control algorithm for high-speed
//! networks"); names in code font are the paper's.

mod kernel;

use longfat_foundation::config::{AtLeastOne, Fraction, PositiveNumber};
use longfat_foundation::registry::{Chosen, Plan};
use longfat_foundation::units::{Span, Time};

use super::Flavor;
use crate::transport::Window;
use crate::transport::law::{
    AfterLoss, Arithmetic, Classical, LawFacts, MeasuredRound, Progress, Regrowth, ResponseToMarks, SlowStart,
    WindowLaw,
};
use crate::transport::recovery::Recovery;

longfat_foundation::model! {
    /// TCP-Illinois: losses say when the window shrinks, and delays in queues how much it grows and shrinks: by ten segments in a round trip and an
    /// eighth while queues are empty, by 0.3 and a half when they are long. Without `timestamps` one segment of each window measures a round trip.
    #[name = "illinois"]
    #[source = "Liu, Basar and Srikant 2008, Performance Evaluation 65(6-7)"]
    pub struct Illinois: dyn Flavor {
        /// How losses are noticed and repaired.
        recovery: Chosen<dyn Recovery> = "sack-rfc6675",
        /// Segments by which the window grows in a round trip while queues are empty (alpha_max).
        most_increase: PositiveNumber = "10",
        /// Segments per round trip while queueing delay is at its maximum (alpha_min).
        least_increase: PositiveNumber = "0.3",
        /// The share of the window that a loss takes while queues are short (beta_min).
        least_decrease: Fraction = "0.125",
        /// Share of the window that a loss takes while queueing delay is long (beta_max).
        most_decrease: Fraction = "0.5",
        /// The share of the longest delay up to which queues are empty (d_1).
        empty_delay: Fraction = "0.01",
        /// The share of the longest delay up to which they are short (d_2).
        short_delay: Fraction = "0.1",
        /// The share of the longest delay from which on they are long (d_3).
        long_delay: Fraction = "0.8",
        /// Below this window, in segments, it is the classical law (W_thresh). As in Linux.
        window_threshold: AtLeastOne = "15",
        /// So many round trips in a row must find queues empty that were not, before growth is the fastest again (theta). As in Linux.
        patience: AtLeastOne = "5",
        /// How the law computes: in real numbers as above, or as the module of the Linux kernel does.
        arithmetic: Arithmetic = "real" or ["linux"],
    }
    build(config, _context) { Box::new(config.clone()) }
    objections(config, _context) { config.objections() }
}

impl Illinois {
    /// The longer the queues, the slower it is to grow and the more a loss is to take.
    fn objections(&self) -> Vec<(&'static str, String)> {
        let orders = [
            ("least_increase", self.least_increase.0, "most_increase", self.most_increase.0),
            ("least_decrease", self.least_decrease.0, "most_decrease", self.most_decrease.0),
            ("empty_delay", self.empty_delay.0, "short_delay", self.short_delay.0),
            ("short_delay", self.short_delay.0, "long_delay", self.long_delay.0),
        ];
        let wrong = orders.into_iter().filter(|(_, less, _, more)| less > more);
        wrong.map(|(key, less, other, more)| (key, format!("{less} is above {other}, {more}; write less"))).collect()
    }
}

impl Flavor for Illinois {
    fn law(&self) -> Box<dyn WindowLaw> {
        match self.arithmetic {
            Arithmetic::Real => Box::new(Law::new(self.clone())),
            Arithmetic::Kernel => Box::new(kernel::Law::new(self.clone())),
        }
    }

    fn recovery(&self) -> &dyn Plan<dyn Recovery> {
        &*self.recovery
    }

    fn facts(&self) -> LawFacts {
        LawFacts {
            slow_start: SlowStart::Doubles,
            ends_slow_start: false,
            has_reno_response: false,
            marks: ResponseToMarks::AsLoss,
            observes_deliveries: false,
            is_paced: false,
            leaves_pipe_idle: false,
            shrinks_without_loss: false,
        }
    }

    /// `beta_max` of the window, which a queue that fills up grows back ever more slowly.
    ///
    /// The time in round trips is that share of the window over `alpha_max`, times the mean of the hyperbola's inverse between the fastest
    /// and the slowest growth.
    fn after_loss(&self, segments: f64, round_trip_s: f64) -> AfterLoss {
        let left = 1.0 - self.least_decrease.0.min(CLASSICAL_DECREASE);
        let regrowth_s = if segments < self.window_threshold.as_f64() {
            segments / 2.0 * round_trip_s
        } else {
            let (most, least) = (self.most_increase.0, self.least_increase.0);
            segments * self.most_decrease.0 / most * (1.0 + most / least) / 2.0 * round_trip_s
        };
        AfterLoss { left, left_after_timeout: left, regrowth: Regrowth::ByAcknowledgments(regrowth_s) }
    }
}

/// Segments per round trip, and the share that a loss removes, in the classical law.
const CLASSICAL_INCREASE: f64 = 1.0;
const CLASSICAL_DECREASE: f64 = 0.5;

/// Growth that is slower, and a reduction that is larger, the longer packets are queued.
struct Law {
    settings: Illinois,
    /// Round trips of the connection.
    shortest: Option<Span>,
    longest: Option<Span>,
    round: Option<MeasuredRound>,
    /// Present growth in segments per round trip (`alpha`).
    increase: f64,
    /// The share of the window that a loss removes at present (`beta`).
    decrease: f64,
    /// Whether queues were not empty, and the number of round trips in a row that have found them empty since.
    has_waited: bool,
    empty_rounds: u64,
}

impl Law {
    fn new(settings: Illinois) -> Self {
        Self {
            increase: settings.most_increase.0,
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

    /// Sets growth and reduction at the end of a round trip.
    fn judge(&mut self, window: &Window, round: &MeasuredRound) {
        if window.cwnd < self.settings.window_threshold.as_f64() * window.mss() {
            (self.increase, self.decrease) = (CLASSICAL_INCREASE, CLASSICAL_DECREASE);
            return;
        }
        let Some(delay) = self.relative_delay(round) else { return };
        self.increase = self.increase_at(delay);
        self.decrease = self.decrease_at(delay);
    }

    /// The mean queueing delay as a share of the longest; 0 if there was none.
    fn relative_delay(&self, round: &MeasuredRound) -> Option<f64> {
        let (shortest, longest) = self.shortest.zip(self.longest)?;
        let delay = round.mean_seconds()? - shortest.as_seconds();
        let longest = longest.as_seconds() - shortest.as_seconds();
        Some(if longest > 0.0 { (delay / longest).clamp(0.0, 1.0) } else { 0.0 })
    }

    /// `alpha`: the fastest growth while queues are empty, else a hyperbola from there to the slowest.
    fn increase_at(&mut self, delay: f64) -> f64 {
        let most = self.settings.most_increase.0;
        let empty_delay = self.settings.empty_delay.0;
        if delay > empty_delay {
            (self.has_waited, self.empty_rounds) = (true, 0);
            let way = (delay - empty_delay) / (1.0 - empty_delay);
            return most / (1.0 + way * (most / self.settings.least_increase.0 - 1.0));
        }
        self.empty_rounds += 1;
        if self.has_waited && self.empty_rounds < self.settings.patience.0 {
            return self.increase;
        }
        self.has_waited = false;
        most
    }

    /// `beta`: the smallest reduction while queues are short, the largest when they are long, and a line between.
    fn decrease_at(&self, delay: f64) -> f64 {
        let (least, most) = (self.settings.least_decrease.0, self.settings.most_decrease.0);
        let (short_delay, long_delay) = (self.settings.short_delay.0, self.settings.long_delay.0);
        if delay <= short_delay {
            least
        } else if delay >= long_delay {
            most
        } else {
            least + (delay - short_delay) / (long_delay - short_delay) * (most - least)
        }
    }
}

impl WindowLaw for Law {
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
            // At most one segment for each segment acknowledged.
            let most = window.cwnd / window.mss();
            window.grow_linearly_by(self.increase.min(most), progress.acknowledged);
        }
    }

    fn on_loss(&mut self, window: &mut Window, flight: u64) {
        window.reduce(1.0 - self.decrease, flight);
    }

    fn on_loss_after_mark(&mut self, _window: &mut Window, _flight: u64) {}

    /// From here on the classical law applies until a round trip is measured.
    fn on_timeout(&mut self, window: &mut Window, flight: u64) {
        window.reduce_threshold_at_timeout(1.0 - self.decrease, flight);
        window.collapse();
        (self.increase, self.decrease) = (CLASSICAL_INCREASE, CLASSICAL_DECREASE);
        (self.has_waited, self.empty_rounds) = (false, 0);
        self.round = None;
    }

    /// Samples from before the pause are out of date.
    fn on_restart_from_idle(&mut self, _now: Time) {
        self.round = None;
    }
}

#[cfg(test)]
mod steps;
#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::law::with_defaults;

    fn law() -> Law {
        Law::new(with_defaults())
    }

    fn assert_near(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-12, "{found}, not {expected}");
    }

    /// Half of the way: 10 / (1 + 32.333 / 2) = 0.5825.
    #[test]
    fn growth_falls_from_the_most_to_the_least_as_a_hyperbola() {
        for (delay, increase) in [(0.01, 10.0), (0.505, 10.0 / (1.0 + 97.0 / 6.0)), (1.0, 0.3)] {
            assert_near(law().increase_at(delay), increase);
        }
    }

    #[test]
    fn what_a_loss_takes_rises_from_the_least_to_the_most_as_a_line() {
        let cases = [(0.0, 0.125), (0.1, 0.125), (0.45, 0.3125), (0.8, 0.5), (1.0, 0.5)];
        for (delay, decrease) in cases {
            assert_near(law().decrease_at(delay), decrease);
        }
    }

    #[test]
    fn five_empty_rounds_in_a_row_make_growth_the_fastest_again() {
        let mut law = law();
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
