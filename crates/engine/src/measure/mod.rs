//! Results: metrics, counters, histograms, and a fingerprint of all that happened.

mod fingerprint;
mod histogram;
mod ledger;
mod max_min;
mod metrics;
mod record;

pub use fingerprint::Fingerprint;
pub use histogram::{Histogram, bin_of};
pub use ledger::{ByCause, Cause, Ledger, Shares};
pub use max_min::{max_min_fairness, max_min_shares, max_min_shares_of_lines};
pub use metrics::{excess_fairness, fairness_index, least_share_of_promises};
pub use record::{
    ClassRecord, CompletionRecord, FlowRecord, FrameRecord, LegRecord, Metrics, PortRecord, QueueRecord, RequestRecord,
    RunRecord, Work,
};
