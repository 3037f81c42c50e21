//! Results: metrics, counters, histograms, and a fingerprint of all events.

mod declared;
mod fingerprint;
mod histogram;
mod ledger;
mod max_min;
mod metrics;
mod network;
mod record;
mod return_link;
mod round_trips;
mod send_limit;

pub use declared::{Better, DeclaredMetric};
pub use fingerprint::Fingerprint;
pub use histogram::{Histogram, bin_of};
pub use ledger::{ByCause, Cause, Ledger, Shares};
pub use max_min::{max_min_fairness, max_min_shares, max_min_shares_of_lines};
pub use metrics::{excess_fairness, fairness_index, least_share_of_promises};
pub use network::Metrics;
pub use record::{
    ClassRecord, CompletionRecord, DatagramRecord, FlowRecord, FrameRecord, LegRecord, LineRecord, LineUse, PortRecord,
    QueueRecord, RequestRecord, RunRecord, Work,
};
pub use return_link::{GrantedRecord, ReturnLinkRecord, TerminalRecord};
pub use round_trips::RoundTrips;
pub use send_limit::SendLimit;
