//! The outcome of a check.

use serde::Serialize;

/// What a check compares a model with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// An analytic law.
    Law,
    /// An example worked in a standard or a paper.
    Example,
    /// A packet trace of another simulator.
    Trace,
}

/// One check and how it went.
#[derive(Clone, Debug, Serialize)]
pub struct Check {
    /// What is checked.
    pub name: String,
    /// What it is compared with.
    pub kind: Kind,
    /// Whether it holds.
    pub passed: bool,
    /// What was measured, or where the first difference is.
    pub detail: String,
}

impl Check {
    /// A check that holds.
    #[must_use]
    pub fn passed(name: String, kind: Kind, detail: String) -> Self {
        Self { name, kind, passed: true, detail }
    }

    /// A check that fails.
    #[must_use]
    pub fn failed(name: String, kind: Kind, detail: String) -> Self {
        Self { name, kind, passed: false, detail }
    }
}
