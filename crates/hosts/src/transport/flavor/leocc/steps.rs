//! LeoCC step by step against its module, with numbers worked by hand, on the bench of BBR: segments of 1000 bytes, a path of 1 MB/s and 100 ms, whose
//! bandwidth of 16,777 units times the round trip is 99.998 segments.

use longfat_foundation::units::Time;

use crate::transport::flavor::bbr::steps::{Bench, RATE, milliseconds};

fn with(settings: &str) -> Bench {
    let settings =
        if settings.contains("offset") { settings.to_owned() } else { format!("offset = \"12 s\", {settings}") };
    let flavor = format!("flavor = {{ kind = \"leocc\", {settings} }}");
    Bench::with(&format!("{flavor}, window_arithmetic = \"whole-segments\", cwnd_limit = \"unlimited\""), 1)
}

/// A connection that has filled its path in half a second, and drained the queue.
fn filled(settings: &str) -> Bench {
    let mut bench = with(settings);
    bench.law.on_opened(bench.now, milliseconds(100));
    bench.filled()
}

/// True if an acknowledgment at this time, in milliseconds, leads to `ProbeRTT`.
fn probes_at(bench: &mut Bench, time: u64) -> bool {
    let wait = Time::ZERO + milliseconds(time) - bench.now;
    bench.deliver(wait, 1, 0, RATE, 100);
    bench.law.sends_less_than_it_could()
}

/// `leocc_main`: in milliseconds since the beginning, modulo 15,000, from 11,900 to 12,000. Jiffies last 4 ms.
#[test]
fn the_round_trip_is_probed_in_the_last_100_ms_before_the_path_changes() {
    let times = [(11_899, false), (11_900, true), (12_003, true), (12_004, false), (26_899, false), (26_900, true)];
    for (time, probes) in times {
        assert_eq!(probes_at(&mut filled("round_trip_lifetime = \"1 h\""), time), probes, "{time}");
    }
    for (settings, time) in
        [("offset = \"0 s\"", 14_900), ("lead = \"1 s\"", 11_000), ("period = \"6 s\", offset = \"6 s\"", 5900)]
    {
        assert!(!probes_at(&mut filled(settings), time - 1), "{settings}");
        assert!(probes_at(&mut filled(settings), time), "{settings}");
    }
}

#[test]
fn changes_are_counted_from_the_opening_if_they_are_to() {
    for (from, time) in [("scenario", 11_900), ("opening", 12_900)] {
        let mut bench = with(&format!("grid_from = \"{from}\""));
        bench.now += milliseconds(1000);
        bench.law.on_opened(bench.now, milliseconds(100));
        let mut bench = bench.filled();
        assert!(!probes_at(&mut bench, time - 1), "{from}");
        assert!(probes_at(&mut bench, time), "{from}");
    }
}

/// `leocc_min_rtt_win_sec`: of the round trip of the handshake.
#[test]
fn without_a_change_the_round_trip_is_probed_after_twenty_seconds() {
    let mut bench = filled("period = \"1 h\", offset = \"1800 s\"");
    assert!(!probes_at(&mut bench, 20_003));
    assert!(probes_at(&mut bench, 20_004));
}

/// A connection whose round trip is being probed for a change, with half of a bandwidth-delay product in flight, for 200 ms from 11.9 s on.
fn probing(settings: &str) -> Bench {
    let mut bench = filled(settings);
    assert!(probes_at(&mut bench, 11_900));
    assert_eq!(bench.segments(), 50.0, "`leocc_probe_rtt_cwnd`: 49.999, rounded up");
    bench.segment(0, 50);
    bench
}

/// `leocc_check_probe_rtt_done`: the deadline is a jiffy after 200 ms, a round has passed, the last sample is the new shortest.
#[test]
fn after_the_probe_startup_begins_without_a_bandwidth_and_with_the_round_trip_of_the_new_path() {
    let mut bench = probing("");
    bench.segment(100, 50);
    bench.round_trip = milliseconds(130);
    bench.segment(100, 50);
    assert!(bench.law.sends_less_than_it_could(), "200 ms are not over");
    let before = bench.pacing_rate();
    bench.segment(4, 50);
    assert!(!bench.law.sends_less_than_it_could());
    assert_eq!(bench.pacing_rate(), before, "in Startup the rate does not fall");
    // 8388 units times 1000 times 739 / 256 are 24,213,796, times 990,000 and divided by 2^24.
    bench.deliver(milliseconds(100), 50, 50, 0.5 * RATE, 50);
    assert_eq!(bench.pacing_rate(), 1_428_822.0);
    (0..3).for_each(|_| bench.deliver(milliseconds(100), 50, 50, 0.5 * RATE, 130));
    // 8388 * 1000 * 88 / 256 are 2,883,375: what was faster before the change is forgotten.
    assert_eq!(bench.pacing_rate(), 170_143.0);
    // 8388 units in 130 ms are 64.9 segments, rounded up, with three quanta of two, and even.
    bench.segment(10, 72);
    assert!(bench.pacing_rate() > 0.48 * RATE, "the queue is drained: 72 are no more than 65 + 6, even");
    assert!(!probes_at(&mut bench, 13_000), "and the change is over");
}

