//! Declarations of metrics: name, description, and direction of improvement.

/// Direction of improvement of a metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Better {
    /// Larger values are better.
    More,
    /// Smaller values are better.
    Less,
    /// Neither: the metric is a demand, a capacity or a division of it, or counts intended signals.
    Neither,
}

/// Declaration of a metric.
#[derive(Clone, Copy, Debug)]
pub struct DeclaredMetric {
    /// Key in a record, with the unit.
    pub name: &'static str,
    /// Description in sentences; for a share of the ledger, the time charged to the cause.
    pub text: &'static str,
    /// Direction of improvement.
    pub better: Better,
    /// True if it is a share, at most 1.
    pub is_share: bool,
}
