//! BBR step by step against draft-cardwell-iccrg-bbr-congestion-control-00, with numbers worked by hand.
//!
//! Segments of 1000 bytes, an initial window of ten, a path of 1 MB/s and 100 ms: its bandwidth-delay product is 100 segments.

mod details;
mod known_rate;
mod linux;

use longfat_foundation::random::Chance;
use longfat_foundation::units::{Span, Time};

use crate::transport::law::WindowLaw;
use crate::transport::law::test_support::law_and_window;
use crate::transport::{Delivery, Standing, Window};

const SEGMENT: u64 = 1000;
pub const RATE: f64 = 1e6;
/// 2 / ln 2.
const HIGH_GAIN: f64 = 2.885_39;

pub struct Bench {
    pub law: Box<dyn WindowLaw>,
    pub window: Window,
    pub now: Time,
    pub total: u64,
    /// The round trip that acknowledgments measure.
    pub round_trip: Span,
}

pub fn milliseconds(number: u64) -> Span {
    Span::from_microseconds(1000 * number)
}

impl Bench {
    pub fn new() -> Self {
        Self::with("flavor = \"bbr\"", 1)
    }

    pub fn with(settings: &str, seed: u64) -> Self {
        let (mut law, window) = law_and_window(settings);
        law.take_chance(&mut || Chance { seed, replication: 0 }.stream("law"));
        Self { law, window, now: Time::ZERO, total: 0, round_trip: milliseconds(100) }
    }

    pub fn pacing_rate(&mut self) -> f64 {
        self.law.pacing_rate(&self.window).expect("BBR has a rate")
    }

    /// After `wait`, an acknowledgment of so many segments, the latest of which was sent when all but the last `since` of what is delivered
    /// now had been; so many are in flight before and after.
    pub fn deliver(&mut self, wait: Span, segments: u64, since: u64, rate: f64, in_flight: u64) {
        let standing = Standing {
            in_flight_before: (in_flight + segments) * SEGMENT,
            in_flight: in_flight * SEGMENT,
            lost: 0,
            is_recovering: false,
            unacknowledged: self.total + segments * SEGMENT,
            highest: self.total + (segments + in_flight) * SEGMENT,
            departs: self.now + wait,
        };
        self.deliver_with(wait, segments, since, rate, standing);
    }

    pub fn deliver_with(&mut self, wait: Span, segments: u64, since: u64, rate: f64, standing: Standing) {
        self.now += wait;
        self.total += segments * SEGMENT;
        let delivery = Delivery {
            now: self.now,
            bytes: segments * SEGMENT,
            total: self.total,
            total_when_sent: self.total.saturating_sub(since * SEGMENT),
            in_flight_when_sent: 0,
            lost_since_sent: 0,
            rate: Some(rate),
            is_application_limited: false,
            round_trip: Some(self.round_trip),
            standing,
        };
        self.law.on_delivery(&mut self.window, &delivery);
    }

    /// A round of the path at its rate: an acknowledgment of a bandwidth-delay product.
    pub fn round(&mut self, in_flight: u64) {
        self.deliver(milliseconds(100), 100, 100, RATE, in_flight);
    }

    /// With a full pipe, in the first phase of the cycle.
    pub fn in_probe_bandwidth() -> Self {
        Self::new().filled()
    }

    /// From its beginning until its pipe is full and drained.
    pub fn filled(mut self) -> Self {
        self.pacing_rate();
        (0..4).for_each(|_| self.round(200));
        self.round(100);
        self
    }

    /// An acknowledgment of a segment, after so many milliseconds.
    pub fn segment(&mut self, wait: u64, in_flight: u64) {
        self.deliver(milliseconds(wait), 1, 0, RATE, in_flight);
    }

    pub fn gain(&mut self) -> f64 {
        self.pacing_rate() / RATE
    }

    pub fn segments(&self) -> f64 {
        self.window.cwnd / 1000.0
    }
}

fn assert_near(found: f64, expected: f64) {
    assert!((found / expected - 1.0).abs() < 1e-9, "{found}, not {expected}");
}

