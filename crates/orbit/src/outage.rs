//! Fate of packets while there is no path. To add a kind: a [`model!`](longfat_engine::model) here with a line in [`OUTAGES`], and
//! its columns in `python/longfat/schedules/orbit.py`.

use longfat_engine::model;
use longfat_engine::registry::{Entry, Family};
use longfat_engine::units::Rate;

/// Every kind of outage.
pub const OUTAGES: &[Entry<dyn Outage>] = &[Entry::of::<Lost>(), Entry::of::<Held>()];

/// Fate of packets while there is no path.
pub trait Outage: Send {}

impl Family for dyn Outage {
    const KIND: &'static str = "outage";
    type Context = ();
    fn models() -> &'static [Entry<Self>] {
        OUTAGES
    }
}

model! {
    /// All packets are lost: the schedule has a loss of 1.
    #[name = "lost"]
    #[source = "Kassing et al. 2020 (Hypatia, IMC)"]
    pub struct Lost: dyn Outage {}
    build(_config, _context) { Box::new(Described) }
}

model! {
    /// Packets wait for the end: the schedule has a rate of 0, and otherwise these rates.
    #[name = "held"]
    #[source = "Huston 2024 (A transport protocol's view of Starlink, APNIC)"]
    pub struct Held: dyn Outage {
        /// Rate from the first station to the second.
        rate_up: Rate,
        /// Rate from the second station to the first.
        rate_down: Rate,
    }
    build(_config, _context) { Box::new(Described) }
}

/// An outage, of which only Python computes anything.
struct Described;

impl Outage for Described {}
