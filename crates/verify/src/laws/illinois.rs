//! TCP-Illinois with and without a queue.

use serde_json::{Value as Json, json};

use super::periodic::PeriodicLosses;
use crate::check::{Check, Finding, Kind, require};
use crate::runs::{Sending, record, sendings};

/// The response function without delays, and the concave curve with them.
pub fn checks() -> Vec<Check> {
    let response = [1_000, 10_000, 100_000].map(|period| {
        let name = format!(
            "Illinois' mean window with a loss every {period} packets and no queue is that of ten and an eighth"
        );
        Check::new(name, Kind::Law, move || has_mean_window(period))
    });
    let queue = [
        Check::new("Illinois' window grows by half of its way in a fifth of the time", Kind::Law, is_concave),
        Check::new(
            "Illinois keeps a line busier than Reno behind a buffer of a quarter of the path",
            Kind::Law,
            keeps_busy,
        ),
    ];
    response.into_iter().chain(queue).collect()
}

/// Growth in segments per round trip with empty queues, and with the longest; and the reduction by a loss with short queues.
const MOST: f64 = 10.0;
const LEAST: f64 = 0.3;
const DECREASE: f64 = 0.125;

/// From 7/8 W to W takes W / 80 round trips of 15/16 W packets, and one of 7/8 W, which repairs the loss. All delays count as zero:
/// otherwise the delays of a burst on its own line would be the longest of this path.
#[expect(clippy::cast_precision_loss, reason = "small numbers")]
fn has_mean_window(period: u64) -> Finding {
    let left = 1.0 - DECREASE;
    let (square, linear) = (DECREASE / MOST * (1.0 + left) / 2.0, left);
    let window = ((linear * linear + 4.0 * square * period as f64).sqrt() - linear) / (2.0 * square);
    let expected = period as f64 / (1.0 + DECREASE * window / MOST);
    let losses = PeriodicLosses {
        flavor: json!({ "kind": "illinois", "empty_delay": 1, "short_delay": 1, "long_delay": 1 }),
        round_trip_ms: 100,
        period,
        // Before a round trip has measured delays, a loss takes half; this first window makes it leave as much as the others do.
        first_window: 2.0 * left * window,
        expected_mean: expected,
        losses: 20,
    };
    let mean = losses.mean_window()?;
    require((mean / expected - 1.0).abs() < 0.03, format!("{mean:.1} segments for {expected:.1}"))
}

/// 10 Mbit/s and 100 ms: the path holds 119 packets of 1052 bytes.
fn scenario(flavor: &Json, buffer: u64) -> Json {
    json!({
        "schema_version": 1,
        "duration": "200 s",
        "topology": {
            "kind": "n-source", "sources": 1, "access": { "rate": "1 Gbit/s", "delay": "1 us" },
            "bottleneck": { "rate": "10 Mbit/s", "delay": "49998 us" },
        },
        "framing": "packet",
        "port": { "buffer": format!("{buffer} packets") },
        "tcp": {
            "flavor": flavor, "mss": "1000 B", "receiver_window": "1 MB", "timestamps": true,
            "retransmission_timeout": { "kind": "rfc-6298", "minimum": "1 s" },
        },
    })
}

/// Time, in round trips without a queue, to cover the share `x` of the way from the bandwidth-delay product to twice that: a round trip
/// takes 1 + x, and adds MOST / (1 + x (MOST / LEAST - 1)) segments. Neglects the threshold of one hundredth.
fn time_to(x: f64) -> f64 {
    let steep = MOST / LEAST - 1.0;
    x + (1.0 + steep) * x.powi(2) / 2.0 + steep * x.powi(3) / 3.0
}

/// With a buffer of one bandwidth-delay product, a loss leaves half the window, which is the bandwidth-delay product.
fn is_concave() -> Finding {
    let sent = sendings(&scenario(&json!("illinois"), 119))?;
    let late: Vec<&Sending> = sent.iter().filter(|sending| sending.time.0 > 50_000_000_000_000).collect();
    let falls: Vec<usize> = (1..late.len()).filter(|&at| late[at].cwnd < 0.8 * late[at - 1].cwnd).collect();
    let [.., first, last] = falls[..] else { return Err("fewer than two losses in 150 s".to_owned()) };
    let (least, most) = (late[first].cwnd, late[last - 1].cwnd);
    let half = late[first..last].iter().find(|sending| sending.cwnd >= 0.5 * (least + most)).ok_or("no half")?;
    let share = (half.time - late[first].time).as_seconds() / (late[last].time - late[first].time).as_seconds();
    let expected = time_to(0.5) / time_to(1.0);
    let holds = (share - expected).abs() < 0.05 && (0.45..0.6).contains(&(least / most));
    require(
        holds,
        format!("{share:.3} of the time for {expected:.3}, from {:.0} segments to {:.0}", least / 1e3, most / 1e3),
    )
}

/// A loss halves either window, and leaves 5/8 of the path. Illinois continues at 0.3 segments for five round trips, until it considers the
/// queue empty, and needs 3/8 of 119 / 10 = 4.5 more to fill the path, with half as much idle on average: 5 * 3/8 + 4.5 * 3/16 = 2.7 round
/// trips in all. The queue of 30 packets then takes 3 (1 + 16.2) = 51.5, so the line is busy for all but 2.7 of 61 round trips. Reno takes
/// 45 to fill the path and 30 for the queue.
fn keeps_busy() -> Finding {
    let efficiency = |flavor: &Json| -> Result<f64, String> { Ok(record(&scenario(flavor, 30))?.metrics.efficiency) };
    let (illinois, reno) = (efficiency(&json!("illinois"))?, efficiency(&json!("sack-rfc6675"))?);
    let expected = 1.0 - 2.7 / 61.0;
    let holds = (illinois - expected).abs() < 0.02 && illinois > reno + 0.03;
    require(holds, format!("{illinois:.3} of the line for {expected:.3}, with Reno's law {reno:.3}"))
}
