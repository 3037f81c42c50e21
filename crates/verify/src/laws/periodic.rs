//! Mean windows under periodic losses, from which response functions are measured.

use serde_json::{Value as Json, json};

use crate::runs::record;

const SEGMENT_BYTES: f64 = 1000.0;

/// A connection on an idle path, whose round trip is constant; one packet in `period` is lost.
pub struct PeriodicLosses {
    /// Flavor.
    pub flavor: Json,
    /// Round trip in milliseconds.
    pub round_trip_ms: u64,
    /// Packets per loss.
    pub period: u64,
    /// Window in segments at the start, in congestion avoidance, and at the first loss.
    pub first_window: f64,
    /// Expected mean window in segments, which determines the duration of the run.
    pub expected_mean: f64,
    /// Number of losses, if the mean is as expected.
    pub losses: u64,
}

impl PeriodicLosses {
    /// Mean window in segments: the data delivered per round trip.
    #[expect(clippy::cast_precision_loss, reason = "small numbers")]
    pub fn mean_window(&self) -> Result<f64, String> {
        let goodput = record(&self.scenario())?.metrics.goodput_bps;
        Ok(goodput / 8.0 / SEGMENT_BYTES * self.round_trip_ms as f64 / 1000.0)
    }

    /// Scenario whose duration fits the losses.
    #[expect(clippy::cast_precision_loss, reason = "small numbers")]
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few hundred seconds")]
    fn scenario(&self) -> Json {
        let packets = (self.losses - 1) as f64 * self.period as f64;
        let milliseconds = (packets / self.expected_mean * self.round_trip_ms as f64) as u64;
        self.lasting(&format!("{milliseconds} ms"))
    }

    /// Scenario of the given duration.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few thousand")]
    pub fn lasting(&self, duration: &str) -> Json {
        let link = |delay| json!({ "rate": "100 Gbit/s", "delay": delay });
        let window = self.first_window.round() as u64;
        // More than will occur, if the mean exceeds the expectation.
        let drops: Vec<u64> = (0..2 * self.losses).map(|number| window + number * self.period).collect();
        json!({
            "schema_version": 1,
            "duration": duration,
            "topology": {
                "kind": "n-source", "sources": 1, "access": link("1 us".to_owned()),
                "bottleneck": link(format!("{} us", 500 * self.round_trip_ms - 2)),
            },
            "framing": "packet",
            "port": { "buffer": "unlimited" },
            "loss": { "kind": "list", "drops": [drops] },
            "tcp": {
                "flavor": self.flavor, "mss": "1000 B", "receiver_window": "100 MB",
                "timer_granularity": "10 ms", "timestamps": true,
                "retransmission_timeout": { "kind": "rfc-6298", "minimum": "1 s" },
                "initial_window": format!("{window} MSS"), "initial_ssthresh": "1000 B",
            },
        })
    }
}
