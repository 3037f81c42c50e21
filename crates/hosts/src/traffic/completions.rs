//! How long what was asked for took to arrive.

use longfat_foundation::measure::Histogram;
use longfat_foundation::units::Time;

/// One kind of thing that is asked for or sent: files of a class, pages, flows of a size.
#[derive(Clone, Debug)]
pub struct Kind {
    /// What it is ("class 0", "page").
    pub name: String,
    /// How many were asked for.
    pub asked: u64,
    /// How long those took that have arrived, from the request to the last byte.
    pub times: Histogram,
}

impl Kind {
    /// A kind of which there is nothing yet.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), asked: 0, times: Histogram::default() }
    }

    /// Leaves out those that have arrived.
    pub fn forget_arrived(&mut self) {
        self.asked -= self.times.count();
        self.times = Histogram::default();
    }

    /// One was asked for at `begun`, and has arrived at `finished` if it has.
    pub fn count(&mut self, begun: Time, finished: Option<Time>) {
        self.asked += 1;
        if let Some(finished) = finished {
            self.times.record(finished - begun);
        }
    }
}

/// All kinds of all connections, each once, in the order in which they were first named.
#[derive(Clone, Debug, Default)]
pub struct Completions(Vec<Kind>);

impl Completions {
    /// The kind of a name.
    pub fn kind(&mut self, name: &str) -> &mut Kind {
        let place = self.0.iter().position(|kind| kind.name == name).unwrap_or_else(|| {
            self.0.push(Kind::new(name));
            self.0.len() - 1
        });
        &mut self.0[place]
    }

    /// Adds what one connection knows of a kind.
    pub fn add(&mut self, kind: &Kind) {
        let all = self.kind(&kind.name);
        all.asked += kind.asked;
        all.times.merge(&kind.times);
    }

    /// All of them.
    #[must_use]
    pub fn into_kinds(self) -> Vec<Kind> {
        self.0
    }
}
