//! TCP-LP acknowledgment by acknowledgment against Kuzmanovic and Knightly 2003, with numbers worked by hand; windows in segments of 1000 bytes.

use longfat_foundation::units::{Span, Time};

use crate::transport::Window;
use crate::transport::law::test_support::law_and_window;
use crate::transport::law::{Progress, WindowLaw};

struct Bench {
    law: Box<dyn WindowLaw>,
    window: Window,
    now: Time,
    edge: u64,
}

impl Bench {
    /// In congestion avoidance with 40 segments.
    fn new(settings: &str) -> Self {
        let flavor = format!("flavor = {{ kind = \"lp\"{settings} }}, slow_start_at_ssthresh = false");
        let (law, mut window) = law_and_window(&flavor);
        window.set_segments(40);
        window.set_threshold_segments(2);
        Self { law, window, now: Time::ZERO, edge: 0 }
    }

    /// Finds a queue at the third acknowledgment.
    fn fill_queue(&mut self) {
        for delay_us in [20_000, 40_000, 40_000] {
            self.acknowledge(Some(delay_us));
        }
    }

    /// A millisecond later, an acknowledgment after a round trip of 50 ms with this one-way delay; returns the window then.
    fn acknowledge(&mut self, delay_us: Option<u64>) -> f64 {
        self.now += Span::from_microseconds(1000);
        let highest = self.edge + self.window.usable();
        self.edge += 1000;
        let progress = Progress {
            now: self.now,
            acknowledged: 1000,
            unacknowledged: self.edge,
            highest: highest.max(self.edge),
            sample: Some(Span::from_microseconds(50_000)),
            one_way_delay: delay_us.map(Span::from_microseconds),
            window_is_used: true,
            ..Progress::default()
        };
        self.law.on_acknowledgment(&mut self.window, &progress);
        self.window.cwnd / 1000.0
    }
}

/// Delays of 20 and 40 ms: the threshold is 23 ms. Smoothed, 20 becomes 20 + 20 / 8 = 22.5 and then 24.69.
#[test]
fn a_smoothed_delay_beyond_a_threshold_in_the_range_halves_the_window() {
    let mut bench = Bench::new("");
    bench.acknowledge(Some(20_000));
    assert!(bench.acknowledge(Some(40_000)) > 40.0);
    assert_eq!(bench.acknowledge(Some(40_000)), 20.0);
    let mut patient = Bench::new(", threshold = 0.3");
    patient.acknowledge(Some(20_000));
    patient.acknowledge(Some(40_000));
    assert!(patient.acknowledge(Some(40_000)) > 40.0, "24.69 ms are less than 26");
    let mut quick = Bench::new(", smoothing = 0.5");
    quick.acknowledge(Some(20_000));
    assert_eq!(quick.acknowledge(Some(40_000)), 20.0, "30 ms at once");
}

/// The inference phase is three round trips of 50 ms; without samples of the delay nothing is found, and nothing grows.
#[test]
fn the_window_does_not_grow_in_the_inference_phase_and_a_queue_in_it_leaves_one_segment() {
    for (waits, left) in [(149, 1.0), (150, 10.0)] {
        let mut bench = Bench::new("");
        bench.fill_queue();
        for _ in 1..waits {
            assert_eq!(bench.acknowledge(None), 20.0);
        }
        assert_eq!(bench.acknowledge(Some(40_000)), left, "{waits} ms");
    }
    let mut bench = Bench::new(", inference_round_trips = 1");
    bench.fill_queue();
    (1..50).for_each(|_| assert_eq!(bench.acknowledge(None), 20.0));
    assert!(bench.acknowledge(None) > 20.0);
}

/// 24.69 ms are within 24.69 to 49.38: 26.6 is no queue, as it would be above 28.4.
#[test]
fn a_range_that_begins_anew_lets_the_window_be() {
    for (setting, left) in [("", 1.0), (", forgets_range = true", 20.0)] {
        let mut bench = Bench::new(setting);
        bench.fill_queue();
        (0..45).for_each(|_| assert_eq!(bench.acknowledge(None), 20.0));
        assert_eq!(bench.acknowledge(Some(40_000)), left);
    }
}

/// 42 segments were sent before the reduction, and three are acknowledged.
#[test]
fn delays_of_what_was_sent_before_a_reduction_tell_nothing_of_the_window_after_it() {
    let mut bench = Bench::new("");
    bench.fill_queue();
    (0..39).for_each(|_| assert_eq!(bench.acknowledge(Some(40_000)), 20.0));
    assert_eq!(bench.acknowledge(Some(40_000)), 1.0);
}

#[test]
fn slow_start_learns_the_range_and_yields_to_nobody() {
    let mut bench = Bench::new("");
    bench.window.set_threshold_segments(1000);
    bench.fill_queue();
    assert_eq!(bench.acknowledge(Some(40_000)), 44.0);
    bench.window.set_threshold_segments(2);
    assert_eq!(bench.acknowledge(Some(40_000)), 22.0);
}

#[test]
fn without_delays_it_is_reno() {
    let mut bench = Bench::new("");
    assert_eq!(bench.acknowledge(None), 40.025);
    let flight = bench.window.usable();
    bench.law.on_loss(&mut bench.window, flight);
    assert_eq!(bench.window.segments(), 20);
}
