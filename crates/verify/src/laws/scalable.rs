//! Scalability of Scalable TCP (Kelly 2003).

use serde_json::json;

use super::periodic::PeriodicLosses;
use crate::check::{Check, Finding, Kind, require};
use crate::runs::sendings;

/// a and b.
const INCREASE: f64 = 0.01;
const DECREASE: f64 = 0.125;

/// The response function, and the recovery time.
pub fn checks() -> Vec<Check> {
    let response = [1_000, 10_000, 100_000].map(|period| {
        let name = format!("Scalable TCP's mean window is in proportion to the {period} packets for a loss");
        Check::new(name, Kind::Law, move || has_mean_window(period))
    });
    let recovery = [100, 1_000, 10_000].map(|window| {
        let name = format!("Scalable TCP has its window of {window} segments back 13.4 round trips after a loss");
        Check::new(name, Kind::Law, move || is_back(window))
    });
    response.into_iter().chain(recovery).collect()
}

/// From (1 - b) W to W takes ln(1 / (1 - b)) / a round trips, and one more repairs the loss: with one loss in N packets, the mean is N over
/// the sum. (For random losses the paper gives (a / b) / p.)
#[expect(clippy::cast_precision_loss, reason = "small numbers")]
fn has_mean_window(period: u64) -> Finding {
    let round_trips = -(1.0_f64 - DECREASE).ln() / INCREASE + 1.0;
    let expected = period as f64 / round_trips;
    let losses = PeriodicLosses {
        flavor: json!("scalable"),
        round_trip_ms: 100,
        period,
        first_window: expected * 1.07,
        expected_mean: expected,
        losses: 20,
    };
    let mean = losses.mean_window()?;
    require((mean / expected - 1.0).abs() < 0.03, format!("{mean:.1} segments for {expected:.1}"))
}

/// log(1 - b) / log(1 + a) round trips (Kelly 2003); Reno would take half as many as there were segments.
#[expect(clippy::cast_precision_loss, reason = "small numbers")]
fn is_back(window: u64) -> Finding {
    let losses = PeriodicLosses {
        flavor: json!("scalable"),
        round_trip_ms: 100,
        period: 1_000_000,
        first_window: window as f64,
        expected_mean: window as f64,
        losses: 1,
    };
    let sent = sendings(&losses.lasting("3 s"))?;
    let lost = (1..sent.len()).find(|&at| sent[at].cwnd < sent[at - 1].cwnd).ok_or("nothing was lost")?;
    let (before, reduced) = (sent[lost - 1].cwnd, sent[lost].cwnd);
    let repaired = sent.iter().rposition(|sending| sending.cwnd <= reduced).unwrap_or(lost);
    let back = sent[repaired..].iter().find(|sending| sending.cwnd >= before).ok_or("it is never back")?;
    let round_trips = (back.time - sent[repaired].time).as_seconds() / 0.1;
    let expected = (1.0_f64 - DECREASE).ln() / -(1.0_f64 + INCREASE).ln();
    require((round_trips - expected).abs() < 0.5, format!("{round_trips:.2} round trips for {expected:.2}"))
}
