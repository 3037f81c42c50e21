//! Checks and their outcomes.

use serde::Serialize;

/// Reference with which a check compares a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// An analytic law.
    Law,
    /// An example worked in a standard or a paper.
    Example,
    /// A packet trace of another simulator.
    Trace,
    /// A stack in use, whose own code runs beside the model.
    Stack,
}

/// Result of a check: the measured values, or the difference.
pub type Finding = Result<String, String>;

/// A check of a model.
pub struct Check {
    /// Statement that is checked.
    pub name: String,
    /// Kind of reference.
    pub kind: Kind,
    run: Box<dyn Fn() -> Finding + Send + Sync>,
}

impl Check {
    /// Creates a check that `run` carries out.
    pub fn new(name: impl Into<String>, kind: Kind, run: impl Fn() -> Finding + Send + Sync + 'static) -> Self {
        Self { name: name.into(), kind, run: Box::new(run) }
    }

    /// Runs the check.
    #[must_use]
    pub fn run(&self) -> Outcome {
        let finding = (self.run)();
        let passed = finding.is_ok();
        let detail = finding.unwrap_or_else(|difference| difference);
        Outcome { name: self.name.clone(), kind: self.kind, passed, detail }
    }
}

/// A check with its result.
#[derive(Clone, Debug, Serialize)]
pub struct Outcome {
    /// Statement that was checked.
    pub name: String,
    /// Kind of reference.
    pub kind: Kind,
    /// True if it holds.
    pub passed: bool,
    /// Measured values, or the difference.
    pub detail: String,
}

/// Finding of a condition, with the same words in either case.
pub fn require(condition: bool, words: String) -> Finding {
    if condition { Ok(words) } else { Err(words) }
}
