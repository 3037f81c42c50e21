//! Study files: a scenario, factors with levels, responses with reference numbers, and claims.
//!
//! The engine does not know studies. This crate reads and validates their files with the engine's declarations, and lets the engine judge
//! every factor level against the study's scenario. The result is plain data for Python.

#![forbid(unsafe_code)]

mod adjustment;
mod audit;
mod bound;
mod claims;
mod controls;
mod design;
mod factors;
mod file;
mod precision;
mod response;
mod sql;

pub use claims::Claims;
pub use controls::control_files;
pub use file::{Study, scenario_path};
