//! Batches of runs on all cores, with the interpreter released; Python receives results as runs end. A run with an observer is a batch of
//! one.

use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use longfat_batch::{Ended, Given, Limits, Queue};
use longfat_engine::measure::RunRecord;
use longfat_engine::observer::{Observer, Unobserved};
use longfat_engine::scenario::Scenario;
use longfat_engine::transport::control::guarded;
use longfat_engine::units::{Span, Time};
use longfat_engine::{Driver, Simulation};
use longfat_trace::{Wanted, Watcher};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::json;

/// Longest time between reports to Python.
const REPORT_INTERVAL: Duration = Duration::from_millis(100);

/// Index of a run in its batch, and its outcome as JSON.
type Outcome = (usize, String);

/// State shared by the threads of a batch.
struct Batch {
    queue: Queue,
    limits: Limits,
    driver: Driver,
    stopped: AtomicBool,
    simulated_microseconds: AtomicU64,
}

#[pyfunction]
#[pyo3(signature = (resolved, jobs, report, more = None, limits = Given::default(), driver = "fast"))]
pub fn run_batch(
    py: Python<'_>,
    resolved: Vec<String>,
    jobs: usize,
    report: Py<PyAny>,
    more: Option<Py<PyAny>>,
    limits: Given,
    driver: &str,
) -> PyResult<()> {
    let driver = driver_named(driver)?;
    let scenarios = read(&resolved)?;
    let threads = if more.is_some() { jobs } else { jobs.min(scenarios.len()) };
    let batch = Batch::new(scenarios, more.is_some(), limits.into(), driver);
    carry_out(py, &batch, threads, &report, more.as_ref(), &|batch, scenario| {
        simulate(batch, scenario, Unobserved).map(|ended| outcome(ended.map(|(record, _)| record)))
    })
}

#[pyfunction]
#[pyo3(signature = (resolved, traces, names, error, interval_ps, capture, report, limits = Given::default(), driver = "fast"))]
#[expect(clippy::too_many_arguments, reason = "Python names them")]
pub fn run_watched(
    py: Python<'_>,
    resolved: &str,
    traces: Option<PathBuf>,
    names: Vec<String>,
    error: Option<f64>,
    interval_ps: Option<u64>,
    capture: Option<PathBuf>,
    report: Py<PyAny>,
    limits: Given,
    driver: &str,
) -> PyResult<()> {
    let driver = driver_named(driver)?;
    let scenario = crate::runnable_scenario(resolved)?;
    let error = error.unwrap_or(Wanted::DEFAULT_ERROR);
    let wanted = Wanted { names, error, interval: interval_ps.map(Span) };
    let folder = traces.as_deref().map(|folder| (folder, &wanted));
    let watcher = Watcher::start(&scenario, folder, capture.as_deref()).map_err(crate::invalid)?;
    // The only run of the batch takes the watcher.
    let watcher = Mutex::new(Some(watcher));
    let simulate_watched = |batch: &Batch, scenario: &Scenario| {
        let watcher = watcher.lock().ok().and_then(|mut watcher| watcher.take())?;
        let end = Time::ZERO + scenario.duration.0;
        simulate(batch, scenario, watcher).map(|ended| {
            let written = |(record, watcher): (RunRecord, Watcher)| watcher.finish(end, &record).map(|()| record);
            outcome(ended.and_then(written))
        })
    };
    let batch = Batch::new(vec![scenario], false, limits.into(), driver);
    carry_out(py, &batch, 1, &report, None, &simulate_watched)
}

pub fn driver_named(name: &str) -> PyResult<Driver> {
    let known = [Driver::Fast, Driver::Events].into_iter().find(|known| known.name() == name);
    known.ok_or_else(|| PyValueError::new_err("a driver is \"fast\" or \"events\""))
}

/// Carries out one run of a batch; returns its outcome as JSON, or `None` if the batch was stopped.
type CarryOut<'c> = dyn Fn(&Batch, &Scenario) -> Option<String> + Sync + 'c;

impl Batch {
    fn new(scenarios: Vec<Scenario>, is_open: bool, limits: Limits, driver: Driver) -> Self {
        Self {
            queue: Queue::new(scenarios, is_open),
            limits,
            driver,
            stopped: AtomicBool::new(false),
            simulated_microseconds: AtomicU64::new(0),
        }
    }
}

