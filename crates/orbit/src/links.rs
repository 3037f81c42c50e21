//! Links of a path over satellites. To add a kind: a [`model!`](longfat_engine::model) here with a line in [`LINKS`], and its paths in
//! `python/longfat/orbits/links`.

use longfat_engine::model;
use longfat_engine::registry::{Entry, Family};

use crate::numbers::SightAltitude;

/// Every kind of links.
pub const LINKS: &[Entry<dyn Links>] = &[Entry::of::<BentPipe>(), Entry::of::<InterSatellite>()];

/// Kind of links that a path uses.
pub trait Links: Send {}

impl Family for dyn Links {
    const KIND: &'static str = "kind of links";
    type Context = ();
    fn models() -> &'static [Entry<Self>] {
        LINKS
    }
}

model! {
    /// Up to one satellite that both stations see, and down.
    #[name = "bent-pipe"]
    #[source = "ETSI TR 101 984 (transparent satellites)"]
    pub struct BentPipe: dyn Links {}
    build(_config, _context) { Box::new(Described) }
}

model! {
    /// Up, over links between satellites, and down: by the shortest way (Dijkstra). Each satellite has links to the next and the previous
    /// one in its plane, and to its neighbors in both adjacent planes ("+Grid").
    #[name = "isl"]
    #[source = "Bhattacherjee and Singla 2019 (Network topology design at 27,000 km/hour, CoNEXT); Handley 2018 (Delay is not an option, HotNets)"]
    pub struct InterSatellite: dyn Links {
        /// Lowest altitude of a line of sight between satellites, in km: below it the atmosphere is in the way.
        lowest_km: SightAltitude = "80.0",
    }
    build(_config, _context) { Box::new(Described) }
}

/// Links, of which only Python computes anything.
struct Described;

impl Links for Described {}
