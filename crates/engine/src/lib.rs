//! A deterministic simulator of transport over long fat networks, cell by cell.
//!
//! No files, no clocks, no threads, no global state: a checked [`Scenario`](scenario::Scenario) goes in, a
//! [`RunRecord`](measure::RunRecord) comes out, the same bytes on every machine.
//!
//! ```
//! use longfat_engine::{run, scenario::Scenario};
//!
//! let text = br#"
//!     schema_version = 1
//!     duration = "100 ms"
//!     topology = { kind = "n-source", sources = 2, access = { delay = "5 us" }, bottleneck = { delay = "5 us" } }
//!     port = { buffer = "1000 cells", policy = "epd" }
//! "#;
//! let scenario = Scenario::parse(text, "example.toml", &[]).unwrap();
//! let record = run(&scenario).unwrap();
//! assert!(record.metrics.efficiency > 0.0);
//! ```
//!
//! | module | what it holds |
//! |---|---|
//! | [`units`], [`random`], [`calendar`] | time, chance, order |
//! | [`config`], [`registry`], [`scenario`] | from text to something that can run |
//! | [`topology`], [`link`], [`framing`], [`switch`], [`loss`] | the network |
//! | [`transport`], [`traffic`] | the end systems |
//! | [`background`] | traffic that only crosses the bottleneck |
//! | [`simulation`], [`observer`], [`measure`] | the loop, who watches, what comes out |
//! | [`divergence`] | where two runs part |

#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::disallowed_methods, clippy::disallowed_types))]

pub use longfat_foundation::{calendar, choice, config, measure, model, random, registry, section, serde_json, units};
pub use longfat_hosts::{proxies, traffic, transport};
pub use longfat_network::{background, capacity, framing, link, loss, path, switch, topology};

pub mod catalog;
pub mod divergence;
pub mod observer;
pub mod scenario;
pub mod simulation;

pub use simulation::{Driver, Simulation, Violation, run, run_by};

/// Version of the simulator, part of every run's name. The number behind "model" moves whenever any run's fingerprint does.
pub const ENGINE_VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "+model.2");

/// Hash of the sources that this engine was built from. It is no part of a run's name, because most changes of sources change no
/// number; but it tells apart two engines that say they are the same version.
pub const ENGINE_BUILD: &str = env!("LONGFAT_ENGINE_BUILD");
