//! The Python module `longfat._engine`: converts values, releases the interpreter, calls the engine. Contains no simulation logic.
//!
//! `python/longfat/_engine.pyi` documents every name for Python.

#![allow(clippy::needless_pass_by_value, reason = "Python hands over values")]

mod batch;
mod control;
mod distributions;
#[cfg(target_os = "linux")]
mod emulate;
mod ending;
mod learning;
mod network;
mod orbit;
mod script;
mod studies;

use std::collections::BTreeSet;
use std::time::Instant;

use longfat_engine::config::{Document, FREQUENCY, Knob, LEVEL, Parameter, SIZE, TIME, parse_in};
use longfat_engine::measure::{Better, DeclaredMetric, Metrics};
use longfat_engine::path::{Codes, Modcod};
use longfat_engine::pilot;
use longfat_engine::random::Chance;
use longfat_engine::scenario::Scenario;
use longfat_engine::transport::control::guarded;
use longfat_study::{Claims, Study};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::{Value as Json, json};

pyo3::import_exception!(longfat.base.errors, InvalidInput);
pyo3::import_exception!(longfat.base.errors, RunFailed);

/// Overrides of scenario parameters: path, value, and origin for messages.
type Overrides = Vec<(String, String, String)>;

/// Python exception for a list of problems.
fn invalid(problems: Vec<String>) -> PyErr {
    InvalidInput::new_err((problems,))
}

/// Reads a resolved scenario, as written by the engine.
fn resolved_scenario(resolved: &str) -> PyResult<Scenario> {
    Scenario::check(&document(resolved.as_bytes(), "resolved.json")?).map_err(invalid)
}

/// Why connections of programs outside are not simulated.
const ONLY_IN_REAL_TIME: &str =
    "stack \"outside\": the packets of these connections come from programs; longfat emulate runs them";

/// [`resolved_scenario`], which must also be ready to run: all controls that it names are provided, and no programs are needed.
fn runnable_scenario(resolved: &str) -> PyResult<Scenario> {
    let scenario = resolved_scenario(resolved)?;
    if scenario.names_programs() {
        return Err(invalid(vec![ONLY_IN_REAL_TIME.into()]));
    }
    // Several groups may have the same control.
    let problems: BTreeSet<_> = scenario.missing_controls().iter().map(control::why_missing).collect();
    let problems = Vec::from_iter(problems);
    if !problems.is_empty() {
        return Err(invalid(problems));
    }
    guarded(|| scenario.try_controls()).map_err(|problem| invalid(vec![problem]))?;
    Ok(scenario)
}

/// Parses a scenario's text, which may name the controls provided.
fn document(text: &[u8], source: &str) -> PyResult<Document> {
    Scenario::document(text, source).map(|document| document.provided_with(control::provided())).map_err(invalid)
}

#[pyfunction]
#[pyo3(signature = (text, source, overrides = Vec::new()))]
fn resolve_scenario(text: &[u8], source: &str, overrides: Overrides) -> PyResult<String> {
    let document = document(text, source)?;
    resolve(document, &overrides).map_err(invalid)
}

#[pyfunction]
fn resolve_variants(text: &[u8], source: &str, variants: Vec<Overrides>) -> PyResult<Vec<(String, String, u64)>> {
    let document = document(text, source)?;
    let resolved = variants.iter().map(|overrides| {
        let scenario = Scenario::check(&overridden(document.clone(), overrides))?;
        Ok((scenario.canonical(), scenario.hash(), scenario.seed))
    });
    resolved.collect::<Result<_, _>>().map_err(invalid)
}

#[pyfunction]
fn resolve_each(text: &[u8], source: &str, variants: Vec<Overrides>) -> PyResult<Vec<(Option<String>, Vec<String>)>> {
    let document = document(text, source)?;
    let resolved = variants.iter().map(|overrides| match resolve(document.clone(), overrides) {
        Ok(resolved) => (Some(resolved), Vec::new()),
        Err(problems) => (None, problems),
    });
    Ok(resolved.collect())
}

#[pyfunction]
fn knobs(text: &[u8], source: &str, variants: Vec<Overrides>) -> PyResult<String> {
    let document = document(text, source)?;
    let of_variant = |overrides: &Overrides| {
        let knobs = Scenario::knobs(&overridden(document.clone(), overrides));
        knobs.into_iter().map(knob).collect::<serde_json::Value>()
    };
    Ok(variants.iter().map(of_variant).collect::<serde_json::Value>().to_string())
}

