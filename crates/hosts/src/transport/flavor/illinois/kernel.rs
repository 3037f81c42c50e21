//! TCP-Illinois as the module of Linux 6.12 computes it (`net/ipv4/tcp_illinois.c`): round trips in whole microseconds, growth in 128ths of a segment,
//! reductions in 64ths of the window.

use super::Illinois;
use crate::transport::Window;
use crate::transport::law::{Arrivals, Progress, WindowLaw};

const INCREASE_SCALE: f64 = 128.0;
const DECREASE_SCALE: f64 = 64.0;
/// Longest round trip in microseconds that is taken as it is (`RTT_MAX`).
const LONGEST_ROUND_TRIP: u64 = 3_355_443;

/// Growth and reduction by delays.
pub(super) struct Law {
    settings: Illinois,
    /// Round trips of the present round: their sum and number; and where the round ends.
    sum: u64,
    samples: u64,
    round_end: u64,
    /// Extremes of all round trips (`base_rtt`, `max_rtt`).
    shortest: u64,
    longest: u64,
    /// Growth in 128ths of a segment per round trip, and the share that a loss takes in 64ths (`alpha`, `beta`).
    increase: u64,
    decrease: u64,
    /// Segments of the latest acknowledgment (`acked`).
    acknowledged: u64,
    has_waited: bool,
    empty_rounds: u64,
}

/// A parameter as a scaled integer, rounded down.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "parameters are positive")]
fn scaled(parameter: f64, scale: f64) -> u64 {
    (parameter * scale) as u64
}

/// A share of a delay, rounded down.
fn share_of(delay: u64, share: f64) -> u64 {
    delay * scaled(share * 1e6 + 0.5, 1.0) / 1_000_000
}

impl Law {
    pub fn new(settings: Illinois) -> Self {
        Self {
            sum: 0,
            samples: 0,
            round_end: 0,
            shortest: u64::MAX,
            longest: 0,
            increase: scaled(settings.most_increase.0, INCREASE_SCALE),
            decrease: scaled(settings.most_decrease.0, DECREASE_SCALE),
            acknowledged: 0,
            has_waited: false,
            empty_rounds: 0,
            settings,
        }
    }

    fn begin_round(&mut self, highest: u64) {
        (self.sum, self.samples, self.round_end) = (0, 0, highest);
    }

    fn be_classical(&mut self) {
        self.increase = scaled(1.0, INCREASE_SCALE);
        self.decrease = scaled(self.settings.most_decrease.0, DECREASE_SCALE);
    }

    /// Sets growth and reduction at the end of a round (`update_params`).
    fn judge(&mut self, window: &Window) {
        if window.segments() < self.settings.window_threshold.0 {
            self.be_classical();
        } else if let Some(mean) = self.sum.checked_div(self.samples) {
            let (delay, longest) = (mean - self.shortest, self.longest - self.shortest);
            self.increase = self.increase_at(delay, longest);
            self.decrease = self.decrease_at(delay, longest);
        }
    }

    fn increase_at(&mut self, delay: u64, longest: u64) -> u64 {
        let most = scaled(self.settings.most_increase.0, INCREASE_SCALE);
        let least = scaled(self.settings.least_increase.0, INCREASE_SCALE).max(1);
        let empty = share_of(longest, self.settings.empty_delay.0);
        if delay > empty {
            self.has_waited = true;
            let (delay, longest) = (delay - empty, longest.saturating_sub(empty));
            return (longest * most).checked_div(longest + delay * most.saturating_sub(least) / least).unwrap_or(most);
        }
        if self.has_waited {
            self.empty_rounds += 1;
            if self.empty_rounds < self.settings.patience.0 {
                return self.increase;
            }
            (self.has_waited, self.empty_rounds) = (false, 0);
        }
        most
    }

    fn decrease_at(&self, delay: u64, longest: u64) -> u64 {
        let least = scaled(self.settings.least_decrease.0, DECREASE_SCALE);
        let most = scaled(self.settings.most_decrease.0, DECREASE_SCALE);
        let short = share_of(longest, self.settings.short_delay.0);
        let long = share_of(longest, self.settings.long_delay.0);
        if delay <= short {
            least
        } else if delay >= long || long <= short {
            most
        } else {
            (least * (long - delay) + most * (delay - short)) / (long - short)
        }
    }

