//! Output of a run over time: [`traces`] are tables in Parquet, a [`capture`] is a packet capture in pcapng.
//!
//! Both are observers and never influence a simulation: a run has the same record and fingerprint with and without them.
//!
//! | module | content |
//! |---|---|
//! | [`traces`] | one file per kind of trace, and their registry |
//! | [`table`] | writes rows as columns of a Parquet file |
//! | `encoding`, `chunk` | pages of such a file |
//! | [`deadband`], [`level`] | decimation with a bounded error |
//! | [`folder`] | the files of a run, all or none |
//! | [`capture`] | packet capture for Wireshark |
//! | [`watcher`] | the observer that runs them all |

#![forbid(unsafe_code)]

pub mod capture;
mod chunk;
pub mod deadband;
mod encoding;
pub mod folder;
pub mod level;
mod partial;
pub mod table;
pub mod traces;
pub mod watcher;

pub use watcher::{Wanted, Watcher};
