//! Scripts of exchanges, for Python.

use longfat_engine::scenario::Scenario;
use longfat_engine::transport::control::guarded;
use longfat_verify::script::{BASE, play, read};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::{control, document, invalid};

/// Plays a script and gives what came of it as JSON.
#[pyfunction]
pub fn play_script(py: Python<'_>, text: &str, source: &str) -> PyResult<String> {
    let script = read(text, source).map_err(invalid)?;
    let mut document = document(BASE.as_bytes(), source)?;
    for (line, path, value) in &script.settings {
        document.set(path, value, &format!("{source}:{line}"));
    }
    let scenario = Scenario::check(&document).map_err(invalid)?;
    let missing: Vec<_> = scenario.missing_controls().iter().map(control::why_missing).collect();
    if !missing.is_empty() {
        return Err(invalid(missing));
    }
    let played = py.detach(|| guarded(|| play(&script, &scenario, source))).and_then(|played| played);
    let played = played.map_err(|problem| invalid(vec![problem]))?;
    serde_json::to_string(&played).map_err(|error| PyValueError::new_err(error.to_string()))
}