    /// Segments that a loss leaves.
    fn left(&self, window: &Window) -> u64 {
        window.segments() - ((window.segments() * self.decrease) >> 6)
    }
}

impl WindowLaw for Law {
    fn observes_arrivals(&self) -> bool {
        true
    }

    fn on_arrivals(&mut self, _window: &mut Window, arrivals: &Arrivals) {
        self.acknowledged = arrivals.segments;
        let Some(us) = arrivals.microseconds().map(|us| us.min(LONGEST_ROUND_TRIP)) else { return };
        self.shortest = self.shortest.min(us);
        self.longest = self.longest.max(us);
        self.samples += 1;
        self.sum += us;
    }

    fn on_acknowledgment(&mut self, window: &mut Window, progress: &Progress) {
        if progress.unacknowledged > self.round_end {
            self.judge(window);
            self.begin_round(progress.highest);
        }
        if !(progress.window_is_used || window.grows_unused()) {
            return;
        }
        if window.in_slow_start() {
            window.start_slowly(window.in_segments(progress.acknowledged));
            return;
        }
        window.credit += std::mem::replace(&mut self.acknowledged, 1);
        let (segments, grown) = (window.segments(), (window.credit * self.increase) >> 7);
        if grown >= segments {
            window.set_segments(segments + grown / segments);
            window.credit = 0;
        }
    }

    fn on_loss(&mut self, window: &mut Window, _flight: u64) {
        window.reduce_to(self.left(window));
    }

    fn on_loss_after_mark(&mut self, _window: &mut Window, _flight: u64) {}

    fn on_timeout(&mut self, window: &mut Window, _flight: u64) {
        let left = self.left(window);
        window.time_out_to(left);
        self.be_classical();
        (self.has_waited, self.empty_rounds) = (false, 0);
        (self.sum, self.samples) = (0, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::law::test_support::Module;
    use crate::transport::law::with_defaults;

    /// 0.3 * 128 = 38; of a delay of 20 of 40 ms: d1 = 400, 39,600 * 1280 / (39,600 + 19,600 * 1242 / 38) = 74.
    #[test]
    fn growth_is_a_hyperbola_in_whole_numbers() {
        let mut law = Law::new(with_defaults());
        assert_eq!([400, 20_000, 40_000].map(|delay| law.increase_at(delay, 40_000)), [1280, 74, 38]);
    }

    /// d2 = 4000 and d3 = 32,000: (8 * 14,000 + 32 * 14,000) / 28,000 = 20 of 64.
    #[test]
    fn what_a_loss_takes_is_a_line_in_sixty_fourths() {
        let law = Law::new(with_defaults());
        assert_eq!([4000, 18_000, 32_000].map(|delay| law.decrease_at(delay, 40_000)), [8, 20, 32]);
    }

    /// Ten segments a round trip are a segment for each 4 of 40: 4 * 1280 / 128 = 40.
    #[test]
    fn while_queues_are_empty_a_window_of_forty_grows_for_every_four_segments() {
        let mut module = Module::of("illinois", "", 40);
        module.acknowledge(2, 40_000);
        assert_eq!(module.window.segments(), 40);
        module.acknowledge(2, 40_000);
        assert_eq!(module.window.segments(), 41);
        assert_eq!(module.lose(), 41 - 41 * 8 / 64);
    }

    /// Unlike the paper's reading, rounds that found queues full in between do not begin the count anew.
    #[test]
    fn five_rounds_with_empty_queues_make_growth_the_fastest_again() {
        let mut law = Law::new(with_defaults());
        law.increase = law.increase_at(40_000, 40_000);
        (0..4).for_each(|_| assert_eq!(law.increase_at(0, 40_000), 38));
        law.increase_at(40_000, 40_000);
        assert_eq!(law.increase_at(0, 40_000), 1280);
    }

    #[test]
    fn after_a_timeout_it_is_the_classical_law() {
        let mut module = Module::of("illinois", "", 40);
        module.acknowledge(2, 40_000);
        assert_eq!(module.time_out(), 35);
        module.window.set_segments(40);
        assert_eq!(module.lose(), 20);
    }
}
