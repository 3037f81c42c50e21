//! Congestion controls written in Python, and the registry of controls provided to this process.
//!
//! The engine calls a control at every acknowledgment, from any simulating thread; each call attaches to the interpreter.

mod shown;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use longfat_control::LibraryControl;
use longfat_engine::config::Numbers;
use longfat_engine::random::Stream;
use longfat_engine::transport::control::{Control, Controls, NamedControl, fail};
use longfat_engine::transport::law::{Progress, WindowLaw};
use longfat_engine::transport::{Delivery, LostSegment, Window};
use longfat_engine::units::{Span, Time};
use longfat_learning::Episode;
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::learning::law_of_policy;

pub use shown::{Chance, ShownDelivery, ShownLostSegment, ShownProgress, ShownWindow};

/// Controls that scenarios read in this process may name.
static PROVIDED: Mutex<Option<Controls>> = Mutex::new(None);

/// Controls provided now.
pub fn provided() -> Controls {
    PROVIDED.lock().unwrap_or_else(PoisonError::into_inner).clone().unwrap_or_default()
}

fn provide(name: &str, control: Arc<dyn Control>) {
    PROVIDED.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_default().provide(name, control);
}

#[pyfunction]
pub fn provide_control(name: &str, load: Py<PyAny>, digest: String) {
    provide(name, Arc::new(PythonControl { name: name.to_owned(), load, digest }));
}

#[pyfunction]
pub fn provide_library(name: &str, path: PathBuf, digest: String, load: bool) -> PyResult<()> {
    let library = LibraryControl::at(name, path, digest);
    if load {
        library.load().map_err(|problem| crate::invalid(vec![problem]))?;
    }
    provide(name, Arc::new(library));
    Ok(())
}

#[pyfunction]
pub fn provided_controls() -> Vec<(String, String)> {
    provided().latest().map(|(name, digest)| (name.to_owned(), digest.to_owned())).collect()
}

/// Error message for a scenario that names a control that is not provided.
pub fn why_missing(control: &NamedControl) -> String {
    let name = control.name();
    if name == Episode::LEARNER {
        return format!(
            "\"{name}\" waits for decisions from longfat.learning; to run the scenario, name a control that decides by itself"
        );
    }
    let provided = provided();
    let latest = provided.latest().find(|(known, _)| *known == name).map(|(_, digest)| digest);
    match (control.digest(), latest) {
        (Some(meant), Some(latest)) => format!(
            "the congestion control \"{name}\" has changed: this run is of its version {}, provided is {}",
            short(meant),
            short(latest)
        ),
        _ => format!(
            "no congestion control is provided as \"{name}\": --control {name}=FILE does, or longfat.use_control in Python"
        ),
    }
}

/// Shortened digest, long enough to distinguish versions.
fn short(digest: &str) -> &str {
    digest.get(..12).unwrap_or(digest)
}

/// A Python class or other callable that creates a law.
struct PythonControl {
    name: String,
    load: Py<PyAny>,
    digest: String,
}

impl Control for PythonControl {
    fn digest(&self) -> &str {
        &self.digest
    }

    fn law(&self, parameters: &Numbers) -> Box<dyn WindowLaw> {
        let law = Python::attach(|py| {
            let named = PyDict::new(py);
            parameters.0.iter().try_for_each(|(name, number)| named.set_item(name, number))?;
            let object = self.load.bind(py).call0()?.call((), Some(&named))?;
            if object.hasattr("decide")? {
                return law_of_policy(&self.name, &object);
            }
            PythonLaw::of(&self.name, &object).map(|law| Box::new(law) as Box<dyn WindowLaw>)
        });
        law.unwrap_or_else(|error| give_up(&self.name, &error))
    }
}

/// Python object of one connection's control, with its methods.
struct PythonLaw {
    name: String,
    window: Py<ShownWindow>,
    on_acknowledgment: Py<PyAny>,
    on_loss: Py<PyAny>,
    on_timeout: Py<PyAny>,
    on_mark: Option<Py<PyAny>>,
    observe_marks: Option<Py<PyAny>>,
    on_delivery: Option<Py<PyAny>>,
    on_lost_segment: Option<Py<PyAny>>,
    on_opened: Option<Py<PyAny>>,
    on_restart_from_idle: Option<Py<PyAny>>,
    pacing_rate: Option<Py<PyAny>>,
    take_chance: Option<Py<PyAny>>,
}

impl PythonLaw {
    fn of(name: &str, object: &Bound<'_, PyAny>) -> PyResult<Self> {
        let needed = |method: &str| object.getattr(method).map(Bound::unbind);
        let method = |method: &str| object.getattr_opt(method).map(|found| found.map(Bound::unbind));
        Ok(Self {
            name: name.to_owned(),
            window: Py::new(object.py(), ShownWindow::default())?,
            on_acknowledgment: needed("on_acknowledgment")?,
            on_loss: needed("on_loss")?,
            on_timeout: needed("on_timeout")?,
            on_mark: method("on_mark")?,
            observe_marks: method("observe_marks")?,
            on_delivery: method("on_delivery")?,
            on_lost_segment: method("on_lost_segment")?,
            on_opened: method("on_opened")?,
            on_restart_from_idle: method("on_restart_from_idle")?,
            pacing_rate: method("pacing_rate")?,
            take_chance: method("take_chance")?,
        })
    }