/// `leocc_update_bw`: the filtered round trip is above 99 ms by then, and `delta_thresh` is 45 ms.
#[test]
fn a_round_trip_that_has_fallen_by_more_than_45_ms_keeps_the_latest_bandwidth() {
    for (round_trip, keeps) in [(60, false), (50, true)] {
        let mut bench = probing("");
        bench.segment(100, 50);
        bench.segment(100, 50);
        bench.round_trip = milliseconds(round_trip);
        bench.deliver(milliseconds(4), 1, 0, 0.25 * RATE, 50);
        assert!(!bench.law.sends_less_than_it_could(), "{round_trip}");
        // Startup begins with the 1 MB/s of the sample before the fall, or with nothing, and the rate stays.
        let gain = if keeps { 739.0 / 256.0 } else { 1.0 };
        assert!((bench.pacing_rate() / RATE / 0.99 - gain).abs() < 1e-3, "{round_trip}");
    }
}

/// `leocc_main`: round trips of 110 ms are 10 ms above the shortest. Each segment is a round here: the estimate approaches the largest sample of each.
#[test]
fn while_round_trips_are_long_the_filtered_bandwidth_counts() {
    for (round_trip, is_filtered) in [(109, false), (111, true)] {
        let mut bench = filled("");
        bench.round_trip = milliseconds(round_trip);
        (0..20).for_each(|_| bench.segment(1, 100));
        bench.deliver(milliseconds(1), 1, 0, 3.0 * RATE, 100);
        bench.deliver(milliseconds(1), 1, 0, RATE, 100);
        bench.deliver(milliseconds(1), 1, 0, RATE, 100);
        let share = bench.pacing_rate() / RATE / 0.99;
        if is_filtered {
            // The Kalman estimate after rounds of 1, 3 and 1 MB/s at a gain of 153 / 256: 2.195 MB/s, then 1.48; the pacing rate is that times a gain of the cycle.
            let gains = [1.0, 268.0 / 256.0].map(|gain| share / gain);
            assert!(gains.iter().any(|share| (share - 1.4805).abs() < 1e-3), "{share}");
        } else {
            assert!(share > 2.9, "{share}");
        }
    }
}

/// `leocc_pacing_gain[0]`: 256 * 21 / 20, rounded down.
#[test]
fn it_probes_for_less_more_bandwidth_while_round_trips_are_long() {
    for (round_trip, settings, most) in [
        (100, "", 320.0),
        (111, "", 268.0),
        (111, "min_rtt_fluctuation = \"20 ms\"", 320.0),
        (111, "filtered_gain = 1.1", 281.0),
    ] {
        let mut bench = filled(settings);
        bench.round_trip = milliseconds(round_trip);
        (0..30).for_each(|_| bench.segment(1, 100));
        let gains: Vec<f64> = (0..40)
            .map(|_| {
                bench.deliver(milliseconds(112), 1, 0, RATE, 200);
                bench.pacing_rate() / RATE / 0.99
            })
            .collect();
        let largest = gains.iter().copied().fold(0.0, f64::max);
        assert!((largest - most / 256.0).abs() < 1e-3, "{settings}: {largest}");
    }
}

/// `leocc_init`: the estimate is 0 until a round of Cruise is over, and a rate of 0 is none. Then it is 224 / 256 of the largest sample.
#[test]
fn at_first_the_filtered_bandwidth_is_nothing() {
    let mut bench = with("");
    bench.law.on_opened(bench.now, milliseconds(100));
    bench.round_trip = milliseconds(120);
    let mut bench = bench.filled();
    assert_eq!(bench.pacing_rate(), 0.0);
    bench.segment(1, 100);
    let share = bench.pacing_rate() / RATE / 0.99;
    assert!([1.0, 268.0 / 256.0].iter().any(|gain| (share / gain - 0.875).abs() < 1e-3), "{share}");
}
