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
//! | [`topology`], [`link`], [`framing`], [`switch`], [`loss`], [`reordering`] | the network |
//! | [`transport`], [`traffic`] | the end systems |
//! | [`background`] | traffic that only crosses the bottleneck |
//! | [`simulation`], [`observer`], [`measure`] | the loop, who watches, what comes out |
//! | [`pilot`] | what a run will cost, from its beginning |
//! | [`divergence`] | where two runs part |

#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::disallowed_methods, clippy::disallowed_types))]

pub use longfat_foundation::{calendar, choice, config, measure, model, random, registry, section, serde_json, units};
pub use longfat_hosts::{end_system, outside, quic, traffic, transport};
pub use longfat_network::{background, capacity, framing, link, loss, path, reordering, switch, topology};
pub use longfat_stacks as stacks;
pub use longfat_stacks::proxies;

pub mod catalog;
pub mod divergence;
pub mod observer;
pub mod pilot;
pub mod scenario;
pub mod simulation;

pub use simulation::{Driver, End, Numbers, Simulation, Violation, run, run_by, run_told};

/// The model number as a literal, for constants that `concat!` makes.
macro_rules! model_number {
    () => {
        2
    };
}

/// Number of the model, hashed into every run's id. It moves whenever the fingerprint of any run does, and with nothing else: a release
/// that changes no result keeps every store.
pub const MODEL: u32 = model_number!();

/// Release and model of the simulator, recorded with every run, such as `0.1.0+model.2`.
pub const ENGINE_VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "+model.", model_number!());

/// SHA-256 of the sources of this engine, in hexadecimal. It is not hashed into run ids, because most changes of sources change no result;
/// it distinguishes builds that claim the same model.
pub const ENGINE_BUILD: &str = env!("LONGFAT_ENGINE_BUILD");
