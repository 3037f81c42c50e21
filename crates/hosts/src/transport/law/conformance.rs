//! Every registered flavor keeps the facts that it states: its law on a bench, without a network.

use longfat_foundation::units::{Span, Time};

use super::{Arrivals, Progress, ResponseToMarks, SlowStart, WindowLaw};
use crate::transport::flavor::{Flavor, with_defaults};
use crate::transport::preset::PRESETS;
use crate::transport::{TcpConfig, Window};

const MSS: f64 = 1000.0;
const MSS_BYTES: u64 = 1000;

/// No law needs as many round trips to fill a window; one that does not grow must not go on forever.
const MOST_ROUND_TRIPS: usize = 10_000;

/// Every flavor with its defaults, and as presets have it.
fn flavors() -> impl Iterator<Item = (String, Box<dyn Flavor>)> {
    let with_defaults = with_defaults().map(|(name, flavor)| (name.to_owned(), flavor));
    with_defaults.chain(PRESETS.iter().flat_map(|preset| preset.flavors).map(|(name, settings)| {
        let inner = settings.trim_start_matches('{').trim_end_matches('}');
        let config = TcpConfig::written(&format!("{{ flavor = {{ kind = '{name}', {inner} }} }}"));
        (format!("{name} with{inner}"), config.flavor.build(&()))
    }))
}

/// A law and its window on a path whose only queue grows with the window.
struct Bench {
    law: Box<dyn WindowLaw>,
    window: Window,
    now: Time,
    acknowledged: u64,
    /// The round trip with an empty queue, and with the window of `full` segments.
    round_trips: (f64, f64),
    full: f64,
}

impl Bench {
    /// A connection that was opened over a round trip of `round_trip_s` seconds, of which a hundredth is queueing delay when the window
    /// has `full` segments, and none when it has half as many.
    fn new(flavor: &dyn Flavor, full: f64, round_trip_s: f64) -> Self {
        let config = TcpConfig::written(
            "{ mss = \"1000 B\", receiver_window = \"1 GB\", initial_window = \"4 MSS\", initial_ssthresh = \"unlimited\", \
             ssthresh_rule = \"as-printed\", slow_start_at_ssthresh = false }",
        );
        let (law, window) = (flavor.law(), Window::new(&config));
        let round_trips = (0.99 * round_trip_s, round_trip_s);
        let mut bench = Self { law, window, now: Time::ZERO, acknowledged: 0, round_trips, full };
        bench.law.on_opened(bench.now, bench.round_trip());
        bench
    }

    fn segments(&self) -> f64 {
        self.window.cwnd / MSS
    }

    fn round_trip(&self) -> Span {
        let (empty, full) = self.round_trips;
        let queued = (2.0 * self.segments() / self.full - 1.0).clamp(0.0, 1.0);
        span(empty + (full - empty) * queued)
    }

    /// The acknowledgments of a window of segments, spread over a round trip.
    fn round(&mut self) {
        let (round_trip, segments) = (self.round_trip(), self.window.whole_cwnd() / MSS_BYTES);
        // The window when the segments were sent that are acknowledged now.
        let delivered_since = self.window.usable();
        let spacing = Span(round_trip.0 / segments);
        for _ in 0..segments {
            self.now += spacing;
            self.acknowledged += MSS_BYTES;
            let arrivals = Arrivals {
                now: self.now,
                segments: 1,
                bytes: MSS_BYTES,
                round_trip: Some(round_trip),
                delivered_since,
                unacknowledged: self.acknowledged,
                highest: self.acknowledged + self.window.usable(),
                ..Arrivals::default()
            };
            self.law.on_arrivals(&mut self.window, &arrivals);
            let progress = Progress {
                now: self.now,
                acknowledged: MSS_BYTES,
                sample: Some(round_trip),
                smoothed_round_trip: Some(round_trip),
                unacknowledged: self.acknowledged,
                highest: self.acknowledged + self.window.usable(),
                window_is_used: true,
                ..Progress::default()
            };
            self.law.on_acknowledgment(&mut self.window, &progress);
        }
    }

    /// Congestion avoidance with half of a full window, and round trips until the window is full.
    fn fill(&mut self) {
        self.window.cwnd = self.full / 2.0 * MSS;
        self.window.ssthresh = 2.0 * MSS;
        self.refill();
    }

    /// Round trips until the window is full; returns the seconds that they take.
    fn refill(&mut self) -> f64 {
        let began = self.now;
        let mut left = MOST_ROUND_TRIPS;
        while self.segments() < self.full && left > 0 {
            self.round();
            left -= 1;
        }
        (self.now - began).as_seconds()
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "less than a second")]
fn span(seconds: f64) -> Span {
    Span::from_microseconds((seconds * 1e6).round() as u64)
}

