//! Congestion controls that decide at intervals, as those do that are learned; and simulations that wait for decisions from outside,
//! many at a time.
//!
//! A decision says by which power of two the window changes, or the rate. It is carried out with the next acknowledgment, and rests on
//! what the acknowledgments of an [`Interval`] have told. Whether a policy decides, asked by the run itself ([`at_intervals`]), or somebody
//! for whom the simulation waits ([`Episodes`]): the same decisions make the same run.

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
