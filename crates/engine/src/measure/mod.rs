//! Results: metrics, counters, and a fingerprint of all that happened.

mod fingerprint;
mod metrics;
mod record;

pub use fingerprint::Fingerprint;
pub use metrics::fairness_index;
pub use record::{ClassRecord, FlowRecord, Metrics, PortRecord, RunRecord, Work};
