//! Descriptions of orbits: satellites, ground stations, and how a path between two stations is chosen.
//!
//! The engine does not know orbits. This crate reads and validates their files with the engine's declarations. The result is plain data for
//! Python, which computes schedules of delays of it.

#![forbid(unsafe_code)]

mod description;
mod handover;
mod links;
mod numbers;
mod outage;
mod shells;
mod stations;
mod utc;
mod walker;

pub use description::Orbit;

use longfat_engine::catalog::family;
use serde_json::Value as Json;

/// The models of descriptions, as `longfat_engine::catalog::models` has those of scenarios.
#[must_use]
pub fn models() -> Vec<Json> {
    [family::<dyn shells::Shell>(), family::<dyn links::Links>(), family::<dyn outage::Outage>()].concat()
}
