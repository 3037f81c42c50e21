//! Support for batches of runs: the queue of scenarios, limits of resources, and runs in portions between which they are looked at.

#![forbid(unsafe_code)]

mod limits;
mod portions;
mod queue;

pub use limits::{Given, Limits};
pub use portions::{Ended, simulate};
pub use queue::Queue;
