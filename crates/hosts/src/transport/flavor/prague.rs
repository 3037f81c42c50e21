//! Prague. Section numbers are those of draft-briscoe-iccrg-prague-congestion-control-04.

use longfat_foundation::config::{AtLeastOne, Fraction, PositiveSpan};
use longfat_foundation::registry::{Chosen, Plan};
use longfat_foundation::units::{Span, Time};

use super::{Flavor, dctcp};
use crate::transport::law::{
    AfterLoss, Classical, LawFacts, Progress, Regrowth, ResponseToMarks, SlowStart, WindowLaw,
};
use crate::transport::recovery::Recovery;
use crate::transport::{CongestionNotification, SmoothedRoundTrip, Window};

longfat_foundation::model! {
    /// A scalable congestion control for low latency (L4S): DCTCP's response to marks, paced, and in the long run no faster at short round
    /// trips than at 25 ms. It needs `ecn = "accurate"` and a queue that marks early, such as `dualpi2`. It responds to losses like Reno.
    #[name = "prague"]
    #[source = "draft-briscoe-iccrg-prague-congestion-control-04; RFC 9331 section 4"]
    pub struct Prague: dyn Flavor {
        /// How losses are detected and repaired.
        recovery: Chosen<dyn Recovery> = "rack-tlp",
        /// The weight of a new share of marked bytes in the average.
        gain: Fraction = "0.0625",
        /// The window grows as if no round trip were shorter than this (section 2.4.4). With a very small value growth follows the round
        /// trips, as in DCTCP.
        least_round_trip: PositiveSpan = "25 ms" or ["1 us"],
        /// The number of round trips before that rule applies, so that short transfers are as fast as the path allows.
        rounds_before: AtLeastOne = "500",
    }
    build(config, _context) { Box::new(config.clone()) }
}

impl Flavor for Prague {
    fn law(&self) -> Box<dyn WindowLaw> {
        Box::new(Law::new(self.clone()))
    }

    fn recovery(&self) -> &dyn Plan<dyn Recovery> {
        &*self.recovery
    }

    fn facts(&self) -> LawFacts {
        LawFacts {
            slow_start: SlowStart::Doubles,
            ends_slow_start: false,
            has_reno_response: true,
            marks: ResponseToMarks::ByShare(&[CongestionNotification::Accurate, CongestionNotification::AccurateAce]),
            observes_deliveries: false,
            is_paced: true,
            leaves_pipe_idle: false,
            shrinks_without_loss: false,
        }
    }

    /// Marks keep the window from the saw-tooth of losses.
    fn after_loss(&self, segments: f64, round_trip_s: f64) -> AfterLoss {
        AfterLoss { regrowth: Regrowth::NoSawTooth, ..AfterLoss::reno(segments, round_trip_s) }
    }
}

/// The response of DCTCP to marks, pacing, and growth at short round trips like that at longer ones.
struct Law {
    settings: Prague,
    marks: dctcp::Law,
    smoothed_round_trip: SmoothedRoundTrip,
    /// Round trips so far; this one ends when bytes beyond `round_end` are acknowledged.
    rounds: u64,
    round_end: u64,
    unacknowledged: u64,
    before_marks: Option<BeforeMarks>,
}

/// Window and flight before the latest reduction for marks, until all of that flight is acknowledged.
#[derive(Clone, Copy)]
struct BeforeMarks {
    window: f64,
    flight: u64,
    /// The byte after the flight.
    until: u64,
}

impl Law {
    fn new(settings: Prague) -> Self {
        Self {
            marks: dctcp::Law::new(settings.gain.0),
            settings,
            smoothed_round_trip: SmoothedRoundTrip::default(),
            rounds: 0,
            round_end: 0,
            unacknowledged: 0,
            before_marks: None,
        }
    }

    /// Growth in segments per round trip: less than one by the square of the ratio of the round trip to the least one, so that the rate
    /// grows as at that one (section 2.4.4).
    fn growth(&self) -> f64 {
        let Some(round_trip) = self.smoothed_round_trip.get() else { return 1.0 };
        let least = self.settings.least_round_trip.0;
        let is_dependent = self.rounds < self.settings.rounds_before.0 || round_trip >= least;
        if is_dependent { 1.0 } else { (round_trip.as_seconds() / least.as_seconds()).powi(2) }
    }
}

impl WindowLaw for Law {
    /// Slow start as in the classical law; then a segment per (virtual) round trip, also after marks.
    #[expect(clippy::cast_precision_loss, reason = "windows are far below 2^53 bytes")]
    fn on_acknowledgment(&mut self, window: &mut Window, progress: &Progress) {
        if let Some(sample) = progress.sample {
            self.smoothed_round_trip.note(sample);
        }
        if !progress.window_is_used {
            return;
        }
        if window.in_slow_start() {
            Classical.on_acknowledgment(window, progress);
        } else {
            window.grow(self.growth() * window.mss() * progress.acknowledged as f64 / window.cwnd);
        }
    }

