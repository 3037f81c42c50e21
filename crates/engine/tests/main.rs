//! Tests of the engine from outside, which hold whatever is changed inside it.
//!
//! | module | what it holds |
//! |---|---|
//! | `laws` | conservation over random networks; numbers worked by hand |
//! | `transfer` | every flavor against a path that loses and reorders, checked at every step |
//! | `recovery` | each loss recovery worked by hand at the sender alone, with the sections of its RFC or paper |
//! | `hosts`, `external_control` | what hosts do to a window beyond their law; laws from outside |
//! | `conformance` | what every model of a family must do, over the registries: a new model is tested by being listed |
//! | `trajectories` | what happens in small networks, event by event, as text |
//! | `presets`, `knobs` | presets of end systems, and the open choices of a document, in whole scenarios |
//! | `determinism` | the same bytes again, in slices, on other threads; fingerprints as text |
//! | `bad_input` | one clear message for each mistake |
//!
//! `LONGFAT_BLESS=1 cargo test` rewrites the expected texts; read the difference before committing it.

mod bad_input;
mod conformance;
mod determinism;
mod external_control;
mod hosts;
mod knobs;
mod laws;
mod presets;
mod recovery;
mod support;
mod trajectories;
mod transfer;