fn carry_out(
    py: Python<'_>,
    batch: &Batch,
    threads: usize,
    report: &Py<PyAny>,
    more: Option<&Py<PyAny>>,
    one: &CarryOut<'_>,
) -> PyResult<()> {
    py.detach(|| {
        std::thread::scope(|scope| {
            let (sender, receiver) = channel();
            for _ in 0..threads.max(1) {
                let sender = sender.clone();
                // Attached to the interpreter for its lifetime: a control in Python attaches at every acknowledgment.
                scope.spawn(|| Python::attach(|py| py.detach(|| work(batch, one, sender))));
            }
            drop(sender);
            let reported = report_until_done(batch, &receiver, report, more);
            batch.stopped.store(true, Ordering::Relaxed);
            batch.queue.close();
            reported
        })
    })
}

fn read(resolved: &[String]) -> PyResult<Vec<Scenario>> {
    resolved.iter().map(|text| crate::runnable_scenario(text)).collect()
}

/// Body of a thread: takes runs until there are none.
#[expect(clippy::needless_pass_by_value, reason = "the channel closes when every thread has dropped its sender")]
fn work(batch: &Batch, one: &CarryOut<'_>, outcomes: Sender<Outcome>) {
    while let Some((number, scenario)) = batch.queue.take() {
        let outcome = match guarded(|| one(batch, &scenario)) {
            Ok(None) => return,
            Ok(Some(outcome)) => outcome,
            Err(message) => failure(&message),
        };
        if outcomes.send((number, outcome)).is_err() {
            return;
        }
    }
}

/// Simulates a run; returns `None` if the batch was stopped.
fn simulate<O: Observer>(batch: &Batch, scenario: &Scenario, observer: O) -> Option<Result<(RunRecord, O), String>> {
    if batch.stopped.load(Ordering::Relaxed) {
        return None;
    }
    let mut simulation = Simulation::driven_by(batch.driver, scenario, observer);
    let stopped = || batch.stopped.load(Ordering::Relaxed);
    // Both times are rounded to whole microseconds, so that the sum over portions is exact.
    let microseconds = |time: Time| time.0 / 1_000_000;
    let passed = |before, now| {
        let passed = microseconds(now) - microseconds(before);
        batch.simulated_microseconds.fetch_add(passed, Ordering::Relaxed);
    };
    match longfat_batch::simulate(&mut simulation, &batch.limits, stopped, passed) {
        Ok(()) => Some(simulation.finish_observed().map_err(|violation| violation.to_string())),
        Err(Ended::Stopped) => None,
        Err(Ended::Limited(objection)) => Some(Err(objection)),
    }
}

fn outcome(ended: Result<RunRecord, String>) -> String {
    match ended {
        // Written directly, so that the fields keep the order of their declaration.
        Ok(record) => match serde_json::to_string(&record) {
            Ok(record) => format!("{{\"record\":{record}}}"),
            Err(error) => failure(&error.to_string()),
        },
        Err(error) => failure(&error),
    }
}

fn failure(message: &str) -> String {
    json!({ "failure": message }).to_string()
}

/// Passes outcomes to Python until all threads are done or Python raises an exception.
fn report_until_done(
    batch: &Batch,
    outcomes: &Receiver<Outcome>,
    report: &Py<PyAny>,
    more: Option<&Py<PyAny>>,
) -> PyResult<()> {
    loop {
        let (finished, done) = gather(outcomes);
        #[expect(clippy::cast_precision_loss, reason = "a progress figure")]
        let seconds = batch.simulated_microseconds.load(Ordering::Relaxed) as f64 / 1e6;
        Python::attach(|py| {
            py.check_signals()?;
            report.call1(py, (finished, seconds)).map(drop)
        })?;
        if done {
            return Ok(());
        }
        if let (Some(more), Some(waiting)) = (more, batch.queue.waiting()) {
            feed(batch, more, waiting)?;
        }
    }
}

/// Collects outcomes until the next report is due; also returns true if all threads are done.
fn gather(outcomes: &Receiver<Outcome>) -> (Vec<Outcome>, bool) {
    let mut finished = Vec::new();
    let deadline = Instant::now() + REPORT_INTERVAL;
    loop {
        match outcomes.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(outcome) => finished.push(outcome),
            Err(RecvTimeoutError::Timeout) => return (finished, false),
            Err(RecvTimeoutError::Disconnected) => return (finished, true),
        }
    }
}

/// Asks Python for further runs; an empty answer while none waits closes the queue.
fn feed(batch: &Batch, more: &Py<PyAny>, waiting: usize) -> PyResult<()> {
    let resolved: Vec<String> = Python::attach(|py| more.call1(py, (waiting,))?.extract(py))?;
    if resolved.is_empty() && waiting == 0 {
        batch.queue.close();
    } else {
        batch.queue.extend(read(&resolved)?);
    }
    Ok(())
}
