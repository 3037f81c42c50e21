//! Files of studies and of claims.

use longfat_study::{Claims, Study};
use pyo3::prelude::*;

use crate::{document, invalid};

#[pyfunction]
pub fn check_study(text: &[u8], source: &str, scenario_text: &[u8], scenario_source: &str) -> PyResult<String> {
    let scenario = document(scenario_text, scenario_source)?;
    Study::check(text, source, &scenario).map(|study| study.to_json().to_string()).map_err(invalid)
}

#[pyfunction]
pub fn study_scenario(text: &[u8], source: &str) -> PyResult<String> {
    longfat_study::scenario_path(text, source).map_err(invalid)
}

#[pyfunction]
pub fn study_controls(text: &[u8], source: &str) -> PyResult<Vec<(String, String)>> {
    longfat_study::control_files(text, source).map_err(invalid)
}

#[pyfunction]
pub fn check_claims(text: &[u8], source: &str) -> PyResult<String> {
    Claims::check(text, source).map(|claims| claims.to_json().to_string()).map_err(invalid)
}

#[pyfunction]
pub fn readable_claims(text: &[u8], source: &str) -> String {
    Claims::readable(text, source).to_json().to_string()
}
