//! What happens in a run over time: [`traces`] are tables as Parquet, a [`capture`] is packets as pcapng.
//!
//! Both watch a simulation from outside and never touch it: a run has the same record and the same fingerprint with them and
//! without.
//!
//! | module | what it holds |
//! |---|---|
//! | [`traces`] | one file for each kind of trace, and their registry |
//! | [`table`] | rows into columns into a Parquet file |
//! | `encoding`, `chunk` | columns as pages of such a file |
//! | [`deadband`], [`level`] | which changes of a value are worth a row |
//! | [`folder`] | the files of a run, whole or not at all |
//! | [`capture`] | segments and acknowledgments as Wireshark reads them |
//! | [`watcher`] | the observer that all of them hang on |

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
