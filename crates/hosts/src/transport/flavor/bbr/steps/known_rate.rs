//! A rate that an earlier connection had (RFC 9959 appendix C), on the bench of BBR, whose path has 1 MB/s and 100 ms.

use super::{Bench, HIGH_GAIN, RATE, SEGMENT, assert_near, milliseconds};
use crate::transport::Standing;

/// After the first round, in which 100 kB/s were measured, half a megabyte per second is asked for.
fn asked() -> Bench {
    let mut bench = Bench::new();
    bench.pacing_rate();
    bench.deliver(milliseconds(100), 10, 10, 0.1 * RATE, 10);
    bench.law.try_rate(0.5 * RATE);
    bench
}

/// The nominal rate is 2.885 * 100 kB/s; the window 2.885 * 0.5 MB/s * 100 ms and three segments.
#[test]
fn startup_sends_at_least_at_this_rate_for_two_rounds() {
    let mut bench = asked();
    assert_near(bench.pacing_rate(), HIGH_GAIN * 0.1 * RATE);
    bench.deliver(milliseconds(100), 20, 20, 0.1 * RATE, 20);
    assert_near(bench.pacing_rate(), 0.5 * RATE);
    assert_near(bench.segments(), HIGH_GAIN * 50.0 + 3.0);
    // Segments sent at the tried rate of 0.5 MB/s are acknowledged: the bandwidth filter has 0.5 MB/s, and Startup continues.
    bench.deliver(milliseconds(100), 50, 50, 0.5 * RATE, 100);
    bench.deliver(milliseconds(100), 50, 50, 0.5 * RATE, 100);
    assert_near(bench.pacing_rate(), HIGH_GAIN * 0.5 * RATE);
}

/// The path has 100 kB/s. Drain discards rates: the pipe is drained at a 2.885th of what was measured before.
#[test]
fn a_loss_meanwhile_ends_startup_and_what_drain_measures_does_not_count() {
    let mut bench = asked();
    bench.deliver(milliseconds(100), 20, 20, 0.1 * RATE, 20);
    bench.law.on_loss(&mut bench.window, 60 * SEGMENT);
    bench.deliver(milliseconds(10), 1, 100, 3.0 * RATE, 60);
    assert!(!bench.window.in_slow_start());
    assert_near(bench.pacing_rate(), 0.1 * RATE / HIGH_GAIN);
    let after = Standing { in_flight: 5 * SEGMENT, in_flight_before: 6 * SEGMENT, ..Standing::default() };
    bench.deliver_with(milliseconds(200), 1, 0, 3.0 * RATE, after);
    assert!(bench.pacing_rate() <= 1.25 * 0.1 * RATE, "{}", bench.pacing_rate());
    bench.deliver(milliseconds(10), 1, 0, 0.2 * RATE, 5);
    assert!(bench.pacing_rate() >= 0.75 * 0.2 * RATE, "after Drain rates count again");
}

#[test]
fn marks_and_timeouts_end_it_too_and_after_it_change_nothing() {
    for (rounds, ends) in [(1, true), (3, false)] {
        let mut bench = asked();
        (0..rounds).for_each(|_| bench.deliver(milliseconds(100), 20, 20, 0.5 * RATE, 100));
        bench.law.on_mark(&mut bench.window, 20 * SEGMENT);
        bench.deliver(milliseconds(10), 1, 100, 0.5 * RATE, 100);
        assert_eq!(!bench.window.in_slow_start(), ends, "after {rounds} rounds");
    }
}
