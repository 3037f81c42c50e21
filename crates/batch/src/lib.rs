//! Support for batches of runs: the queue of scenarios, and limits of resources.

#![forbid(unsafe_code)]

mod limits;
mod queue;

pub use limits::{Given, Limits};
pub use queue::Queue;