    /// Calls a method with the window and another argument, and applies the changed window; a failure ends the run.
    fn tell(&self, method: &Py<PyAny>, window: &mut Window, about: impl FnOnce(Python<'_>) -> PyResult<Py<PyAny>>) {
        let told = Python::attach(|py| {
            self.window.borrow_mut(py).show(window);
            method.call1(py, (&self.window, about(py)?))?;
            self.window.borrow(py).take_over(window);
            Ok(())
        });
        told.unwrap_or_else(|error| give_up(&self.name, &error));
    }

    /// Calls a method without the window, if the control has it.
    fn note(&self, method: Option<&Py<PyAny>>, about: impl FnOnce(Python<'_>) -> PyResult<Bound<'_, PyTuple>>) {
        let Some(method) = method else { return };
        let told = Python::attach(|py| method.call1(py, about(py)?).map(drop));
        told.unwrap_or_else(|error| give_up(&self.name, &error));
    }
}

impl WindowLaw for PythonLaw {
    fn on_acknowledgment(&mut self, window: &mut Window, progress: &Progress) {
        self.tell(&self.on_acknowledgment, window, |py| ShownProgress(*progress).into_py_any(py));
    }

    fn on_loss(&mut self, window: &mut Window, flight: u64) {
        self.tell(&self.on_loss, window, |py| flight.into_py_any(py));
    }

    fn on_timeout(&mut self, window: &mut Window, flight: u64) {
        self.tell(&self.on_timeout, window, |py| flight.into_py_any(py));
    }

    /// Like a loss, unless the control has a method for marks (RFC 3168 section 6.1.2).
    fn on_mark(&mut self, window: &mut Window, flight: u64) {
        self.tell(self.on_mark.as_ref().unwrap_or(&self.on_loss), window, |py| flight.into_py_any(py));
    }

    /// If marks are treated like losses, responds once to a mark and a loss in one window of data (RFC 3168 section 6.1.2).
    fn on_loss_after_mark(&mut self, window: &mut Window, flight: u64) {
        if self.on_mark.is_some() {
            self.on_loss(window, flight);
        }
    }

    fn observes_marks(&self) -> bool {
        self.observe_marks.is_some()
    }

    fn observe_marks(&mut self, acknowledged: u64, marked: u64, unacknowledged: u64, highest: u64) {
        self.note(self.observe_marks.as_ref(), |py| (acknowledged, marked, unacknowledged, highest).into_pyobject(py));
    }

    fn observes_deliveries(&self) -> bool {
        self.on_delivery.is_some()
    }

    fn on_delivery(&mut self, window: &mut Window, delivery: &Delivery) {
        if let Some(method) = &self.on_delivery {
            self.tell(method, window, |py| ShownDelivery(*delivery).into_py_any(py));
        }
    }

    fn on_lost_segment(&mut self, window: &mut Window, lost: &LostSegment, now: Time) {
        if let Some(method) = &self.on_lost_segment {
            self.tell(method, window, |py| ShownLostSegment { lost: *lost, now }.into_py_any(py));
        }
    }

    fn on_opened(&mut self, now: Time, round_trip: Span) {
        self.note(self.on_opened.as_ref(), |py| (now.as_seconds(), round_trip.as_seconds()).into_pyobject(py));
    }

    fn on_restart_from_idle(&mut self, now: Time) {
        self.note(self.on_restart_from_idle.as_ref(), |py| (now.as_seconds(),).into_pyobject(py));
    }

    fn forgets_when_idle(&self) -> bool {
        self.pacing_rate.is_none()
    }

    fn is_paced(&self) -> bool {
        self.observes_deliveries() || self.pacing_rate.is_some()
    }

    fn pacing_rate(&mut self, window: &Window) -> Option<f64> {
        let method = self.pacing_rate.as_ref()?;
        let rate = Python::attach(|py| {
            self.window.borrow_mut(py).show(window);
            let rate: Option<f64> = method.call1(py, (&self.window,))?.extract(py)?;
            shown::checked_rate(rate)
        });
        rate.unwrap_or_else(|error| give_up(&self.name, &error))
    }

    fn take_chance(&mut self, chance: &mut dyn FnMut() -> Stream) {
        if self.take_chance.is_some() {
            let stream = chance();
            self.note(self.take_chance.as_ref(), |py| (Chance::of(stream),).into_pyobject(py));
        }
    }
}

/// Ends the run with the message of an exception.
fn give_up(name: &str, error: &PyErr) -> ! {
    fail(name, in_words(error))
}

/// Message of an exception, with the place where it was raised.
pub fn in_words(error: &PyErr) -> String {
    Python::attach(|py| format!("{error}{}", place_of(py, error)))
}

/// Place where an exception was raised, if known: " (control.py, line 12, in on_loss)".
fn place_of(py: Python<'_>, error: &PyErr) -> String {
    let innermost = || -> PyResult<String> {
        let Some(traceback) = error.traceback(py) else { return Ok(String::new()) };
        let frames = py.import("traceback")?.call_method1("extract_tb", (traceback,))?;
        let frame = frames.get_item(frames.len()? - 1)?;
        let (file, function): (String, String) =
            (frame.getattr("filename")?.extract()?, frame.getattr("name")?.extract()?);
        let line: u32 = frame.getattr("lineno")?.extract()?;
        Ok(format!(" ({file}, line {line}, in {function})"))
    };
    innermost().unwrap_or_default()
}
