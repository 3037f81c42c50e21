//! Brakmo and Peterson 1995: TCP Vegas.

use longfat_engine::units::Span;
use serde_json::json;

use super::laws_by_hand::{LawByHand, ms};
use super::support::{all, near};
use crate::check::{Check, Finding, Kind};

/// Vegas' comparison of expected and actual rates, once per round trip.
pub fn checks() -> Vec<Check> {
    vec![
        Check::new("Brakmo and Peterson 1995: Vegas' window by Expected and Actual", Kind::Example, avoidance),
        Check::new("Brakmo and Peterson 1995: Vegas leaves slow start with more than gamma", Kind::Example, slow_start),
    ]
}

/// Acknowledges a window of 100 segments over a round trip, 1 ms apart; returns the window, and the number of acknowledgments that have
/// changed it.
fn round(by_hand: &mut LawByHand, segments: u64, round_trip: Span) -> (f64, f64) {
    let changes = (0..segments).filter(|_| by_hand.acknowledge(ms(1), round_trip) != 0.0).count();
    (by_hand.segments(), changes as f64)
}

/// BaseRTT 100 ms. At 102 ms, 100 (1 - 100 / 102) = 1.96 segments are queued, between 1 and 3; at 100.5 ms 0.498; at 104 ms 3.85.
fn avoidance() -> Finding {
    let mut by_hand = LawByHand::new(&json!({ "flavor": "vegas" }), 100.0, 2.0)?;
    // The first acknowledgment begins a round trip, which the 101st ends.
    by_hand.acknowledge(ms(1), ms(100));
    by_hand.lose();
    by_hand.window.cwnd = 10_000.0;
    by_hand.acknowledge(ms(1), Span::from_microseconds(100_500));
    let more = round(&mut by_hand, 100, Span::from_microseconds(100_500));
    by_hand.window.cwnd = 10_000.0;
    let same = round(&mut by_hand, 100, ms(102));
    let fewer = round(&mut by_hand, 100, ms(104));
    all([
        near("0.5 segments wait: one more, once", more, (101.0, 1.0)),
        near("1.96 wait: as many", same, (100.0, 0.0)),
        near("3.85 wait: one fewer, once", fewer, (99.0, 1.0)),
    ])
}

/// Ten segments become twenty in a round trip, and stay so in the next, which takes 107 ms: 20 (1 - 100 / 107) = 1.31 are queued, and slow
/// start ends.
fn slow_start() -> Finding {
    let mut by_hand = LawByHand::new(&json!({ "flavor": "vegas" }), 10.0, 1000.0)?;
    let first = round(&mut by_hand, 10, ms(100));
    let second = (round(&mut by_hand, 20, ms(107)).0, by_hand.threshold());
    let third = (round(&mut by_hand, 1, ms(107)).0, by_hand.threshold());
    all([
        near("ten more", first, (20.0, 10.0)),
        near("none more", second, (20.0, 1000.0)),
        near("the threshold is below the window", third, (20.0, 19.0)),
    ])
}
