//! Attenuation as measured, with adaptive coding and modulation.

use longfat_foundation::config::Decibels;
use longfat_foundation::units::Span;

use super::coding::{Coding, level_of};
use super::modcod::Codes;
use super::table::{Columns, Row, Table};
use super::{Path, PathContext, Step};

longfat_foundation::model! {
    /// A table of attenuation, measured or made up. Adaptive coding and modulation follows it, as in `rain`.
    #[name = "attenuation"]
    #[source = "a table of the user's; ETSI EN 302 307-1 table 13; ETSI EN 302 307-2 table 20a"]
    pub struct Attenuation: dyn Path {
        /// CSV with the columns time_s and attenuation_db, the attenuation from that time on. Before the first row it is as there.
        steps: Table<Decibel>,
        /// Codes of the carrier.
        codes: Codes = "dvb-s2",
        /// Es/N0 under a clear sky.
        clear_sky: Decibels = "15 dB",
        /// Margin: the attenuation that the chosen code must withstand beyond the known one.
        margin: Decibels = "1 dB",
        /// Attenuation beyond the margin that a more efficient code must withstand before the sender returns to it.
        hysteresis: Decibels = "0.5 dB",
        /// Age of the sender's knowledge: the receiver measures, reports over the satellite, and the frame crosses the satellite again.
        reaction: Span = "600 ms",
    }
    build(config, context) { Box::new(Measured { config: config.clone(), context: context.clone() }) }
    objections(config, _context) {
        let mut objections = Vec::new();
        if let Some(message) = config.coding().object_to_clear_sky() {
            objections.push(("clear_sky", message));
        }
        if config.steps.rows().iter().any(|row| row.values[0].is_none()) {
            objections.push(("steps", "no column \"attenuation_db\"".into()));
        }
        objections
    }
}

/// The column of attenuation.
#[derive(Clone, Debug)]
pub struct Decibel;

impl Columns for Decibel {
    const NAMES: &'static [&'static str] = &["attenuation_db"];
    const LARGEST: &'static [f64] = &[100.0];
    const EXPECTED: &'static str = "CSV with the columns time_s and attenuation_db";
    const EXAMPLE: &'static str = "time_s,attenuation_db\n0,0\n5,3.5";
}

impl Attenuation {
    fn coding(&self) -> Coding {
        let Self { codes, clear_sky, margin, hysteresis, reaction, .. } = self;
        Coding { codes: *codes, clear_sky: *clear_sky, margin: *margin, hysteresis: *hysteresis, reaction: *reaction }
    }
}

struct Measured {
    config: Attenuation,
    context: PathContext,
}

impl Path for Measured {
    fn steps(&self) -> Vec<Step> {
        let sample = |row: &Row| (row.time, level_of(row.values[0].unwrap_or_default()));
        let samples: Vec<_> = self.config.steps.rows().iter().map(sample).collect();
        self.config.coding().steps(&self.context, &samples)
    }

    fn samples(&self) -> u64 {
        self.config.steps.rows().len() as u64
    }
}
