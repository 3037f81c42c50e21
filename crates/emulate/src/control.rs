//! State of a run in progress for others, who may end it.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use longfat_engine::units::Time;

use crate::device::Counts;

/// State of a run at some time.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    /// Time of the run.
    pub now: Time,
    /// Packets at each interface so far.
    pub devices: Vec<Counts>,
    /// Cells, or packets that travel whole, in the buffer of each managed port.
    pub queues: Vec<u64>,
    /// Lateness that 99 of 100 packets did not exceed so far.
    pub p99_seconds: Option<f64>,
    /// The longest lateness since the state before.
    pub late_seconds: Option<f64>,
}

/// Shared by the thread of a run and those that watch it.
#[derive(Default)]
pub struct Control {
    stopped: AtomicBool,
    latest: Mutex<Snapshot>,
}

impl Control {
    /// Ends the run soon.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// True if somebody has stopped the run.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// The latest state.
    #[must_use]
    pub fn latest(&self) -> Snapshot {
        self.latest.lock().map(|latest| latest.clone()).unwrap_or_default()
    }

    /// Publishes a state, unless somebody reads: the run waits for nobody.
    pub fn publish(&self, snapshot: impl FnOnce() -> Snapshot) {
        if let Ok(mut latest) = self.latest.try_lock() {
            *latest = snapshot();
        }
    }
}
