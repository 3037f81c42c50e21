//! YeAH-TCP (Baiocchi, Castellani and Vacirca 2007, "YeAH-TCP: yet another highspeed TCP"), and the module of Linux 6.12
//! (net/ipv4/tcp_yeah.c), which is by the paper's authors; names in code font are the module's.

use longfat_foundation::config::{AtLeastOne, Fraction};
use longfat_foundation::registry::{Chosen, Plan};
use longfat_foundation::units::Time;

use super::Flavor;
use crate::transport::Window;
use crate::transport::law::{
    AfterLoss, Arrivals, LawFacts, Phase, Progress, Regrowth, ResponseToMarks, RoundTrips, SlowStart, WindowLaw,
};
use crate::transport::recovery::Recovery;
use crate::transport::window::share_of_segments;

longfat_foundation::model! {
    /// YeAH-TCP: grows as Scalable TCP while few of its segments wait in queues, and as Reno otherwise; too many it takes out of the queue by
    /// itself. A loss takes what waited, unless it was Reno for long, since then others fill the queue and it takes half. It counts in whole
    /// segments.
    #[name = "yeah"]
    #[source = "Baiocchi, Castellani and Vacirca 2007, PFLDnet; Linux 6.12, net/ipv4/tcp_yeah.c"]
    pub struct Yeah: dyn Flavor {
        /// How losses are detected and repaired.
        recovery: Chosen<dyn Recovery> = "sack-rfc6675",
        /// Segments that may wait in queues (Q_max).
        most_waiting: AtLeastOne = "80",
        /// The share of the shortest round trip that a queue may add before growth is Reno's (1 / phi).
        most_delay: Fraction = "0.125",
        /// The largest share of the window that is taken out of the queue in a round trip (1 / 2^epsilon).
        most_decongestion: Fraction = "0.5",
        /// The least share of the window that a loss takes (1 / 2^delta).
        least_decrease: Fraction = "0.125",
        /// After so many round trips of Reno's growth in a row, others are taken to fill the queue, and a loss takes half of the window (rho).
        competing_rounds: AtLeastOne = "16",
        /// After more round trips of fast growth than this, the estimate of what Reno's window would be is forgotten (zeta).
        alone_rounds: AtLeastOne = "50",
        /// Acknowledged segments for one of growth, at most; a smaller window is the period (Scalable TCP's increase).
        growth_period: AtLeastOne = "100",
    }
    build(config, _context) { Box::new(config.clone()) }
}

impl Flavor for Yeah {
    fn law(&self) -> Box<dyn WindowLaw> {
        Box::new(Law::new(self.clone()))
    }

    fn recovery(&self) -> &dyn Plan<dyn Recovery> {
        &*self.recovery
    }

    fn facts(&self) -> LawFacts {
        LawFacts {
            slow_start: SlowStart::Doubles,
            ends_slow_start: true,
            has_reno_response: false,
            marks: ResponseToMarks::AsLoss,
            observes_deliveries: false,
            is_paced: false,
            leaves_pipe_idle: false,
            shrinks_without_loss: true,
        }
    }

    /// Queues decide how much a loss takes, and how fast the window grows back. The least decrease is rounded down to segments.
    fn after_loss(&self, segments: f64, _round_trip_s: f64) -> AfterLoss {
        let segments = share(1, segments);
        let left = share_of_segments(segments - share(segments, self.least_decrease.0), segments);
        AfterLoss { left, left_after_timeout: left, regrowth: Regrowth::NoSawTooth }
    }
}

/// Least estimate of Reno's window.
const LEAST_RENO: u64 = 2;

/// Fast and slow growth by the queue, judged once per round trip.
struct Law {
    settings: Yeah,
    /// The shortest of all and of this round, and this round's samples.
    round_trips: RoundTrips,
    /// The end of the round (`beg_snd_nxt`); `None` while anything is missing.
    round_end: Option<u64>,
    /// Segments that waited in the latest round (`lastQ`).
    waiting: u64,
    /// Round trips of Reno's growth in a row (`doing_reno_now`), and of fast growth since the latest loss (`fast_count`).
    slow_rounds: u64,
    fast_rounds: u64,
    /// The window that a Reno flow would have (`reno_count`).
    reno: u64,
}