#[test]
fn the_first_rate_is_the_initial_window_in_a_millisecond_and_then_in_the_first_round_trip() {
    let mut bench = Bench::new();
    // Section 4.2.1: 10,000 bytes in 1 ms, then in 100 ms.
    assert_near(bench.pacing_rate(), HIGH_GAIN * 1e7);
    bench.deliver(milliseconds(100), 1, 1, 1e4, 9);
    assert_near(bench.pacing_rate(), HIGH_GAIN * 1e5);
}

#[test]
fn in_startup_rate_and_window_follow_the_bandwidth_and_never_fall() {
    let mut bench = Bench::new();
    bench.pacing_rate();
    bench.deliver(milliseconds(100), 10, 10, 2e5, 10);
    assert_near(bench.pacing_rate(), HIGH_GAIN * 2e5);
    assert_eq!(bench.segments(), 20.0, "as many more as were delivered");
    bench.deliver(milliseconds(100), 20, 20, 1e5, 20);
    assert_near(bench.pacing_rate(), HIGH_GAIN * 2e5);
    assert_eq!(bench.segments(), 40.0);
}

#[test]
fn three_rounds_without_a_quarter_more_fill_the_pipe_which_is_then_drained() {
    let mut bench = Bench::new();
    bench.pacing_rate();
    bench.round(200);
    // Growth by 24 % is no growth; rounds two and three without any follow.
    bench.deliver(milliseconds(100), 100, 100, 1.24 * RATE, 200);
    bench.round(200);
    assert!(bench.window.in_slow_start(), "two rounds");
    assert_near(bench.pacing_rate(), HIGH_GAIN * 1.24 * RATE);
    bench.round(200);
    assert!(!bench.window.in_slow_start(), "three rounds");
    assert_near(bench.pacing_rate(), 1.24 * RATE / HIGH_GAIN);
    // 124 segments of bandwidth-delay product, and three that go one by one.
    bench.deliver(milliseconds(10), 10, 0, RATE, 128);
    assert_near(bench.pacing_rate(), 1.24 * RATE / HIGH_GAIN);
    bench.deliver(milliseconds(10), 1, 0, RATE, 127);
    assert!(bench.pacing_rate() >= 1.24 * RATE, "not the phase of three quarters");
    assert_near(bench.segments(), 2.0 * 124.0 + 3.0);
}

#[test]
fn the_cycle_probes_until_five_quarters_are_in_flight_drains_and_cruises_for_six_round_trips() {
    let mut bench = Bench::in_probe_bandwidth();
    let step = |bench: &mut Bench, wait: u64, in_flight_before: u64| {
        bench.deliver(milliseconds(wait), 1, 0, RATE, in_flight_before - 1);
        bench.gain()
    };
    // To the end of whatever phase it began with.
    assert!(bench.gain() == 1.25 || (0..8).any(|_| step(&mut bench, 101, 110) == 1.25));
    assert_eq!(step(&mut bench, 101, 127), 1.25, "1.25 * 100 + 3 segments are not yet in flight");
    assert_eq!(step(&mut bench, 1, 128), 0.75);
    assert_eq!(step(&mut bench, 50, 104), 0.75, "more than 100 + 3 segments");
    assert_eq!(step(&mut bench, 10, 103), 1.0, "drained before its round trip was over");
    for phase in 2..8 {
        assert_eq!(step(&mut bench, 100, 100), 1.0, "phase {phase} lasts longer than a round trip");
        assert_eq!(step(&mut bench, 1, 100), if phase == 7 { 1.25 } else { 1.0 }, "phase {phase}");
    }
    assert_near(bench.segments(), 203.0);
}

#[test]
fn a_round_trip_of_ten_seconds_ago_is_probed_with_four_segments_for_200_ms_and_a_round() {
    let mut bench = Bench::in_probe_bandwidth();
    bench.round_trip = milliseconds(120);
    // The shortest was measured last at 500 ms, by the acknowledgment that drained the pipe at the latest.
    while bench.now <= Time::ZERO + milliseconds(10_100) {
        assert!(bench.segments() > 4.0, "not before at {:?}", bench.now);
        bench.deliver(milliseconds(100), 100, 100, RATE, 100);
    }
    assert_eq!(bench.segments(), 4.0);
    assert!(bench.law.sends_less_than_it_could());
    bench.round_trip = milliseconds(101);
    bench.deliver(milliseconds(100), 96, 96, RATE, 4);
    // Four are in flight: 200 ms from now, and a round.
    bench.deliver(milliseconds(101), 4, 4, 4e4, 4);
    bench.deliver(milliseconds(99), 1, 1, 4e4, 4);
    assert_eq!(bench.segments(), 4.0, "199.99 ms are not over 200");
    bench.deliver(milliseconds(1), 1, 1, 4e4, 4);
    assert!(!bench.law.sends_less_than_it_could());
    // The window is restored, and bounded by the model as before: the bandwidth and the new round trip.
    assert!(bench.segments() > 200.0, "{}", bench.segments());
}

