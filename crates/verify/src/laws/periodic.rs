//! Mean windows under losses at equal distances, by which response functions are measured.

use serde_json::{Value as Json, json};

use crate::runs::record;

const SEGMENT_BYTES: f64 = 1000.0;

/// A connection over a path that is never busy, so that its round trip is constant; one packet in `period` is lost.
pub struct PeriodicLosses {
    /// Its flavor.
    pub flavor: Json,
    /// Its round trip in milliseconds.
    pub round_trip_ms: u64,
    /// Packets for a loss.
    pub period: u64,
    /// The window, in segments, that it begins with in congestion avoidance, and at which the first loss comes.
    pub first_window: f64,
    /// The mean window, in segments, that is expected: by it the run is as long as its losses last.
    pub expected_mean: f64,
    /// How many losses it sees, if the mean is as expected.
    pub losses: u64,
}

impl PeriodicLosses {
    /// The mean window in segments: what is delivered in a round trip.
    #[expect(clippy::cast_precision_loss, reason = "small numbers")]
    pub fn mean_window(&self) -> Result<f64, String> {
        let goodput = record(&self.scenario())?.metrics.goodput_bps;
        Ok(goodput / 8.0 / SEGMENT_BYTES * self.round_trip_ms as f64 / 1000.0)
    }

    /// As long as its losses last.
    #[expect(clippy::cast_precision_loss, reason = "small numbers")]
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few hundred seconds")]
    fn scenario(&self) -> Json {
        let packets = (self.losses - 1) as f64 * self.period as f64;
        let milliseconds = (packets / self.expected_mean * self.round_trip_ms as f64) as u64;
        self.lasting(&format!("{milliseconds} ms"))
    }

    /// The scenario, for so long.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few thousand")]
    pub fn lasting(&self, duration: &str) -> Json {
        let link = |delay| json!({ "rate": "100 Gbit/s", "delay": delay });
        let window = self.first_window.round() as u64;
        // More than there will be, if the mean is larger than expected.
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
