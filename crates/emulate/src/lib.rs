//! The third way to advance time, beside the drivers `events` and `fast`: by the wall clock, with packets of programs of this machine.
//!
//! The models are the engine's. This crate reads what programs send from the interfaces (TUN devices) of their network namespaces, hands it to
//! the network of a scenario at that very time, and writes what arrives to the interfaces when it is due. Namespaces and devices are made by
//! who starts a run; here are only their file descriptors.

#![forbid(unsafe_code)]

mod account;
mod allowance;
mod clock;
mod control;
mod device;
mod driver;
mod lateness;
mod waking;

pub use control::{Control, Snapshot};
pub use device::{Counts, Device, Peer};
pub use driver::{Settings, emulate};
pub use lateness::Lateness;
