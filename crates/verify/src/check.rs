//! Checks and their outcomes.

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

/// What a check finds: what was measured, or what differs.
pub type Finding = Result<String, String>;

/// Something that can be checked.
pub struct Check {
    /// What is checked.
    pub name: String,
    /// What it is compared with.
    pub kind: Kind,
    run: Box<dyn Fn() -> Finding + Send + Sync>,
}

impl Check {
    /// A check that `run` carries out.
    pub fn new(name: impl Into<String>, kind: Kind, run: impl Fn() -> Finding + Send + Sync + 'static) -> Self {
        Self { name: name.into(), kind, run: Box::new(run) }
    }

    /// Carries it out.
    #[must_use]
    pub fn run(&self) -> Outcome {
        let finding = (self.run)();
        let passed = finding.is_ok();
        let detail = finding.unwrap_or_else(|difference| difference);
        Outcome { name: self.name.clone(), kind: self.kind, passed, detail }
    }
}

/// A check and how it went.
#[derive(Clone, Debug, Serialize)]
pub struct Outcome {
    /// What was checked.
    pub name: String,
    /// What it was compared with.
    pub kind: Kind,
    /// Whether it holds.
    pub passed: bool,
    /// What was measured, or what differs.
    pub detail: String,
}

/// Whether `condition` holds, in words for either case.
pub fn require(condition: bool, words: String) -> Finding {
    if condition { Ok(words) } else { Err(words) }
}
