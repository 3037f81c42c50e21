//! BBR v3 step by step against draft-ietf-ccwg-bbr, with numbers worked by hand.
//!
//! Segments of 1000 bytes, an initial window of ten, a path of 1 MB/s and 100 ms: its bandwidth-delay product is 100 segments. Rates have a
//! margin of 1 %.

use longfat_foundation::random::Chance;
use longfat_foundation::units::{Span, Time};

use crate::transport::law::WindowLaw;
use crate::transport::law::test_support::law_and_window;
use crate::transport::{Delivery, LostSegment, Standing, Window};

const SEGMENT: u64 = 1000;
const RATE: f64 = 1e6;

struct Bench {
    law: Box<dyn WindowLaw>,
    window: Window,
    now: Time,
    total: u64,
    round_trip: Span,
}

fn milliseconds(number: u64) -> Span {
    Span::from_microseconds(1000 * number)
}

impl Bench {
    fn new() -> Self {
        let (mut law, window) = law_and_window("flavor = \"bbr3\"");
        law.take_chance(&mut || Chance { seed: 1, replication: 0 }.stream("law"));
        let mut bench = Self { law, window, now: Time::ZERO, total: 0, round_trip: milliseconds(100) };
        bench.pacing_rate();
        bench
    }

    fn pacing_rate(&mut self) -> f64 {
        self.law.pacing_rate(&self.window).expect("BBR has a rate")
    }

    /// The rate over that of the path, without the margin.
    fn gain(&mut self) -> f64 {
        let gain = self.pacing_rate() / RATE / 0.99;
        (gain * 1e6).round() / 1e6
    }

    fn segments(&self) -> f64 {
        self.window.cwnd / 1000.0
    }

    /// After `wait`, an acknowledgment of so many segments, which were sent when all but so many had been delivered.
    fn deliver(&mut self, wait: u64, segments: u64, rate: f64, in_flight: u64) {
        self.now += milliseconds(wait);
        self.total += segments * SEGMENT;
        let delivery = Delivery {
            now: self.now,
            bytes: segments * SEGMENT,
            total: self.total,
            total_when_sent: self.total - segments * SEGMENT,
            in_flight_when_sent: 100 * SEGMENT,
            lost_since_sent: 0,
            rate: Some(rate),
            is_application_limited: false,
            round_trip: Some(self.round_trip),
            standing: Standing {
                in_flight_before: (in_flight + segments) * SEGMENT,
                in_flight: in_flight * SEGMENT,
                lost: 0,
                is_recovering: false,
                unacknowledged: self.total,
                highest: self.total + in_flight * SEGMENT,
                ..Standing::default()
            },
        };
        self.law.on_delivery(&mut self.window, &delivery);
    }

    /// A round of the path at its rate.
    fn round(&mut self, in_flight: u64) {
        self.deliver(100, 100, RATE, in_flight);
    }

    /// A segment of those in flight is lost, the last of so many since it was sent.
    fn lose(&mut self, in_flight: u64, lost: u64) {
        let lost = LostSegment {
            begin: self.total + SEGMENT,
            bytes: SEGMENT,
            in_flight_when_sent: in_flight * SEGMENT,
            lost_since_sent: lost * SEGMENT,
            is_application_limited: false,
            total: self.total,
        };
        self.law.on_lost_segment(&mut self.window, &lost, self.now);
    }

    /// With a full pipe that has been drained: in CRUISE.
    fn cruising() -> Self {
        let mut bench = Self::new();
        (0..4).for_each(|_| bench.round(200));
        bench.round(100);
        bench.round(100);
        assert_eq!(bench.gain(), 1.0);
        bench
    }

    /// In UP.
    fn probing() -> Self {
        let mut bench = Self::cruising();
        while bench.gain() != 1.25 {
            assert!(bench.now < Time::ZERO + milliseconds(4500), "bandwidth is probed within 3 s");
            bench.round(100);
        }
        bench
    }
}

/// Section 5.6.2: 10,000 bytes in 1 ms, then in 100 ms; 4 ln 2 times that.
#[test]
fn the_first_rate_is_the_initial_window_in_a_millisecond_and_then_in_the_first_round_trip() {
    let mut bench = Bench::new();
    assert!((bench.pacing_rate() / (2.77 * 1e7) - 1.0).abs() < 1e-9);
    bench.deliver(100, 1, 1e4, 9);
    assert!((bench.pacing_rate() / (2.77 * 1e5) - 1.0).abs() < 1e-9);
}

