//! What many runs at once need beside the engine: which of them is next, and what each may use at most.

#![forbid(unsafe_code)]

mod limits;
mod queue;

pub use limits::{Given, Limits};
pub use queue::Queue;
