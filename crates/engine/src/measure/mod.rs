//! Results: metrics, counters, and a fingerprint of all that happened.

mod fingerprint;
mod metrics;
mod record;

pub use fingerprint::Fingerprint;
pub use metrics::{excess_fairness, fairness_index, least_share_of_promises};
pub use record::{ClassRecord, FlowRecord, FrameRecord, Metrics, PortRecord, RunRecord, Work};
