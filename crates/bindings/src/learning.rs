//! Simulations that wait for decisions from Python, many at a time.

use std::sync::{Mutex, MutexGuard, PoisonError};

use longfat_engine::Driver;
use longfat_engine::config::Document;
use longfat_engine::transport::control::{fail, guarded};
use longfat_engine::transport::law::WindowLaw;
use longfat_engine::units::Span;
use longfat_learning::{Episode, Episodes, Interval, Settings, Steers, at_intervals};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};

/// Episodes by place. Observations are returned as bytes of native floats, in the order of the intervals' numbers.
#[pyclass(name = "Episodes", module = "longfat._engine")]
pub struct PlacedEpisodes {
    // Python may call from any thread, one at a time.
    episodes: Mutex<Episodes>,
    settings: Settings,
    driver: Driver,
}

#[pymethods]
impl PlacedEpisodes {
    #[new]
    fn new(places: usize, threads: usize, interval_s: f64, steers: &str, driver: &str) -> PyResult<Self> {
        let driver = crate::batch::driver_named(driver)?;
        let episodes = Mutex::new(Episodes::new(places, threads));
        Ok(Self { episodes, settings: settings(interval_s, steers)?, driver })
    }

    /// Starts a scenario in an empty place.
    fn begin<'py>(&self, py: Python<'py>, place: usize, resolved: &str) -> PyResult<Bound<'py, PyBytes>> {
        let document = Document::parse(resolved.as_bytes(), "scenario.json").map_err(crate::invalid)?;
        let (settings, driver) = (self.settings, self.driver);
        let begun = py.detach(|| guarded(|| Episode::begin(document, settings, driver)));
        let mut episode = begun.map_err(PyRuntimeError::new_err)?.map_err(crate::invalid)?;
        let seen: Vec<_> = episode.observe().collect();
        self.episodes().put(place, episode);
        Ok(as_bytes(py, &seen))
    }

    /// Carries out the decisions for all agents of the episodes in the `chosen` places.
    fn step<'py>(&self, py: Python<'py>, chosen: Vec<usize>, decisions: Vec<f64>) -> PyResult<Bound<'py, PyBytes>> {
        let stepped = py.detach(|| self.episodes().step(&chosen, &decisions));
        let seen = stepped.map_err(|(place, why)| PyRuntimeError::new_err(format!("scenario {place}: {why}")))?;
        Ok(as_bytes(py, &seen))
    }

    /// True if the episode in a place is over.
    fn is_over(&self, place: usize) -> bool {
        self.episodes().at(place).is_none_or(|episode| episode.is_over())
    }

    /// Capacity of the bottleneck in the latest interval of the episode in a place.
    fn capacity_bytes(&self, place: usize) -> f64 {
        self.episodes().at(place).map_or(0.0, |episode| episode.capacity_bytes())
    }

    /// Removes the episode from its place; returns the record of its run as JSON.
    fn finish(&self, py: Python<'_>, place: usize) -> PyResult<String> {
        let episode = self.episodes().take(place);
        let episode = episode.ok_or_else(|| PyValueError::new_err(format!("there is no episode in place {place}")))?;
        let finished = py.detach(|| guarded(|| episode.finish()));
        let record = finished.and_then(|finished| finished.map_err(|violation| violation.to_string()));
        let record = record.map_err(PyRuntimeError::new_err)?;
        serde_json::to_string(&record).map_err(|error| PyRuntimeError::new_err(error.to_string()))
    }
}

impl PlacedEpisodes {
    fn episodes(&self) -> MutexGuard<'_, Episodes> {
        self.episodes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Converts a policy's attribute or result to a number; `what` describes it in messages.
fn number(given: &Bound<'_, PyAny>, what: &str) -> PyResult<f64> {
    let number = given.extract().ok().filter(|number: &f64| number.is_finite());
    match number {
        Some(number) => Ok(number),
        None => Err(PyValueError::new_err(format!("{what}, not {}", given.repr()?))),
    }
}

fn settings(interval_s: f64, steers: &str) -> PyResult<Settings> {
    let picoseconds = (interval_s * 1e12).round();
    if !(SHORTEST_INTERVAL_PS..=LONGEST_INTERVAL_PS).contains(&picoseconds) {
        let wrong =
            format!("interval_s is a number of seconds, a millionth at least and a million at most; not {interval_s}");
        return Err(PyValueError::new_err(wrong));
    }
    let steers = Steers::named(steers)
        .ok_or_else(|| PyValueError::new_err(format!("steers is \"window\" or \"rate\", not \"{steers}\"")))?;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole, and in this range")]
    Ok(Settings { interval: Span(picoseconds as u64), steers })
}

/// A policy is called for each interval that has ended when an acknowledgment arrives; with shorter intervals there would be too many.
const SHORTEST_INTERVAL_PS: f64 = 1e6;

/// Keeps the end of every interval within the range of a clock.
const LONGEST_INTERVAL_PS: f64 = 1e18;

fn as_bytes<'py>(py: Python<'py>, seen: &[Interval]) -> Bound<'py, PyBytes> {
    let bytes: Vec<u8> = seen.iter().flat_map(Interval::numbers).flat_map(f64::to_ne_bytes).collect();
    PyBytes::new(py, &bytes)
}

/// Window law of a Python policy: an object with the method `decide` and the attributes of its intervals.
pub fn law_of_policy(name: &str, policy: &Bound<'_, PyAny>) -> PyResult<Box<dyn WindowLaw>> {
    let py = policy.py();
    let decide = policy.getattr("decide")?.unbind();
    let interval_s = number(&policy.getattr("interval_s")?, "interval_s is a number of seconds")?;
    let steers = policy
        .getattr_opt("steers")?
        .map_or(Ok("window".into()), |steers| Ok::<_, PyErr>(steers.str()?.to_string()))?;
    let shown = py.import("longfat.controls")?.getattr("Interval")?.unbind();
    let name = name.to_owned();
    let ask = move |seen: &Interval| {
        let decision = Python::attach(|py| {
            let interval = shown.call1(py, PyTuple::new(py, seen.numbers())?)?;
            number(
                decide.bind(py).call1((interval,))?.as_any(),
                "decide gives a number, the power of two of the change",
            )
        });
        decision.unwrap_or_else(|error: PyErr| fail(&name, crate::control::in_words(&error)))
    };
    Ok(at_intervals(settings(interval_s, &steers)?, Box::new(ask)))
}
