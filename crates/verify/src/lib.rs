//! The models prove themselves: analytic laws, worked examples of the standards, and packet traces of ns-2, each run by the
//! engine and compared.

mod check;
pub mod replay;

pub use check::{Check, Kind};

/// Runs every check.
#[must_use]
pub fn all() -> Vec<Check> {
    replay::checks()
}