    fn observes_marks(&self) -> bool {
        true
    }

    fn observe_marks(&mut self, acknowledged: u64, marked: u64, unacknowledged: u64, highest: u64) {
        self.marks.observe_marks(acknowledged, marked, unacknowledged, highest);
        self.unacknowledged = unacknowledged;
        if unacknowledged > self.round_end {
            self.rounds += 1;
            self.round_end = highest;
        }
    }

    fn on_mark(&mut self, window: &mut Window, flight: u64) {
        self.before_marks = Some(BeforeMarks { window: window.cwnd, flight, until: self.unacknowledged + flight });
        self.marks.on_mark(window, flight);
    }

    /// Halves the window, for losses are congestion of a queue that does not mark; the window before marks, if they have reduced it in the
    /// same round trip.
    fn on_loss(&mut self, window: &mut Window, mut flight: u64) {
        if let Some(before) = self.before_marks.take()
            && self.unacknowledged < before.until
        {
            window.cwnd = window.cwnd.max(before.window);
            flight = flight.max(before.flight);
        }
        Classical.on_loss(window, flight);
    }

    fn on_timeout(&mut self, window: &mut Window, flight: u64) {
        Classical.on_timeout(window, flight);
    }

    fn on_opened(&mut self, _now: Time, round_trip: Span) {
        self.smoothed_round_trip.note(round_trip);
    }

    fn is_paced(&self) -> bool {
        true
    }

    /// A window per round trip, twice that in slow start, so that queues see no bursts.
    fn pacing_rate(&mut self, window: &Window) -> Option<f64> {
        let round_trip = self.smoothed_round_trip.get().filter(|round_trip| *round_trip > Span::ZERO)?;
        let gain = if window.in_slow_start() { 2.0 } else { 1.0 };
        Some(gain * window.cwnd / round_trip.as_seconds())
    }
}

#[cfg(test)]
mod steps;
#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::law::{test_support, written};

    fn span(milliseconds: u64) -> Span {
        Span::from_microseconds(1000 * milliseconds)
    }

    fn prague() -> Law {
        Law::new(written("{ rounds_before = 3 }"))
    }

    /// Of so many segments of 1000 bytes, past slow start.
    fn window(segments: f64) -> Window {
        let mut window = test_support::window(1000.0 * segments);
        window.ssthresh = 2000.0;
        window
    }

    /// (5 / 25)^2.
    #[test]
    fn growth_is_slowed_down_after_three_rounds_at_round_trips_below_twenty_five_milliseconds() {
        let growth = |rounds, round_trip| {
            let mut law = Law { rounds, ..prague() };
            law.smoothed_round_trip.note(span(round_trip));
            (law.growth() * 1e6).round() / 1e6
        };
        assert_eq!([2, 3, 4].map(|rounds| growth(rounds, 5)), [1.0, 0.04, 0.04]);
        assert_eq!([2, 4].map(|rounds| growth(rounds, 25)), [1.0; 2]);
        assert_eq!(Law { rounds: 4, ..prague() }.growth(), 1.0, "nothing is known of the round trip");
    }

    #[test]
    fn a_round_is_over_when_more_than_was_sent_at_its_beginning_is_acknowledged() {
        let mut law = prague();
        let rounds = [(1000, 10_000), (10_000, 15_000), (10_001, 15_000), (15_000, 20_000), (15_001, 20_000)].map(
            |(unacknowledged, highest)| {
                law.observe_marks(1000, 0, unacknowledged, highest);
                law.rounds
            },
        );
        assert_eq!(rounds, [1, 1, 2, 2, 3]);
    }

    /// 5000 bytes were acknowledged and 10,000 under way when a mark halved a window of ten segments.
    #[test]
    fn what_a_mark_has_taken_a_loss_does_not_take_again_while_what_was_sent_before_is_not_acknowledged() {
        let after = |unacknowledged| {
            let mut law = prague();
            let mut window = window(10.0);
            law.observe_marks(1000, 1000, 5000, 15_000);
            law.on_mark(&mut window, 10_000);
            law.observe_marks(1000, 0, unacknowledged, 25_000);
            law.on_loss(&mut window, 0);
            window.cwnd
        };
        assert_eq!((after(14_999), after(15_000)), (5000.0, 2500.0));
    }

    #[test]
    fn a_timeout_leaves_one_segment() {
        let mut window = window(10.0);
        prague().on_timeout(&mut window, 10_000);
        assert_eq!((window.cwnd, window.ssthresh), (1000.0, 5000.0));
    }

    #[test]
    fn segments_are_spread_as_soon_as_a_round_trip_is_known_that_takes_time() {
        let mut law = prague();
        assert!(law.is_paced());
        law.smoothed_round_trip.note(Span::ZERO);
        assert_eq!(law.pacing_rate(&window(10.0)), None);
        let mut law = prague();
        law.smoothed_round_trip.note(span(100));
        assert_eq!(law.pacing_rate(&window(10.0)), Some(100_000.0));
    }
}
