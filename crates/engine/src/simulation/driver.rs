//! Which driver advances time: by events, which is the law, or the fast one, whose results are the same.

use longfat_foundation::units::Time;

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
    /// Lets everything happen that happens before `until` and before the end.
    pub fn advance(&mut self, until: Time) {
        self.advance_at_most(until, u64::MAX);
    }

    /// As `advance`, but for at most so many events, which the fast driver does not count on the way; tells whether that
    /// was all before `until`.
    pub fn advance_at_most(&mut self, until: Time, events: u64) -> bool {
        let until = until.min(self.end);
        if self.fast.is_some() {
            match self.advance_by_computing(until) {
                Ok(()) => return true,
                Err(tie) => self.begin_again(tie),
            }
        }
        self.advance_by_events(until, events)
    }

    fn advance_by_computing(&mut self, until: Time) -> Result<(), Tie> {
        if let Some(from) = self.unmeasured_until().filter(|from| *from <= until) {
            self.advance_fast(from)?;
            self.begin_to_measure(from);
        }
        self.advance_fast(until)
    }

    fn advance_by_events(&mut self, until: Time, events: u64) -> bool {
        let pause = self.events_processed.saturating_add(events);
        if let Some(from) = self.unmeasured_until().filter(|from| *from <= until) {
            if !self.let_happen(from, pause) {
                return false;
            }
            self.begin_to_measure(from);
        }
        self.let_happen(until, pause)
    }

    /// Event by event until then, or until so many have happened since the beginning; tells whether it is the former.
    fn let_happen(&mut self, until: Time, pause: u64) -> bool {
        loop {
            let (now, slot) = self.calendar.first();
            if now >= until {
                return true;
            }
            if self.events_processed == pause {
                return false;
            }
            self.events_processed += 1;
            self.happen(now, slot);
            #[cfg(debug_assertions)]
            if self.events_processed.is_multiple_of(1 << 14) {
                self.audit().unwrap_or_else(|violation| panic!("at {} s: {violation}", now.as_seconds()));
            }
        }
    }

    /// What the fast driver has to know of a network at rest, if it knows it; notes why not otherwise.
    pub(super) fn scope(&mut self) -> Option<Scope> {
        let scope = if self.observer.interests().one_order {
            Err("an observer sees every event")
        } else {
            Scope::of(self, &self.graph)
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
