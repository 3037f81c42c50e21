//! What is declared of a metric beside its value.

/// Which of two runs is better by a metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Better {
    /// The one with more of it.
    More,
    /// The one with less of it.
    Less,
    /// Neither: the metric says what was asked for, what could be had, who has it, or counts signals that are meant to be given.
    Neither,
}

/// A metric as it is declared.
#[derive(Clone, Copy, Debug)]
pub struct DeclaredMetric {
    /// Its key in a record, with its unit.
    pub name: &'static str,
    /// What it is, in sentences; of a share of the ledger, what is charged to the cause.
    pub text: &'static str,
    /// Which run is better by it.
    pub better: Better,
    /// Whether it is a share of 1, which no run exceeds.
    pub is_share: bool,
}
