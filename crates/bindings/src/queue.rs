//! The runs of a batch that wait for a thread; more may follow while the batch is running.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use longfat_engine::scenario::Scenario;

/// Runs by their number in the batch, in the order in which they are to start.
pub struct Queue {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    waiting: VecDeque<(usize, Scenario)>,
    /// The number that the next run gets.
    next: usize,
    /// Whether more may follow.
    open: bool,
}

impl Queue {
    pub fn new(scenarios: Vec<Scenario>, open: bool) -> Self {
        let next = scenarios.len();
        let waiting = scenarios.into_iter().enumerate().collect();
        Self { state: Mutex::new(State { waiting, next, open }), changed: Condvar::new() }
    }

    /// The next run. Waits while there is none but more may follow; `None` when none will.
    pub fn take(&self) -> Option<(usize, Scenario)> {
        let mut state = self.lock();
        loop {
            if let Some(run) = state.waiting.pop_front() {
                return Some(run);
            }
            if !state.open {
                return None;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Number of runs that wait for a thread; `None` when no more may follow.
    pub fn waiting(&self) -> Option<usize> {
        let state = self.lock();
        state.open.then_some(state.waiting.len())
    }

    /// Adds runs behind the others.
    pub fn extend(&self, scenarios: Vec<Scenario>) {
        let mut state = self.lock();
        for scenario in scenarios {
            let number = state.next;
            state.waiting.push_back((number, scenario));
            state.next += 1;
        }
        self.changed.notify_all();
    }

    /// Says that no more will follow.
    pub fn close(&self) {
        self.lock().open = false;
        self.changed.notify_all();
    }

    /// A thread that panics holds no lock: nothing but what is here is done under it.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
