//! BIC TCP under periodic losses, and its recovery time.

use serde_json::json;

use super::periodic::PeriodicLosses;
use crate::check::{Check, Finding, Kind, require};
use crate::runs::sendings;

/// The response function, and the time to regain the window.
pub fn checks() -> Vec<Check> {
    let response = [1_000, 10_000, 100_000].map(|period| {
        let name = format!("BIC's mean window with a loss every {period} packets is what its search makes of it");
        Check::new(name, Kind::Law, move || has_mean_window(period))
    });
    let search = [100, 1_000, 4_000].map(|window| {
        let round_trips = until_back(f64::from(window));
        let name = format!("BIC has its window of {window} segments back {round_trips:.0} round trips after a loss");
        Check::new(name, Kind::Law, move || is_back(window))
    });
    response.into_iter().chain(search).collect()
}

/// B, Smax, round trips for the last B segments, and the factor at a loss.
const DIVISOR: f64 = 4.0;
const MOST: f64 = 16.0;
const SMOOTH: f64 = 20.0;
const BETA: f64 = 0.8;

/// Growth per round trip at `distance` segments below the window of the last loss.
fn growth(distance: f64) -> f64 {
    if distance <= DIVISOR { DIVISOR / SMOOTH } else { (distance / DIVISOR).min(MOST) }
}

/// Round trips from beta W to W: `distance` shrinks from (1 - beta) W by Smax each to B Smax, from there by the share 1 / B each to B,
/// which takes B ln(distance / B), and from B to zero in 20.
fn until_back(window: f64) -> f64 {
    let distance = (1.0 - BETA) * window;
    let near = distance.min(DIVISOR * MOST);
    (distance - near) / MOST + DIVISOR * (near / DIVISOR).ln() + SMOOTH
}

/// Growth per round trip at `distance` segments beyond the window of the last loss.
fn growth_beyond(distance: f64) -> f64 {
    if distance < DIVISOR { DIVISOR / SMOOTH } else { (distance / (DIVISOR - 1.0)).min(MOST) }
}

/// After a loss at a window of `maximum` segments: the window `packets` packets later, and the round trips taken. Nothing grows in the
/// first, which repairs the loss.
fn cycle(maximum: f64, packets: f64) -> (f64, f64) {
    const STEP: f64 = 0.01;
    let (mut window, mut round_trips) = (BETA * maximum, 1.0);
    let mut rest = packets - window;
    while rest > 0.0 {
        rest -= window * STEP;
        window += STEP * if window < maximum { growth(maximum - window) } else { growth_beyond(window - maximum) };
        round_trips += STEP;
    }
    (window, round_trips)
}

const LOSSES: u64 = 20;

/// Growth is slow near the window of the last loss, so the mean depends on where the first loss occurs: at a window of sqrt(10 * period),
/// from which the search continues loss by loss. Before the first loss it grows for a round trip by a third of the window, at most Smax,
/// and at least a twentieth. Without fast convergence, since whether a window has reached the last maximum may depend on a single packet.
#[expect(clippy::cast_precision_loss, reason = "small numbers")]
fn has_mean_window(period: u64) -> Finding {
    let packets = period as f64;
    let first_window = (10.0 * packets).sqrt();
    let mut window = first_window + (first_window / (DIVISOR - 1.0)).min(MOST).max(0.05 * first_window);
    let mut round_trips = 0.0;
    for _ in 1..LOSSES {
        let took;
        (window, took) = cycle(window, packets);
        round_trips += took;
    }
    let expected = (LOSSES - 1) as f64 * packets / round_trips;
    let losses = PeriodicLosses {
        flavor: json!({ "kind": "bic", "fast_convergence": false }),
        round_trip_ms: 100,
        period,
        first_window,
        expected_mean: expected,
        losses: LOSSES,
    };
    let mean = losses.mean_window()?;
    require((mean / expected - 1.0).abs() < 0.03, format!("{mean:.1} segments for {expected:.1}"))
}

/// Reno would take half as many round trips as there were segments.
fn is_back(window: u32) -> Finding {
    let losses = PeriodicLosses {
        flavor: json!("bic"),
        round_trip_ms: 100,
        period: 10_000_000,
        first_window: f64::from(window),
        expected_mean: f64::from(window),
        losses: 1,
    };
    let sent = sendings(&losses.lasting("10 s"))?;
    let lost = (1..sent.len()).find(|&at| sent[at].cwnd < sent[at - 1].cwnd).ok_or("nothing was lost")?;
    let (before, reduced) = (sent[lost - 1].cwnd, sent[lost].cwnd);
    let repaired = sent.iter().rposition(|sending| sending.cwnd <= reduced).unwrap_or(lost);
    let back = sent[repaired..].iter().find(|sending| sending.cwnd >= before).ok_or("it is never back")?;
    let round_trips = (back.time - sent[repaired].time).as_seconds() / 0.1;
    let expected = until_back(before / 1000.0);
    require((round_trips - expected).abs() < 1.0, format!("{round_trips:.2} round trips for {expected:.2}"))
}
