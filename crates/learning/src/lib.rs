//! Congestion controls that decide at intervals, like learned ones; and simulations that wait for external decisions, many at a time.
//!
//! A decision is the power of two by which the window or the rate changes. It is carried out at the next acknowledgment, and is based on
//! the observations of an [`Interval`]. The same decisions give the same run, whether a policy is called by the run itself
//! ([`at_intervals`]) or the simulation waits for decisions ([`Episodes`]).

#![forbid(unsafe_code)]

mod course;
mod episode;
mod episodes;
mod interval;
mod law;

pub use course::{Settings, Steers};
pub use episode::Episode;
pub use episodes::Episodes;
pub use interval::Interval;
pub use law::{Decide, at_intervals};
