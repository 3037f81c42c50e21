//! A batch of runs on all cores, with the interpreter released; results reach Python as they come. A run that is watched is a
//! batch of one.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use longfat_engine::measure::RunRecord;
use longfat_engine::observer::{Observer, Unobserved};
use longfat_engine::scenario::Scenario;
use longfat_engine::units::{Span, Time};
use longfat_engine::{Driver, Simulation, Violation};
use longfat_trace::{Wanted, Watcher};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::json;

/// How often Python hears of the batch at least.
const REPORT_INTERVAL: Duration = Duration::from_millis(100);

/// Parts in which a run is simulated; between them it can be stopped and its progress is counted.
const SLICES: u64 = 64;

/// Number of a run in its batch and its outcome as JSON.
type Outcome = (usize, String);

/// What the threads of a batch share.
struct Batch {
    scenarios: Vec<Scenario>,
    driver: Driver,
    next: AtomicUsize,
    stopped: AtomicBool,
    simulated_microseconds: AtomicU64,
}

#[pyfunction]
#[pyo3(signature = (resolved, jobs, report, driver = "fast"))]
pub fn run_batch(
    py: Python<'_>,
    resolved: Vec<String>,
    jobs: usize,
    report: &Bound<'_, PyAny>,
    driver: &str,
) -> PyResult<()> {
    let known = [Driver::Fast, Driver::Events];
    let driver = known.into_iter().find(|known| known.name() == driver);
    let driver = driver.ok_or_else(|| PyValueError::new_err("a driver is \"fast\" or \"events\""))?;
    let scenarios = resolved.iter().map(|text| crate::resolved_scenario(text)).collect::<PyResult<_>>()?;
    carry_out(py, &Batch::new(scenarios, driver), jobs, report, &|batch, scenario| {
        simulate(batch, scenario, Unobserved).map(|ended| outcome(ended.map(|(record, _)| record)))
    })
}

#[pyfunction]
#[pyo3(signature = (resolved, traces, names, error, interval_ps, capture, report))]
#[expect(clippy::too_many_arguments, reason = "Python names them")]
pub fn run_watched(
    py: Python<'_>,
    resolved: &str,
    traces: Option<PathBuf>,
    names: Vec<String>,
    error: f64,
    interval_ps: Option<u64>,
    capture: Option<PathBuf>,
    report: &Bound<'_, PyAny>,
) -> PyResult<()> {
    let scenario = crate::resolved_scenario(resolved)?;
    let wanted = Wanted { names, error, interval: interval_ps.map(Span) };
    let folder = traces.as_deref().map(|folder| (folder, &wanted));
    let watcher = Watcher::start(&scenario, folder, capture.as_deref()).map_err(crate::invalid)?;
    // The only run of the batch takes it.
    let watcher = Mutex::new(Some(watcher));
    let simulate_watched = |batch: &Batch, scenario: &Scenario| {
        let watcher = watcher.lock().ok().and_then(|mut watcher| watcher.take())?;
        let end = Time::ZERO + scenario.duration.0;
        simulate(batch, scenario, watcher).map(|ended| {
            let written = |(record, watcher): (RunRecord, Watcher)| watcher.finish(end, &record).map(|()| record);
            outcome(ended.map_err(|violation| violation.to_string()).and_then(written))
        })
    };
    carry_out(py, &Batch::new(vec![scenario], Driver::Fast), 1, report, &simulate_watched)
}

/// Carries out one run of a batch: its outcome as JSON, or `None` if the batch was stopped.
type CarryOut<'c> = dyn Fn(&Batch, &Scenario) -> Option<String> + Sync + 'c;

impl Batch {
    fn new(scenarios: Vec<Scenario>, driver: Driver) -> Self {
        Self {
            scenarios,
            driver,
            next: AtomicUsize::new(0),
            stopped: AtomicBool::new(false),
            simulated_microseconds: AtomicU64::new(0),
        }
    }
}

fn carry_out(
    py: Python<'_>,
    batch: &Batch,
    jobs: usize,
    report: &Bound<'_, PyAny>,
    one: &CarryOut<'_>,
) -> PyResult<()> {
    let report = report.clone().unbind();
    py.detach(|| {
        std::thread::scope(|scope| {
            let (sender, receiver) = channel();
            for _ in 0..jobs.clamp(1, batch.scenarios.len().max(1)) {
                let sender = sender.clone();
                scope.spawn(|| work(batch, one, sender));
            }
            drop(sender);
            let reported = report_until_done(batch, &receiver, &report);
            batch.stopped.store(true, Ordering::Relaxed);
            reported
        })
    })
}

/// One thread: takes the next run until there is none.
#[expect(clippy::needless_pass_by_value, reason = "the channel closes when every thread has dropped its sender")]
fn work(batch: &Batch, one: &CarryOut<'_>, outcomes: Sender<Outcome>) {
    loop {
        let index = batch.next.fetch_add(1, Ordering::Relaxed);
        let Some(scenario) = batch.scenarios.get(index) else { return };
        let outcome = catch_unwind(AssertUnwindSafe(|| one(batch, scenario)));
        let outcome = match outcome {
            Ok(None) => return,
            Ok(Some(outcome)) => outcome,
            Err(panic) => failure(&format!("the engine panicked: {}", panic_text(&*panic))),
        };
        if outcomes.send((index, outcome)).is_err() {
            return;
        }
    }
}

/// Simulates slice by slice; `None` if the batch was stopped.
fn simulate<O: Observer>(batch: &Batch, scenario: &Scenario, observer: O) -> Option<Result<(RunRecord, O), Violation>> {
    let mut simulation = Simulation::driven_by(batch.driver, scenario, observer);
    let end = simulation.end();
    let slice = Span(end.0.div_ceil(SLICES));
    let mut now = Time::ZERO;
    while now < end {
        if batch.stopped.load(Ordering::Relaxed) {
            return None;
        }
        let next = (now + slice).min(end);
        simulation.advance(next);
        batch.simulated_microseconds.fetch_add((next - now).0 / 1_000_000, Ordering::Relaxed);
        now = next;
    }
    Some(simulation.finish_observed())
}

fn outcome<E: ToString>(ended: Result<RunRecord, E>) -> String {
    match ended {
        // Written directly, so that the fields keep the order of their declaration.
        Ok(record) => match serde_json::to_string(&record) {
            Ok(record) => format!("{{\"record\":{record}}}"),
            Err(error) => failure(&error.to_string()),
        },
        Err(error) => failure(&error.to_string()),
    }
}

fn failure(message: &str) -> String {
    json!({ "failure": message }).to_string()
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message")
}

/// Gathers outcomes and hands them to Python until all threads are done or Python raises an exception.
fn report_until_done(batch: &Batch, outcomes: &Receiver<Outcome>, report: &Py<PyAny>) -> PyResult<()> {
    loop {
        let mut finished = Vec::new();
        let deadline = Instant::now() + REPORT_INTERVAL;
        let done = loop {
            let remaining = deadline.saturating_duration_since(Instant::now());
            match outcomes.recv_timeout(remaining) {
                Ok(outcome) => finished.push(outcome),
                Err(RecvTimeoutError::Timeout) => break false,
                Err(RecvTimeoutError::Disconnected) => break true,
            }
        };
        #[expect(clippy::cast_precision_loss, reason = "a progress figure")]
        let seconds = batch.simulated_microseconds.load(Ordering::Relaxed) as f64 / 1e6;
        Python::attach(|py| {
            py.check_signals()?;
            report.call1(py, (finished, seconds)).map(drop)
        })?;
        if done {
            return Ok(());
        }
    }
}