/// Inputs that a law does not request are not computed, and a rate of its own overrides the rule of `pacing`.
#[test]
fn laws_ask_for_the_marks_deliveries_and_pacing_that_their_facts_state() {
    for (name, flavor) in flavors() {
        let (facts, mut bench) = (flavor.facts(), Bench::new(&*flavor, 100.0, 0.1));
        let goes_by_share = matches!(facts.marks, ResponseToMarks::ByShare(_));
        assert_eq!(bench.law.observes_marks(), goes_by_share, "{name}");
        assert_eq!(bench.law.observes_deliveries(), facts.observes_deliveries, "{name}");
        assert_eq!(bench.law.is_paced(), facts.is_paced, "{name}");
        assert_eq!(
            bench.law.tries_rates(),
            facts.observes_deliveries,
            "{name}: Careful Resume needs a window or a rate"
        );
        assert_eq!(bench.law.pacing_rate(&bench.window).is_some(), facts.is_paced, "{name}");
        assert!(!bench.law.sends_less_than_it_could(), "{name}");
    }
}

#[test]
fn slow_start_is_as_fast_as_stated() {
    for (name, flavor) in flavors() {
        let facts = flavor.facts();
        if facts.observes_deliveries {
            continue; // Its window follows deliveries, and the bench has none.
        }
        // A second, so that acknowledgments are too far apart for a train that would end slow start.
        let mut bench = Bench::new(&*flavor, 1e6, 1.0);
        let growth: Vec<f64> = (0..6)
            .map(|_| {
                let before = bench.segments();
                bench.round();
                bench.segments() / before
            })
            .collect();
        let mean = growth.iter().product::<f64>().powf(1.0 / 6.0);
        let holds = match facts.slow_start {
            SlowStart::Doubles => growth.iter().all(|growth| *growth == 2.0),
            SlowStart::Slower => mean < 1.9,
            SlowStart::Faster => mean > 2.1,
        };
        assert!(holds, "{name}: {:?}, but the window grows by {growth:?}", facts.slow_start);
    }
}

#[test]
fn marks_reduce_a_window_as_stated() {
    for (name, flavor) in flavors() {
        let facts = flavor.facts();
        let after = |reduce: fn(&mut dyn WindowLaw, &mut Window, u64)| {
            let Bench { mut law, mut window, .. } = Bench::new(&*flavor, 100.0, 0.1);
            window.cwnd = 100.0 * MSS;
            reduce(&mut *law, &mut window, 100 * MSS_BYTES);
            window.cwnd / MSS
        };
        let marked = after(|law, window, flight| law.on_mark(window, flight));
        let lost = after(|law, window, flight| law.on_loss(window, flight));
        match facts.marks {
            ResponseToMarks::None => assert_eq!(marked, 100.0, "{name}"),
            ResponseToMarks::AsLoss => assert_eq!(marked, lost, "{name}"),
            ResponseToMarks::ByShare(echoes) => {
                assert!(marked < 100.0, "{name}");
                assert!(!echoes.is_empty(), "{name}");
            }
        }
    }
}

const WINDOWS: [(f64, f64); 4] = [(12.0, 0.02), (60.0, 0.1), (400.0, 0.2), (2000.0, 0.1)];

#[test]
fn a_loss_leaves_no_larger_share_of_a_window_than_stated() {
    for (name, flavor) in flavors() {
        for (segments, round_trip_s) in WINDOWS {
            let stated = flavor.after_loss(segments, round_trip_s);
            let mut bench = Bench::new(&*flavor, segments, round_trip_s);
            bench.window.cwnd = segments * MSS;
            let flight = bench.window.usable();
            bench.law.on_loss(&mut bench.window, flight);
            let left = bench.segments() / segments;
            // Whole segments: what a loss takes is rounded down.
            let rounding = if name.contains("'linux'") { 1.0 / segments } else { 1e-9 };
            assert!(left <= stated.left + rounding, "{name}: {left} of {segments} segments are left");
        }
    }
}

/// Two teeth of the saw, the second with all that the law remembers of the first. Formulas in closed form leave out that growth changes
/// on the way, and that a round trip is a whole one.
#[test]
fn a_window_grows_back_after_a_loss_in_the_time_stated_within_a_quarter() {
    for (name, flavor) in flavors() {
        for (segments, round_trip_s) in WINDOWS {
            // Laws that go by the shortest round trip see one that is a hundredth less.
            let stated = [0.99, 1.0].map(|share| flavor.after_loss(segments, share * round_trip_s).regrowth.seconds(1));
            let [Some(one_s), Some(other_s)] = stated else { continue };
            let mut bench = Bench::new(&*flavor, segments, round_trip_s);
            bench.fill();
            bench.window.cwnd = segments * MSS;
            let flight = bench.window.usable();
            bench.law.on_loss(&mut bench.window, flight);
            let found_s = bench.refill();
            let (least_s, most_s) = (one_s.min(other_s), one_s.max(other_s));
            let tolerance_s = (least_s / 4.0).max(1.5 * round_trip_s);
            assert!(
                found_s > least_s - tolerance_s && found_s < most_s + tolerance_s,
                "{name}: {segments} segments over {round_trip_s} s take {found_s:.2} s to grow back, not {least_s:.2} to {most_s:.2} s"
            );
        }
    }
}
