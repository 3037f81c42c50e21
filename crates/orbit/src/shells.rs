//! Shells: satellites with orbits of one kind. To add a kind: a [`model!`](longfat_engine::model) here with a line in [`SHELLS`], and its
//! satellites in `python/longfat/orbits/shells`.

use longfat_engine::config::NearbyFile;
use longfat_engine::registry::{Entry, Family};
use longfat_engine::{choice, model};

use crate::numbers::{Angle, OrbitAltitude};
use crate::walker::Walker;

/// Every kind of shell.
pub const SHELLS: &[Entry<dyn Shell>] = &[Entry::of::<WalkerShell>(), Entry::of::<ElementSets>()];

/// Satellites that are described together.
pub trait Shell: Send {}

impl Family for dyn Shell {
    const KIND: &'static str = "shell";
    type Context = ();
    fn models() -> &'static [Entry<Self>] {
        SHELLS
    }
}

choice! {
    /// Right ascensions over which the planes of a shell are spread.
    pub enum Spread {
        /// 360 degrees: Walker's delta pattern, as Starlink and Kuiper are.
        Delta = "delta",
        /// 180 degrees: Walker's star pattern, as Iridium and OneWeb are. No links cross the seam, where neighbors meet head-on.
        Star = "star",
    }
}

choice! {
    /// How satellites of adjacent planes are shifted against each other.
    pub enum Phasing {
        /// By the f of Walker's notation: f x 360/t degrees from each plane to the next.
        Walker = "walker",
        /// Every second plane by half of the spacing within a plane, as in Hypatia; f counts for nothing.
        Alternating = "alternating",
    }
}

choice! {
    /// How satellites move.
    pub enum Motion {
        /// By SGP4 without drag: the Earth's oblateness turns the planes, as it does real ones.
        Sgp4 = "sgp4",
        /// By Kepler's laws around a spherical Earth.
        Kepler = "kepler",
    }
}

model! {
    /// Circular orbits of one altitude and inclination, with as many satellites in each plane.
    #[name = "walker"]
    #[source = "Walker 1984 (Satellite constellations, J. British Interplanetary Society 37)"]
    pub struct WalkerShell: dyn Shell {
        /// Inclination in degrees, satellites, planes and phasing.
        walker: Walker,
        /// Altitude above the equator, in km; of the mean motion by Kepler's third law.
        altitude_km: OrbitAltitude,
        /// Right ascensions over which the planes are spread.
        pattern: Spread = "delta",
        /// Shift between satellites of adjacent planes.
        phasing: Phasing = "walker" or ["alternating"],
        /// Right ascension of the first plane's ascending node at the epoch, in degrees.
        first_node_deg: Angle = "0.0",
        /// Distance of the first satellite from the ascending node at the epoch, in degrees.
        first_satellite_deg: Angle = "0.0",
        /// How the satellites move.
        motion: Motion = "sgp4" or ["kepler"],
    }
    build(_config, _context) { Box::new(Described) }
}

model! {
    /// Satellites of a file with two-line element sets (TLE), with or without a line for the name of each. They move by SGP4.
    #[name = "tle"]
    #[source = "Hoots and Roehrich 1980 (Spacetrack Report 3); Vallado et al. 2006 (AIAA 2006-6753)"]
    pub struct ElementSets: dyn Shell {
        /// The file, in the folder of the description.
        file: NearbyFile,
    }
    build(_config, _context) { Box::new(Described) }
}

/// A shell, of which only Python computes anything.
struct Described;

impl Shell for Described {}