/// A share of segments, rounded down.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "a share of a window or of a round trip"
)]
fn share(whole: u64, share: f64) -> u64 {
    (whole as f64 * share) as u64
}

impl Law {
    fn new(settings: Yeah) -> Self {
        Self {
            settings,
            round_trips: RoundTrips::new(),
            round_end: Some(0),
            waiting: 0,
            slow_rounds: 0,
            fast_rounds: 0,
            reno: LEAST_RENO,
        }
    }

    fn begin_round(&mut self, highest: u64) {
        self.round_end = Some(highest);
        self.round_trips.begin_round();
    }

    /// Judges the queue at the end of a round.
    fn judge(&mut self, window: &mut Window) {
        let RoundTrips { base, shortest, .. } = self.round_trips;
        let delay = shortest - base;
        self.waiting = window.segments() * delay / shortest;
        if self.waiting > self.settings.most_waiting.0 || delay > share(base, self.settings.most_delay.0) {
            self.decongest(window);
            self.reno = if self.reno <= LEAST_RENO { (window.segments() / 2).max(LEAST_RENO) } else { self.reno + 1 };
            self.slow_rounds += 1;
            return;
        }
        self.fast_rounds += 1;
        if self.fast_rounds > self.settings.alone_rounds.0 {
            (self.reno, self.fast_rounds) = (LEAST_RENO, 0);
        }
        self.slow_rounds = 0;
    }

    /// Takes what waits out of the queue, but leaves the window that Reno would have.
    fn decongest(&self, window: &mut Window) {
        let segments = window.segments();
        if self.waiting > self.settings.most_waiting.0 && segments > self.reno {
            let taken = self.waiting.min(share(segments, self.settings.most_decongestion.0));
            window.set_segments((segments - taken).max(self.reno));
            window.ssthresh = window.cwnd;
        }
    }

    /// The share of the window that a loss leaves (`tcp_yeah_ssthresh`).
    fn share_after_loss(&mut self, window: &Window) -> f64 {
        let segments = window.segments();
        let half = (segments / 2).max(2);
        let taken = if self.slow_rounds < self.settings.competing_rounds.0 {
            self.waiting.min(half).max(share(segments, self.settings.least_decrease.0))
        } else {
            half
        };
        self.fast_rounds = 0;
        self.reno = (self.reno / 2).max(LEAST_RENO);
        self.round_end = None;
        share_of_segments(segments.saturating_sub(taken), segments)
    }
}

impl WindowLaw for Law {
    fn observes_arrivals(&self) -> bool {
        true
    }

    fn on_arrivals(&mut self, _window: &mut Window, arrivals: &Arrivals) {
        self.round_trips.note(arrivals);
    }

    fn on_acknowledgment(&mut self, window: &mut Window, progress: &Progress) {
        if progress.phase == Phase::Open && self.round_end.is_none() {
            self.begin_round(progress.highest);
        }
        if !(progress.window_is_used || window.grows_unused()) {
            return;
        }
        let mut acknowledged = window.in_segments(progress.acknowledged);
        if window.in_slow_start() {
            acknowledged = window.start_slowly(acknowledged);
        }
        if acknowledged > 0 {
            let segments = window.segments();
            let is_fast = self.slow_rounds == 0;
            window.add_one_per(
                if is_fast { segments.min(self.settings.growth_period.0) } else { segments },
                acknowledged,
            );
        }
        if self.round_end.is_some_and(|end| progress.unacknowledged > end) {
            if self.round_trips.are_enough() {
                self.judge(window);
            }
            self.begin_round(progress.highest);
        }
    }

    fn on_loss(&mut self, window: &mut Window, flight: u64) {
        let share = self.share_after_loss(window);
        window.reduce(share, flight);
    }

    fn on_loss_after_mark(&mut self, _window: &mut Window, _flight: u64) {}

    fn on_timeout(&mut self, window: &mut Window, flight: u64) {
        let share = self.share_after_loss(window);
        window.reduce_threshold_at_timeout(share, flight);
        window.collapse();
    }

    /// The round trips are forgotten.
    fn on_restart_from_idle(&mut self, _now: Time) {
        (self.round_trips, self.round_end) = (RoundTrips::new(), None);
    }
}

#[cfg(test)]
mod steps;
