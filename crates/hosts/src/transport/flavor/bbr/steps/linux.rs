//! BBR as the module of Linux 6.12 has it (net/ipv4/tcp_bbr.c), with numbers worked by hand.
//!
//! A path of 1 MB/s and 100 ms delivers 16,777 units of 1/2^24 segments in a microsecond: 99.998 segments in a round trip.

use super::{Bench, RATE, SEGMENT, assert_near, milliseconds};
use crate::transport::Standing;
use crate::transport::preset::PRESETS;

/// A connection with the arithmetic of the kernel and these readings.
fn with(settings: &str) -> Bench {
    let flavor = format!("flavor = {{ kind = \"bbr\", arithmetic = \"linux\", {settings} }}");
    Bench::with(&format!("{flavor}, window_arithmetic = \"whole-segments\", cwnd_limit = \"unlimited\""), 1)
}

/// A connection that has filled a path of `rate` bytes per second, and drained its queue.
fn filled(settings: &str, rate: f64) -> Bench {
    let mut bench = with(settings);
    bench.law.on_opened(bench.now, milliseconds(100));
    bench.pacing_rate();
    let product = segments(rate / 10.0);
    (0..4).for_each(|_| bench.deliver(milliseconds(100), product, product, rate, 2 * product));
    bench.deliver(milliseconds(100), product, product, rate, product);
    bench
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small positive numbers")]
fn segments(bytes: f64) -> u64 {
    (bytes / 1000.0) as u64
}

/// Goes on to a phase of the cycle with this gain, by acknowledgments of a segment.
fn until_gain(bench: &mut Bench, gain: f64, rate: f64) {
    let is_there = |bench: &mut Bench| (bench.pacing_rate() / rate / gain - 1.0).abs() < 0.02;
    let goes_on = |bench: &mut Bench| bench.deliver(milliseconds(101), 1, 0, rate, 2 * segments(rate / 10.0));
    assert!(
        (0..10).any(|_| is_there(bench) || {
            goes_on(bench);
            is_there(bench)
        }),
        "no phase with a gain of {gain}"
    );
}

fn standing(bench: &Bench, in_flight: u64, lost: u64, is_recovering: bool) -> Standing {
    Standing {
        in_flight_before: in_flight * SEGMENT,
        in_flight: in_flight * SEGMENT,
        lost: lost * SEGMENT,
        is_recovering,
        unacknowledged: bench.total,
        highest: bench.total + in_flight * SEGMENT,
        departs: bench.now,
    }
}

/// `bbr_rate_bytes_per_sec`: gains in 256ths, and a hundredth less. In the first phase, 16,777 * 1000 * 320 / 256 * 990,000 / 2^24.
#[test]
fn rates_are_99_percent_of_what_the_gains_ask_for() {
    let mut bench = with("pacing_margin = \"1%\"");
    bench.law.on_opened(bench.now, milliseconds(100));
    assert_near(bench.pacing_rate(), 1e5 * 739.0 / 256.0 * 0.99);
    let mut bench = filled("pacing_margin = \"1%\"", RATE);
    until_gain(&mut bench, 1.25, RATE);
    assert_eq!(bench.pacing_rate(), 1_237_484.0);
}

/// `bbr_quantization_budget`: 2 * 99.998 segments are 200, and three quanta of two: 206. Of 100 kB/s twice the product is 20, and three
/// quanta of one: 23. At 10 MB/s 1/1024 s is nine segments: 2000 and 27. An odd number becomes even.
#[test]
fn the_window_has_three_send_quanta_more_and_is_even_and_two_larger_in_the_phase_that_probes() {
    for (rate, expected) in [(RATE, 206.0), (0.1 * RATE, 24.0), (10.0 * RATE, 2028.0)] {
        let mut bench = filled("window_allowance = \"send-quanta\", pacing_margin = \"1%\"", rate);
        until_gain(&mut bench, 1.0, rate);
        bench.deliver(milliseconds(1), 1, 1_000_000, rate, 50);
        assert_eq!(bench.segments(), expected, "at {rate} B/s");
        until_gain(&mut bench, 1.25, rate);
        bench.deliver(milliseconds(1), 2, 1_000_000, rate, 50);
        assert!(bench.segments() >= expected + 2.0, "{} at {rate} B/s", bench.segments());
    }
}

/// `bbr_ack_aggregation_cwnd`: 20 segments at once are 20 more than the bandwidth explains. The window has three more for hosts.
#[test]
fn the_window_has_what_acknowledgments_bring_at_once_more() {
    let mut bench = filled("aggregation_allowance = \"observed\"", RATE);
    // Ten rounds later nothing is left of the acknowledgments for a round trip that have filled the pipe.
    (0..12).for_each(|_| bench.deliver(milliseconds(50), 1, 0, RATE, 100));
    assert_eq!(bench.segments(), 200.0 + 1.0 + 3.0);
    bench.deliver(milliseconds(50), 20, 1_000_000, RATE, 100);
    assert_eq!(bench.segments(), 200.0 + 20.0 + 3.0);
}

/// `bbr_packets_in_net_at_edt`: five milliseconds deliver 4.9999 segments, rounded down four, and with a gain above 1 a quantum of two goes
/// then. 1.25 * 99.998 segments are 125, and three more: 130 - 4 + 2.
#[test]
fn phases_end_by_what_is_in_flight_when_the_next_segment_goes() {
    for (in_flight, gain) in [(129, 1.25), (130, 0.75)] {
        let mut bench = filled("flight_at = \"departure\"", RATE);
        until_gain(&mut bench, 1.25, RATE);
        let mut after = standing(&bench, in_flight, 0, false);
        after.departs = bench.now + milliseconds(101 + 5);
        bench.deliver_with(milliseconds(101), 1, 1_000_000, RATE, after);
        assert_eq!(bench.pacing_rate() > RATE, gain > 1.0, "{in_flight} in flight");
    }
}

/// `bbr_set_cwnd_to_recover_or_restore`. In the draft, losses of the first round and outside of a recovery do not count.
#[test]
fn losses_are_taken_from_the_window_when_they_are_found_and_a_repaired_one_restores_it() {
    let mut bench = filled("loss_response = \"linux\"", RATE);
    bench.deliver(milliseconds(1), 10, 1_000_000, RATE, 100);
    assert_eq!(bench.segments(), 203.0);
    bench.law.on_loss(&mut bench.window, 100 * SEGMENT);
    let after = standing(&bench, 95, 4, true);
    bench.deliver_with(milliseconds(1), 0, 0, RATE, after);
    assert_eq!(bench.segments(), 203.0, "nothing is delivered");
    let after = standing(&bench, 95, 4, true);
    bench.deliver_with(milliseconds(1), 1, 1_000_000, RATE, after);
    assert_eq!(bench.segments(), 96.0, "what is in flight, and what is delivered");
    let after = standing(&bench, 92, 3, true);
    bench.deliver_with(milliseconds(1), 2, 1_000_000, RATE, after);
    assert_eq!(bench.segments(), 94.0, "96 - 3 is less");
    // The next round: 94 - 4 + 3.
    let after = standing(&bench, 80, 4, true);
    bench.deliver_with(milliseconds(1), 3, 0, RATE, after);
    assert_eq!(bench.segments(), 93.0);
    let after = standing(&bench, 80, 0, false);
    bench.deliver_with(milliseconds(1), 1, 1_000_000, RATE, after);
    assert_eq!(bench.segments(), 203.0);
}

/// `bbr_set_state`: a growth by a quarter is asked for anew, from what is delivered after the timeout.
#[test]
fn after_a_timeout_the_search_for_the_full_pipe_begins_anew() {
    for (settings, is_searching) in [("loss_response = \"linux\"", true), ("loss_response = \"draft\"", false)] {
        let mut bench = with(settings);
        bench.law.on_opened(bench.now, milliseconds(100));
        bench.pacing_rate();
        (0..3).for_each(|_| bench.round(200));
        bench.law.on_timeout(&mut bench.window, 200 * SEGMENT);
        // The third round without growth, or the first of the new search.
        bench.round(200);
        assert_eq!(bench.pacing_rate() > 2.0 * RATE, is_searching, "{settings}");
    }
}

/// `bbr_lt_bw_sampling`: in rounds of 100 ms 80 segments are delivered and 20 lost, a quarter. Two intervals of four rounds have the same
/// rate: 2^24 * 240 / 300,000 units and 2^24 * 320 / 400,000, rounded down 13,421. It is then paced at 13,421 * 1000 * 990,000 / 2^24.
#[test]
fn behind_a_policer_it_sends_at_the_rate_that_comes_through() {
    let mut bench = filled("policer_detection = \"long-term-rate\", pacing_margin = \"1%\"", RATE);
    for _ in 0..8 {
        assert!(bench.pacing_rate() != 791_954.0);
        let after = Standing { unacknowledged: bench.total + 80 * SEGMENT, ..standing(&bench, 100, 20, false) };
        bench.deliver_with(milliseconds(100), 80, 80, RATE, after);
    }
    assert_eq!(bench.pacing_rate(), 791_954.0);
}

/// `tcp_jiffies32`: 10 s after a time in a jiffy of 4 ms are over when the jiffy is.
#[test]
fn deadlines_are_in_jiffies() {
    for (begins, probes) in [(100, false), (103, true)] {
        let mut bench = filled("", RATE);
        // The shortest round trip is measured at a whole jiffy, or 3 ms later.
        bench.round_trip = milliseconds(90);
        bench.segment(begins, 100);
        bench.round_trip = milliseconds(100);
        bench.segment(10_001, 100);
        assert_eq!(bench.law.sends_less_than_it_could(), probes, "{begins}");
    }
}

#[test]
fn the_preset_has_every_reading_of_the_kernel() {
    let bundled = PRESETS.iter().flat_map(|preset| preset.flavors).find(|(kind, _)| *kind == "bbr");
    let (_, settings) = bundled.expect("a preset has the kernel's BBR");
    let knobs =
        ["arithmetic", "window_allowance", "aggregation_allowance", "pacing_margin", "pacing_timer", "flight_at"];
    for knob in knobs.into_iter().chain(["loss_response", "policer_detection"]) {
        assert!(settings.contains(knob), "{knob}");
    }
}
