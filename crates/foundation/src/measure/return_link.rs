//! Records of return links that terminals share.

use serde::Serialize;

use super::Histogram;

/// Capacity by category, in bits per second: means over the frames that ended in the measured time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct GrantedRecord {
    /// Without a request (CRA).
    pub constant_bps: f64,
    /// For requested rates (RBDC).
    pub rate_bps: f64,
    /// For requested volume (VBDC and A-VBDC).
    pub volume_bps: f64,
    /// Without that anybody had requested it (FCA).
    pub free_bps: f64,
}

impl GrantedRecord {
    /// Sum of both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            constant_bps: self.constant_bps + other.constant_bps,
            rate_bps: self.rate_bps + other.rate_bps,
            volume_bps: self.volume_bps + other.volume_bps,
            free_bps: self.free_bps + other.free_bps,
        }
    }

    /// Sum of all categories, in bits per second.
    #[must_use]
    pub fn total_bps(&self) -> f64 {
        self.constant_bps + self.rate_bps + self.volume_bps + self.free_bps
    }
}

/// Results of a return link.
#[derive(Clone, Debug, Serialize)]
pub struct ReturnLinkRecord {
    /// Its name.
    pub name: String,
    /// Capacity that can be granted, in bits per second: all slots of a frame.
    pub capacity_bps: f64,
    /// Capacity granted to all terminals.
    #[serde(flatten)]
    pub granted: GrantedRecord,
    /// Bits that all terminals sent, per second of the measured time.
    pub used_bps: f64,
    /// Requests that terminals sent.
    pub requests: u64,
    /// Requests that were not heard.
    pub requests_lost: u64,
    /// Times from a request for volume that was heard to the frame in which the last of its bits was granted.
    pub waits: Histogram,
    /// Times until terminals have logged on; left out if they need not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log_ons: Option<Histogram>,
    /// Each terminal, in the order of its line.
    pub terminals: Vec<TerminalRecord>,
}

/// Results of a terminal of a return link.
#[derive(Clone, Debug, Serialize)]
pub struct TerminalRecord {
    /// Name of its line.
    pub name: String,
    /// Capacity granted to it.
    #[serde(flatten)]
    pub granted: GrantedRecord,
    /// Volume that it requested, in bits per second of the measured time.
    pub volume_requested_bps: f64,
    /// Bits that it sent, per second of the measured time.
    pub used_bps: f64,
    /// Requests that it sent.
    pub requests: u64,
    /// Requests that were not heard.
    pub requests_lost: u64,
    /// Mean in seconds of the times from a request for volume to its grant; `null`, like all of these, if there are none.
    pub wait_mean_s: Option<f64>,
    /// Their 95th percentile.
    pub wait_p95_s: Option<f64>,
    /// Seconds until it has logged on; left out if it has not, or need not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log_on_s: Option<f64>,
}
