//! The ground floor of the simulator: time, random numbers, parameters and results, on which all other crates stand.
//!
//! | module | content |
//! |---|---|
//! | [`units`], [`random`], [`calendar`], [`row`] | integer time and rates, counter-based random numbers, the event calendar, a contiguous queue |
//! | [`config`], [`registry`] | parameters declared once; models chosen by name |
//! | [`measure`] | run records, metrics, the ledger of causes |

#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::disallowed_methods, clippy::disallowed_types))]

#[doc(hidden)]
pub use serde_json;

pub mod calendar;
pub mod config;
pub mod measure;
pub mod random;
pub mod registry;
pub mod row;
pub mod units;
