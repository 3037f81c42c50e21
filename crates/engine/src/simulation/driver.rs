//! Which driver advances time: by events, which is the law, or the fast one, whose results are the same.

use super::Simulation;
use super::fast::{Scope, Tie};
use crate::observer::Observer;

/// A way to advance time. Results do not depend on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Driver {
    /// Every cell is an event on every line.
    Events,
    /// What can be computed is not simulated; by events where that is not exact.
    #[default]
    Fast,
}

impl Driver {
    /// Its name in records.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Events => "events",
            Self::Fast => "fast",
        }
    }
}

impl<O: Observer> Simulation<O> {
    /// What the fast driver has to know of a network at rest, if it knows it; notes why not otherwise.
    pub(super) fn scope(&mut self) -> Option<Scope> {
        let scope = if self.observer.takes_ports_ahead() {
            Scope::of(self, &self.graph)
        } else {
            Err("an observer sees every event")
        };
        scope.map_err(|reason| self.handed_over = Some(reason.into())).ok()
    }

    /// Forgets all that has happened, to simulate it by events.
    pub(super) fn begin_again(&mut self, tie: Tie) {
        let observer = self.observer.again().expect("the fast driver has no other observers");
        let scenario = self.scenario.clone();
        *self = Self::driven_by(Driver::Events, &scenario, observer);
        let seconds = tie.0.as_seconds();
        self.handed_over = Some(format!("only events tell which of two things at {seconds} s was first"));
    }

    /// The driver at work.
    #[must_use]
    pub fn driver(&self) -> Driver {
        if self.fast.is_some() { Driver::Fast } else { Driver::Events }
    }
}