/// Sections 5.3.1.2, 5.3.2 and 5.3.3: a round and three more without growth; half the rate until a product is in flight.
#[test]
fn startup_ends_after_three_rounds_without_growth_and_is_drained_before_probes_of_bandwidth_begin() {
    let mut bench = Bench::new();
    (0..3).for_each(|_| bench.round(200));
    assert!(bench.window.in_slow_start());
    bench.round(200);
    assert!(!bench.window.in_slow_start());
    assert_eq!(bench.gain(), 0.5);
    bench.deliver(10, 1, RATE, 101);
    assert_eq!(bench.gain(), 0.5, "a segment more than the product");
    bench.deliver(10, 1, RATE, 100);
    assert_eq!(bench.gain(), 1.0, "DOWN, and with no more than the product in flight CRUISE at once");
}

/// Sections 5.3.3.3 and 5.3.3.4: a round at the rate to fill the pipe, then a quarter faster until three rounds show no growth.
#[test]
fn bandwidth_is_probed_after_two_to_three_seconds_until_it_grows_no_more() {
    let mut bench = Bench::cruising();
    let since = bench.now;
    while bench.gain() != 1.25 {
        bench.round(100);
    }
    let waited = bench.now - since;
    assert!((milliseconds(1900)..milliseconds(3300)).contains(&waited), "{waited:?}");
    bench.deliver(100, 100, 1.3 * RATE, 125);
    assert!(bench.gain() > 1.25, "it has grown");
    (0..2).for_each(|_| bench.deliver(100, 100, 1.3 * RATE, 125));
    assert!(bench.gain() > 1.25 * 1.25);
    bench.deliver(100, 100, 1.3 * RATE, 125);
    assert_eq!(bench.gain(), 1.17, "DOWN at nine tenths of what was found");
}

/// Section 5.5.10.3: what was delivered, but no less than 70 %; until the next probe.
#[test]
fn a_loss_between_probes_lowers_rate_and_window_once_in_a_round() {
    let mut bench = Bench::cruising();
    bench.round(100);
    let window = bench.segments();
    bench.deliver(50, 50, 0.5 * RATE, 100);
    bench.lose(100, 1);
    bench.lose(100, 2);
    bench.deliver(50, 50, 0.5 * RATE, 100);
    assert_eq!(bench.gain(), 0.7, "once for both");
    bench.deliver(100, 100, 0.5 * RATE, 100);
    assert_eq!(bench.gain(), 0.7);
    bench.lose(100, 1);
    bench.deliver(100, 100, 0.5 * RATE, 100);
    assert_eq!(bench.gain(), 0.5, "what was delivered is more than 70 % of that");
    assert!(bench.segments() <= window, "{}", bench.segments());
    while bench.gain() < 1.0 {
        assert!(bench.now < Time::ZERO + milliseconds(4500));
        bench.round(100);
    }
}

/// Section 5.5.10.2: the third of 120 segments in flight is more than 2 %.
#[test]
fn more_than_two_percent_lost_in_a_probe_bound_what_may_be_in_flight() {
    let mut bench = Bench::probing();
    bench.lose(120, 2);
    bench.round(100);
    assert_eq!(bench.gain(), 1.25, "2 of 120 are tolerated");
    bench.lose(120, 3);
    assert!(bench.gain() <= 1.25);
    bench.deliver(10, 1, RATE, 110);
    assert_eq!(bench.gain(), 0.9);
    // 119 segments before it of which 2 were lost: 119 + (0.02 * 119 - 2) / 0.98 = 119.39.
    let bound = 119.0 + (0.02 * 119.0 - 2.0) / 0.98;
    assert!(bench.segments() <= bound + 1e-6, "{}", bench.segments());
    (0..20).for_each(|_| bench.deliver(10, 20, RATE, 90));
    assert!((bench.segments() - 0.85 * bound).abs() < 1e-6, "CRUISE leaves 15 % to others: {}", bench.segments());
}

/// Section 5.3.4: 5 s after the shortest round trip was seen last, half of the product until 200 ms and a round have passed.
#[test]
fn a_round_trip_of_five_seconds_ago_is_probed_with_half_of_the_product() {
    let mut bench = Bench::cruising();
    bench.round_trip = milliseconds(120);
    while !bench.law.sends_less_than_it_could() {
        assert!(bench.now <= Time::ZERO + milliseconds(5300), "{:?}", bench.now);
        assert!(bench.segments() > 60.0);
        bench.round(100);
    }
    assert!(bench.segments() <= 60.0, "{}", bench.segments());
    bench.deliver(50, 50, RATE, 50);
    bench.deliver(100, 50, RATE, 50);
    bench.deliver(100, 50, RATE, 50);
    assert!(bench.law.sends_less_than_it_could(), "200 ms are not over");
    bench.deliver(1, 50, RATE, 50);
    assert!(!bench.law.sends_less_than_it_could());
    assert!(bench.segments() > 100.0, "{}", bench.segments());
}
