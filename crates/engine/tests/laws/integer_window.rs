//! Task 6 of the project's final report: integer windows on long fat networks (T-40 to T-43).

use longfat_engine::scenario::Scenario;

use crate::support::n_source;
use crate::support::tape::{Happening, run_taped};

/// A single flow in linear growth from 240000 B on over a path with a round trip of 0.4 s, for 40 s: about 90 round trips, each of which
/// adds a segment of 512 bytes. Nothing is lost.
fn flow(arithmetic: &str, period: u64) -> Scenario {
    let rest = format!(
        "framing = \"packet\"
port.buffer = \"unlimited\"
tcp = {{ mss = \"512 B\", receiver_window = \"8704000 B\", initial_ssthresh = \"240000 B\", window_arithmetic = \
         \"{arithmetic}\", acknowledgments_per_increment = {period} }}"
    );
    n_source(1, "155.52 Mbit/s", "66 ms", "40 s", &rest)
}

/// Window at the end of each second.
fn windows(scenario: &Scenario) -> Vec<f64> {
    let (tape, record) = run_taped(scenario);
    assert_eq!((record.metrics.timeouts, record.ports[0].cells_dropped), (0, 0));
    let acknowledged: Vec<_> = tape
        .iter()
        .filter_map(|entry| match entry.what {
            Happening::Acknowledged { cwnd, .. } => Some((entry.time.as_seconds(), cwnd)),
            _ => None,
        })
        .collect();
    let at = |second: u32| {
        let later = acknowledged.partition_point(|(time, _)| *time <= f64::from(second));
        acknowledged[later - 1].1
    };
    (1..=40).map(at).collect()
}

/// 512 * 512 / cwnd is less than one byte beyond 512 * 512 = 262144.
#[test]
fn in_integers_the_window_stands_still_at_the_square_of_the_segment_size() {
    let windows = windows(&flow("integer", 1));
    assert_eq!(windows[39], 262_145.0, "one byte for the last acknowledgment at 262144");
    let reached = windows.iter().position(|window| *window == 262_145.0).expect("it is reached");
    assert!((15..35).contains(&reached), "after {reached} s");
}

/// T-41, solution 1: N * MSS * MSS / cwnd for N acknowledgments. T-43, solution 3: floating point.
#[test]
fn a_hundred_acknowledgments_for_an_increment_let_an_integer_window_grow_as_in_floating_point() {
    let floating_point = windows(&flow("floating-point", 1));
    let integer = windows(&flow("integer", 100));
    for (second, (exact, rounded)) in floating_point.iter().zip(&integer).enumerate() {
        assert!((rounded / exact - 1.0).abs() < 0.02, "{rounded} and {exact} after {} s", second + 1);
    }
    // Both grow by about a segment in each of some 85 round trips, past where plain integers stop.
    for last in [floating_point[39], integer[39]] {
        assert!((278_000.0..288_000.0).contains(&last), "{last}");
    }
}
