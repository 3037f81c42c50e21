//! Descriptions of orbits for Python.

use longfat_orbit::Orbit;
use pyo3::prelude::*;

use crate::invalid;

#[pyfunction]
pub fn check_orbit(text: &[u8], source: &str) -> PyResult<String> {
    Orbit::check(text, source).map(|orbit| orbit.to_json().to_string()).map_err(invalid)
}

#[pyfunction]
pub fn orbit_schema() -> String {
    Orbit::schema().to_string()
}
