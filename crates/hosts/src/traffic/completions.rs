//! Completion times of requests and flows.

use longfat_foundation::measure::Histogram;
use longfat_foundation::units::Time;

/// A class of requests or flows with their completion times: files of a class, pages, flows of a size class.
#[derive(Clone, Debug)]
pub struct Kind {
    /// Name in results, such as "class 0" or "page".
    pub name: String,
    /// Number requested.
    pub asked: u64,
    /// Completion times of those that have arrived, from the request to the last byte.
    pub times: Histogram,
}

impl Kind {
    /// Creates an empty kind.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), asked: 0, times: Histogram::default() }
    }

    /// Removes those that have arrived from the counts.
    pub fn forget_arrived(&mut self) {
        self.asked -= self.times.count();
        self.times = Histogram::default();
    }

    /// Counts one that was requested at `begun`; `finished` is the arrival of its last byte.
    pub fn count(&mut self, begun: Time, finished: Option<Time>) {
        self.asked += 1;
        if let Some(finished) = finished {
            self.times.record(finished - begun);
        }
    }
}

/// Kinds of all connections, merged by name, in order of first appearance.
#[derive(Clone, Debug, Default)]
pub struct Completions(Vec<Kind>);

impl Completions {
    /// Returns the kind called `name`; adds it if absent.
    pub fn kind(&mut self, name: &str) -> &mut Kind {
        let place = self.0.iter().position(|kind| kind.name == name).unwrap_or_else(|| {
            self.0.push(Kind::new(name));
            self.0.len() - 1
        });
        &mut self.0[place]
    }

    /// Merges the counts of one connection.
    pub fn add(&mut self, kind: &Kind) {
        let all = self.kind(&kind.name);
        all.asked += kind.asked;
        all.times.merge(&kind.times);
    }

    /// Returns the merged kinds.
    #[must_use]
    pub fn into_kinds(self) -> Vec<Kind> {
        self.0
    }
}