fn knob(knob: Knob) -> serde_json::Value {
    json!({
        "path": knob.path,
        "model": knob.model,
        "value": knob.value,
        "is_set": knob.is_set,
        "settings": knob.settings,
        "doc": knob.doc,
    })
}

fn overridden(mut document: Document, overrides: &Overrides) -> Document {
    for (path, value, origin) in overrides {
        document.set(path, value, origin);
    }
    document
}

fn resolve(document: Document, overrides: &Overrides) -> Result<String, Vec<String>> {
    Scenario::check(&overridden(document, overrides)).map(|scenario| scenario.canonical())
}

#[pyfunction]
fn scenario_hash(resolved: &str) -> PyResult<String> {
    resolved_scenario(resolved).map(|scenario| scenario.hash())
}

#[pyfunction]
fn run_id(resolved: &str) -> PyResult<String> {
    resolved_scenario(resolved).map(|scenario| scenario.run_id())
}

#[pyfunction]
fn replicate(resolved: &str, replications: Vec<u64>) -> PyResult<(String, String, Vec<String>, u64)> {
    let scenario = resolved_scenario(resolved)?;
    let replicated = scenario.replicated(&replications);
    Ok((replicated.before, replicated.behind, replicated.run_ids, scenario.duration.0.0))
}

/// Events, bytes of memory, and the parameter that most of these are due to.
type CostEstimate = (f64, f64, &'static str);

#[pyfunction]
#[pyo3(signature = (resolved, most_bytes = None))]
fn scenario_cost(py: Python<'_>, resolved: &str, most_bytes: Option<usize>) -> PyResult<CostEstimate> {
    let scenario = resolved_scenario(resolved)?;
    let cost = py.detach(|| pilot::cost(&scenario, most_bytes));
    Ok((cost.events, cost.memory_bytes, cost.memory_due_to))
}

#[pyfunction]
fn scenario_cost_if_busy(resolved: &str) -> PyResult<CostEstimate> {
    let cost = resolved_scenario(resolved)?.cost();
    Ok((cost.events, cost.memory_bytes, cost.memory_due_to))
}

#[pyfunction]
fn scenario_seconds(resolved: &str, most_seconds: f64, clock: &Bound<'_, PyAny>) -> PyResult<Option<f64>> {
    let scenario = resolved_scenario(resolved)?;
    let mut failed = None;
    let look = || {
        let read = clock.call0().and_then(|seconds| seconds.extract());
        read.unwrap_or_else(|error| {
            failed = Some(error);
            f64::INFINITY
        })
    };
    let seconds = pilot::seconds(&scenario, most_seconds, look);
    failed.map_or(Ok(seconds), Err)
}

#[pyfunction]
fn scenario_seconds_if_busy(resolved: &str) -> PyResult<f64> {
    Ok(resolved_scenario(resolved)?.cost().core_seconds)
}

#[pyfunction]
#[pyo3(signature = (first, second, wall_seconds = None, memory_bytes = None))]
fn compare_runs(
    py: Python<'_>,
    first: &str,
    second: &str,
    wall_seconds: Option<f64>,
    memory_bytes: Option<usize>,
) -> PyResult<String> {
    let scenarios = [runnable_scenario(first)?, runnable_scenario(second)?];
    let mut signal = Ok(());
    let mut exceeded = None;
    let started = Instant::now();
    let comparison = py.detach(|| {
        guarded(|| {
            longfat_engine::divergence::compare([&scenarios[0], &scenarios[1]], |bytes| {
                signal = Python::attach(|py| py.check_signals());
                exceeded = if let Some(limit) = wall_seconds.filter(|limit| started.elapsed().as_secs_f64() >= *limit) {
                    Some(format!("{limit} s (--limit wall=... raises it)"))
                } else {
                    let limit = memory_bytes.filter(|limit| bytes > *limit);
                    limit.map(|limit| format!("{limit} bytes (--limit memory=... raises it)"))
                };
                signal.is_err() || exceeded.is_some()
            })
        })
    });
    signal?;
    let stopped = || format!("stopped at its limit of {}", exceeded.unwrap_or_default());
    let comparison = comparison.and_then(|found| found.ok_or_else(stopped)).map_err(RunFailed::new_err)?;
    serde_json::to_string(&comparison).map_err(|error| PyValueError::new_err(error.to_string()))
}

#[pyfunction]
fn parse_time(text: &str) -> PyResult<u64> {
    parse_in(&TIME, text).map_err(|problem| invalid(vec![problem]))
}

#[pyfunction]
fn parse_size(text: &str) -> PyResult<u64> {
    parse_in(&SIZE, text).map_err(|problem| invalid(vec![problem]))
}

#[pyfunction]
fn parse_level(text: &str) -> PyResult<u64> {
    parse_in(&LEVEL, text).map_err(|problem| invalid(vec![problem]))
}

#[pyfunction]
fn parse_frequency(text: &str) -> PyResult<u64> {
    parse_in(&FREQUENCY, text).map_err(|problem| invalid(vec![problem]))
}

/// The codes of satellite carriers, by the word that a scenario has for them.
#[pyfunction]
fn carrier_codes() -> String {
    let code = |code: Modcod| json!({ "name": code.name, "threshold_cdb": code.threshold, "efficiency_millionths": code.efficiency });
    let all = |codes: &Codes| (codes.resolved(), codes.all().map(code).collect::<Vec<_>>());
    let by_word =
        Codes::ALL.iter().map(all).map(|(word, codes)| (word.as_str().unwrap_or_default().to_owned(), codes.into()));
    Json::Object(by_word.collect()).to_string()
}

#[pyfunction]
fn models() -> String {
    let mut models = longfat_engine::catalog::models();
    if let Json::Array(models) = &mut models {
        models.extend(longfat_orbit::models());
    }
    models.to_string()
}

#[pyfunction]
fn traces() -> String {
    let kind = |kind: &longfat_trace::traces::Kind| {
        let columns = kind.columns.iter().map(|column| json!({ "name": column.name, "doc": column.doc }));
        json!({ "name": kind.name, "doc": kind.doc, "columns": columns.collect::<Vec<_>>() })
    };
    longfat_trace::traces::TRACES.iter().map(kind).collect::<serde_json::Value>().to_string()
}

#[pyfunction]
fn scenario_schema() -> String {
    Scenario::schema().to_string()
}

#[pyfunction]
fn study_schema() -> String {
    Study::schema().to_string()
}

#[pyfunction]
fn claims_schema() -> String {
    Claims::schema().to_string()
}

#[pyfunction]
fn random_block(seed: u64, replication: u64, component: &str, index: u64) -> [u64; 4] {
    Chance { seed, replication }.stream(component).block(index)
}

#[pyfunction]
fn max_min_shares(capacity: f64, demands: Vec<f64>) -> PyResult<Vec<f64>> {
    let is_rate = |rate: &f64| *rate >= 0.0;
    if let Some(wrong) = std::iter::once(&capacity).chain(&demands).find(|rate| !is_rate(rate)) {
        return Err(PyValueError::new_err(format!("{wrong} is no rate; capacity and demands are 0 or more")));
    }
    Ok(longfat_engine::measure::max_min_shares(capacity, &demands))
}

#[pyfunction]
fn verification_checks() -> Vec<(String, String)> {
    let text =
        |kind| serde_json::to_value(kind).ok().and_then(|kind| kind.as_str().map(str::to_owned)).unwrap_or_default();
    longfat_verify::checks().into_iter().map(|check| (check.name, text(check.kind))).collect()
}

#[pyfunction]
fn verify(py: Python<'_>, name: &str) -> PyResult<String> {
    let check = longfat_verify::checks().into_iter().find(|check| check.name == name);
    let check = check.ok_or_else(|| invalid(vec![format!("no check is called \"{name}\"")]))?;
    let outcome = py.detach(|| check.run());
    serde_json::to_string(&outcome).map_err(|error| PyValueError::new_err(error.to_string()))
}

#[pyfunction]
fn verification_scenario(name: &str) -> PyResult<String> {
    longfat_verify::scenario_json(name).map_err(|problem| invalid(vec![problem]))
}

/// Name, text, the better side (`None` if neither is better), and whether it is a share of 1.
type MetricFacts = (&'static str, &'static str, Option<&'static str>, bool);

fn declared_metric(metric: &DeclaredMetric) -> MetricFacts {
    let better = match metric.better {
        Better::More => Some("more"),
        Better::Less => Some("less"),
        Better::Neither => None,
    };
    (metric.name, metric.text, better, metric.is_share)
}

/// The simulator's Python module.
#[pymodule]
fn _engine(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("MODEL", longfat_engine::MODEL)?;
    module.add("ENGINE_VERSION", longfat_engine::ENGINE_VERSION)?;
    module.add("ENGINE_BUILD", longfat_engine::ENGINE_BUILD)?;
    module.add("BUILD_PROFILE", if cfg!(debug_assertions) { "debug" } else { "release" })?;
    module.add("CONTROL_HEADER", longfat_control::HEADER)?;
    module.add("METRICS", Metrics::NAMES.to_vec())?;
    module.add("DECLARED_METRICS", Metrics::DECLARED.iter().map(declared_metric).collect::<Vec<_>>())?;
    module.add_function(wrap_pyfunction!(resolve_scenario, module)?)?;
    module.add_function(wrap_pyfunction!(resolve_variants, module)?)?;
    module.add_function(wrap_pyfunction!(resolve_each, module)?)?;
    module.add_function(wrap_pyfunction!(knobs, module)?)?;
    module.add_function(wrap_pyfunction!(scenario_hash, module)?)?;
    module.add_function(wrap_pyfunction!(run_id, module)?)?;
    module.add_function(wrap_pyfunction!(replicate, module)?)?;
    module.add_function(wrap_pyfunction!(scenario_cost, module)?)?;
    module.add_function(wrap_pyfunction!(scenario_cost_if_busy, module)?)?;
    module.add_function(wrap_pyfunction!(scenario_seconds, module)?)?;
    module.add_function(wrap_pyfunction!(scenario_seconds_if_busy, module)?)?;
    module.add_function(wrap_pyfunction!(network::scenario_network, module)?)?;
    module.add_function(wrap_pyfunction!(network::scenario_regrowth_s, module)?)?;
    module.add_function(wrap_pyfunction!(network::scenario_marks, module)?)?;
    module.add_function(wrap_pyfunction!(studies::check_study, module)?)?;
    module.add_function(wrap_pyfunction!(studies::study_scenario, module)?)?;
    module.add_function(wrap_pyfunction!(studies::study_controls, module)?)?;
    module.add_function(wrap_pyfunction!(studies::check_claims, module)?)?;
    module.add_function(wrap_pyfunction!(orbit::check_orbit, module)?)?;
    module.add_function(wrap_pyfunction!(studies::readable_claims, module)?)?;
    module.add_function(wrap_pyfunction!(compare_runs, module)?)?;
    module.add_function(wrap_pyfunction!(parse_time, module)?)?;
    module.add_function(wrap_pyfunction!(parse_size, module)?)?;
    module.add_function(wrap_pyfunction!(models, module)?)?;
    module.add_function(wrap_pyfunction!(traces, module)?)?;
    module.add_function(wrap_pyfunction!(parse_level, module)?)?;
    module.add_function(wrap_pyfunction!(parse_frequency, module)?)?;
    module.add_function(wrap_pyfunction!(carrier_codes, module)?)?;
    module.add_function(wrap_pyfunction!(scenario_schema, module)?)?;
    module.add_function(wrap_pyfunction!(study_schema, module)?)?;
    module.add_function(wrap_pyfunction!(claims_schema, module)?)?;
    module.add_function(wrap_pyfunction!(orbit::orbit_schema, module)?)?;
    module.add_function(wrap_pyfunction!(random_block, module)?)?;
    module.add_function(wrap_pyfunction!(max_min_shares, module)?)?;
    module.add_function(wrap_pyfunction!(distributions::student_quantile, module)?)?;
    module.add_function(wrap_pyfunction!(distributions::f_tail, module)?)?;
    module.add_function(wrap_pyfunction!(verification_checks, module)?)?;
    module.add_function(wrap_pyfunction!(verify, module)?)?;
    module.add_function(wrap_pyfunction!(verification_scenario, module)?)?;
    module.add_function(wrap_pyfunction!(script::play_script, module)?)?;
    module.add_function(wrap_pyfunction!(control::provide_control, module)?)?;
    module.add_function(wrap_pyfunction!(control::provide_library, module)?)?;
    module.add_function(wrap_pyfunction!(control::provided_controls, module)?)?;
    module.add("LEARNER", longfat_learning::Episode::LEARNER)?;
    module.add("INTERVAL_NAMES", longfat_learning::Interval::NAMES.to_vec())?;
    module.add_class::<learning::PlacedEpisodes>()?;
    module.add_class::<control::ShownWindow>()?;
    module.add_class::<control::ShownProgress>()?;
    module.add_class::<control::ShownDelivery>()?;
    module.add_class::<control::ShownLostSegment>()?;
    module.add_class::<control::Chance>()?;
    module.add_function(wrap_pyfunction!(ending::end_process_after, module)?)?;
    #[cfg(unix)]
    module.add_function(wrap_pyfunction!(ending::end_process_at_signals, module)?)?;
    #[cfg(target_os = "linux")]
    {
        module.add_function(wrap_pyfunction!(emulate::outside_connections, module)?)?;
        module.add_class::<emulate::Emulation>()?;
    }
    module.add_function(wrap_pyfunction!(batch::run_batch, module)?)?;
    module.add_function(wrap_pyfunction!(batch::run_watched, module)?)?;
    Ok(())
}
