//! Leith and Shorten 2004 and draft-leith-tcp-htcp-06: H-TCP.

use longfat_engine::units::Span;
use serde_json::json;

use super::laws_by_hand::{LawByHand, ms};
use super::support::{all, near};
use crate::check::{Check, Finding, Kind};

/// Growth as a function of the time since the last loss, and backoff as a function of round trips.
pub fn checks() -> Vec<Check> {
    vec![
        Check::new("Leith and Shorten 2004: H-TCP's growth 0.5, 1, 3 and 11 s after a loss", Kind::Example, growth),
        Check::new("Leith and Shorten 2004: H-TCP's backoff by round trips and throughput", Kind::Example, backoff),
    ]
}

/// alpha(Delta) = 1 + 10 (Delta - 1) + 0.25 (Delta - 1)^2: 1, 1, 22 and 126 segments per round trip, with a window of 1000.
fn growth() -> Finding {
    let at = |milliseconds: u64| -> Result<f64, String> {
        let settings = json!({ "flavor": { "kind": "h-tcp", "adaptive_backoff": false } });
        let mut by_hand = LawByHand::new(&settings, 1000.0, 2.0)?;
        by_hand.acknowledge(ms(1), ms(100));
        by_hand.lose();
        by_hand.window.cwnd = 100_000.0;
        Ok(by_hand.acknowledge(ms(milliseconds), ms(100)) * 1000.0)
    };
    all([
        near("after 0.5 and 1 s", (at(500)?, at(1000)?), (1.0, 1.0)),
        near("after 3 and 11 s", (at(3000)?, at(11_000)?), (22.0, 126.0)),
    ])
}

/// 100 segments in each window of data. The first loss halves the window, because no earlier throughput is known. Then round trips are 100
/// to 125 ms: the next loss leaves 0.8 if a window takes about the same time, and growth is scaled by 2 (1 - 0.8); if it takes twice as
/// long, the loss leaves half.
fn backoff() -> Finding {
    let mut by_hand = LawByHand::new(&json!({ "flavor": "h-tcp" }), 100.0, 2.0)?;
    let mut share_after = |window_milliseconds: u64| -> (f64, f64) {
        // Three windows of data, so that the latest is complete.
        for number in 0..300 {
            by_hand.window.cwnd = 10_000.0;
            let round_trip = if number % 2 == 0 { ms(100) } else { ms(125) };
            by_hand.acknowledge(Span::from_microseconds(10 * window_milliseconds), round_trip);
        }
        by_hand.window.cwnd = 10_000.0;
        let share = by_hand.lose() / 100.0;
        by_hand.window.cwnd = 10_000.0;
        (share, by_hand.acknowledge(ms(1), ms(100)) * 100.0)
    };
    all([
        near("first loss: half, and one segment in a round trip", share_after(100), (0.5, 1.0)),
        near("second loss: 100 / 125, and 2 / 5", share_after(110), (0.8, 0.4)),
        near("throughput halves: half again", share_after(220), (0.5, 1.0)),
    ])
}
