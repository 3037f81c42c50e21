//! Queue of the runs of a batch that wait for a thread. Runs can be added while the batch is running.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use longfat_engine::scenario::Scenario;

/// Runs by index in the batch, in starting order.
pub struct Queue {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    waiting: VecDeque<(usize, Scenario)>,
    /// Index of the next run.
    next: usize,
    /// True if runs may be added.
    open: bool,
}

impl Queue {
    /// Creates a queue of `scenarios`; `open` if runs may be added.
    #[must_use]
    pub fn new(scenarios: Vec<Scenario>, open: bool) -> Self {
        let next = scenarios.len();
        let waiting = scenarios.into_iter().enumerate().collect();
        Self { state: Mutex::new(State { waiting, next, open }), changed: Condvar::new() }
    }

    /// Takes the next run. Waits if there is none but the queue is open; returns `None` once it is closed.
    #[must_use]
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

    /// Number of waiting runs; `None` if the queue is closed.
    #[must_use]
    pub fn waiting(&self) -> Option<usize> {
        let state = self.lock();
        state.open.then_some(state.waiting.len())
    }

    /// Appends runs.
    pub fn extend(&self, scenarios: Vec<Scenario>) {
        let mut state = self.lock();
        for scenario in scenarios {
            let number = state.next;
            state.waiting.push_back((number, scenario));
            state.next += 1;
        }
        self.changed.notify_all();
    }

    /// Closes the queue: no runs will be added.
    pub fn close(&self) {
        self.lock().open = false;
        self.changed.notify_all();
    }

    /// No code panics while holding the lock, so it is never poisoned.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;
    use std::thread::{scope, sleep};
    use std::time::Duration;

    use super::*;

    /// Long enough for a thread to reach its wait; if it is too short, the test still passes.
    const A_MOMENT: Duration = Duration::from_millis(50);

    fn runs(seeds: impl IntoIterator<Item = u64>) -> Vec<Scenario> {
        let run = |seed| {
            let text = format!(
                r#"
                schema_version = 1
                duration = "1 ms"
                seed = {seed}
                topology = {{ kind = "n-source", sources = 1, access = {{ delay = "5 us" }}, bottleneck = {{ delay = "5 us" }} }}
                port = {{ buffer = "1000 cells" }}
                "#
            );
            Scenario::parse(text.as_bytes(), "scenario.toml", &[]).unwrap()
        };
        seeds.into_iter().map(run).collect()
    }

    fn taken(queue: &Queue) -> Option<(usize, u64)> {
        queue.take().map(|(number, scenario)| (number, scenario.seed))
    }

    #[test]
    fn runs_are_taken_in_their_order_with_numbers_that_go_on_as_more_follow() {
        let queue = Queue::new(runs([7, 8]), true);
        assert_eq!(taken(&queue), Some((0, 7)));
        queue.extend(runs([9]));
        assert_eq!(queue.waiting(), Some(2));
        assert_eq!([taken(&queue), taken(&queue)], [Some((1, 8)), Some((2, 9))]);
        assert_eq!(queue.waiting(), Some(0));
    }

    #[test]
    fn a_queue_to_which_nothing_is_added_ends_when_it_is_empty() {
        let queue = Queue::new(runs([7]), false);
        assert_eq!(queue.waiting(), None);
        assert_eq!([taken(&queue), taken(&queue)], [Some((0, 7)), None]);
    }

    #[test]
    fn who_finds_nothing_waits_for_what_follows() {
        let queue = Queue::new(runs([]), true);
        scope(|threads| {
            let waiter = threads.spawn(|| taken(&queue));
            sleep(A_MOMENT);
            assert!(!waiter.is_finished());
            queue.extend(runs([5]));
            assert_eq!(waiter.join().unwrap(), Some((0, 5)));
        });
    }

    #[test]
    fn closing_sends_everybody_home_who_waits_but_first_what_is_left_is_taken() {
        let queue = Queue::new(runs([]), true);
        scope(|threads| {
            let waiters = [0, 1, 2].map(|_| threads.spawn(|| taken(&queue)));
            sleep(A_MOMENT);
            queue.close();
            assert_eq!(waiters.map(|waiter| waiter.join().unwrap()), [None; 3]);
        });
        let left = Queue::new(runs([3]), true);
        left.close();
        assert_eq!([taken(&left), taken(&left)], [Some((0, 3)), None]);
    }

    #[test]
    fn many_threads_take_every_run_once() {
        let queue = Queue::new(runs(0..40), true);
        let (sender, receiver) = channel();
        scope(|threads| {
            for _ in 0..4 {
                let sender = sender.clone();
                threads.spawn({
                    let queue = &queue;
                    move || {
                        while let Some((number, _)) = queue.take() {
                            sender.send(number).unwrap();
                        }
                    }
                });
            }
            queue.extend(runs(40..80));
            queue.close();
        });
        drop(sender);
        let mut numbers: Vec<usize> = receiver.iter().collect();
        numbers.sort_unstable();
        assert_eq!(numbers, (0..80).collect::<Vec<_>>());
    }
}