#[test]
fn a_loss_conserves_packets_for_a_round_and_its_repair_restores_the_window() {
    let mut bench = Bench::in_probe_bandwidth();
    bench.round(100);
    assert_near(bench.segments(), 203.0);
    let standing = |bench: &Bench, before: u64, in_flight: u64, lost: u64, is_recovering: bool| Standing {
        in_flight_before: before * SEGMENT,
        in_flight: in_flight * SEGMENT,
        lost: lost * SEGMENT,
        is_recovering,
        unacknowledged: bench.total,
        highest: bench.total + 100 * SEGMENT,
        ..Standing::default()
    };
    bench.law.on_loss(&mut bench.window, 100 * SEGMENT);
    let begins = standing(&bench, 100, 95, 4, true);
    bench.deliver_with(milliseconds(1), 1, 50, RATE, begins);
    assert_eq!(bench.segments(), 96.0, "what is in flight, and what was delivered");
    let goes_on = standing(&bench, 96, 94, 0, true);
    bench.deliver_with(milliseconds(1), 2, 50, RATE, goes_on);
    assert_eq!(bench.segments(), 96.0);
    let over = standing(&bench, 96, 90, 0, false);
    bench.deliver_with(milliseconds(100), 50, 100, RATE, over);
    assert_near(bench.segments(), 203.0);
}

#[test]
fn a_timeout_leaves_one_segment_and_what_follows_grows_by_what_is_delivered() {
    let mut bench = Bench::in_probe_bandwidth();
    bench.round(100);
    bench.law.on_timeout(&mut bench.window, 100 * SEGMENT);
    assert_eq!(bench.segments(), 1.0);
    let highest = bench.total + 100 * SEGMENT;
    let standing = |bench: &Bench, unacknowledged: u64| Standing {
        in_flight_before: SEGMENT,
        in_flight: 0,
        lost: 0,
        is_recovering: false,
        unacknowledged,
        highest: highest.max(bench.total),
        ..Standing::default()
    };
    let first = standing(&bench, bench.total + SEGMENT);
    bench.deliver_with(milliseconds(100), 1, 1, 1e4, first);
    assert_eq!(bench.segments(), 4.0, "at least four (section 4.2.3.3)");
    let second = standing(&bench, bench.total + 4 * SEGMENT);
    bench.deliver_with(milliseconds(100), 4, 4, 4e4, second);
    assert_eq!(bench.segments(), 8.0);
    let repaired = standing(&bench, highest);
    bench.deliver_with(milliseconds(100), 8, 8, 8e4, repaired);
    assert_near(bench.segments(), 203.0);
}

#[test]
fn deliveries_that_the_application_limits_count_only_if_they_are_faster() {
    let mut bench = Bench::in_probe_bandwidth();
    let mut limited = |rate: f64| {
        bench.now += milliseconds(10);
        bench.total += SEGMENT;
        let standing = Standing {
            in_flight_before: SEGMENT,
            in_flight: 0,
            lost: 0,
            is_recovering: false,
            unacknowledged: bench.total,
            highest: bench.total,
            ..Standing::default()
        };
        let delivery = Delivery {
            now: bench.now,
            bytes: SEGMENT,
            total: bench.total,
            total_when_sent: bench.total - SEGMENT,
            in_flight_when_sent: 0,
            lost_since_sent: 0,
            rate: Some(rate),
            is_application_limited: true,
            round_trip: None,
            standing,
        };
        bench.law.on_delivery(&mut bench.window, &delivery);
        bench.law.pacing_rate(&bench.window).expect("a rate")
    };
    for _ in 0..30 {
        assert!(limited(1e4) >= 0.75 * RATE, "thirty rounds of slow deliveries are not believed");
    }
    assert!(limited(4.0 * RATE) >= 3.0 * RATE);
}
