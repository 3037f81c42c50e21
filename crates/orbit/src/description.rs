//! Declaration of the description of orbits.

use std::collections::BTreeSet;

use longfat_engine::config::{Document, Node, Parameter, PositiveSpan, Reader, document_schema};
use longfat_engine::registry::Chosen;
use longfat_engine::scenario::SchemaVersion;
use longfat_engine::section;
use longfat_engine::units::Span;
use serde_json::Value as Json;

use crate::handover::Handover;
use crate::links::Links;
use crate::numbers::{ClockDifference, Elevation, SlantRange};
use crate::outage::Outage;
use crate::shells::Shell;
use crate::stations::Station;
use crate::utc::Instant;

/// Most steps of a schedule; more are taken for a mistake.
const MOST_STEPS: u64 = 1_000_000;
/// Most ground stations and shells; more are taken for a mistake.
const MOST_LISTED: usize = 1_000;
/// Every choice is at the same place of each hour.
const HOUR: Span = Span(3_600_000_000_000_000);

section! {
    /// Satellites and ground stations, of which `longfat schedule from-orbit` computes delays and outages.
    pub struct Orbit {
        /// Version of this format: 1.
        pub schema_version: SchemaVersion,
        /// Seed of what is drawn.
        pub seed: u64 = "1",
        /// The instant at which the schedule begins.
        pub epoch: Instant,
        /// Length of the schedule.
        pub duration: PositiveSpan = "10 min",
        /// Time from one row of the schedule to the next.
        pub step: PositiveSpan = "1 s",
        /// UT1 - UTC at the epoch, in seconds, as IERS Bulletin A has it: how much farther the Earth has turned. At the equator 0.1 s are
        /// 47 m, or 0.16 us of delay.
        pub ut1_minus_utc_s: ClockDifference = "0.0",
        /// The satellites.
        pub shells: Vec<Chosen<dyn Shell>>,
        /// The ground stations.
        pub stations: Vec<Station>,
        /// How a path leads over satellites.
        pub links: Chosen<dyn Links> = "bent-pipe",
        /// Lowest elevation at which a station uses a satellite, in degrees. Starlink's terminals: 25 (FCC filing SAT-MOD-20200417-00037).
        pub mask_deg: Elevation = "25.0",
        /// Largest distance of a satellite that a station uses, in km: another limit than an elevation, used in its place by Hypatia.
        pub longest_km: SlantRange = "100000.0",
        /// Choice of satellites: times, and the rule.
        pub handover: Handover = "{}",
        /// Fate of packets while there is no path.
        pub outage: Chosen<dyn Outage> = "lost",
        /// Delay beside that of orbits, from the first station to the second: in terminals, in gateways and on the ground.
        pub added_up: Span = "0 s",
        /// Delay beside that of orbits, from the second station to the first.
        pub added_down: Span = "0 s",
    }
}

impl Orbit {
    /// Validates a description; files that it names are left to the program that reads them.
    ///
    /// # Errors
    /// One line per problem, all at once.
    pub fn check(bytes: &[u8], source: &str) -> Result<Self, Vec<String>> {
        let document = Document::parse(bytes, source)?;
        let mut reader = Reader::default();
        let orbit = <Self as Parameter>::read(&document.root, &mut reader);
        if let Some(orbit) = &orbit {
            orbit.object(&document.root, &mut reader);
        }
        match orbit {
            Some(orbit) if reader.problems.is_empty() => Ok(orbit),
            _ => Err(document.report(&reader.problems)),
        }
    }

    /// The description as JSON, with every default and times in base units.
    #[must_use]
    pub fn to_json(&self) -> Json {
        self.resolved()
    }

    /// JSON Schema of descriptions.
    #[must_use]
    pub fn schema() -> Json {
        document_schema("longfat orbit", &Self::fields())
    }

    /// Reports errors that concern several parameters.
    fn object(&self, root: &Node, reader: &mut Reader) {
        let mut object = |path: &str, message: String| reader.reject_path(root, path, message);
        let steps = self.duration.0.0 / self.step.0.0;
        if steps == 0 {
            object("duration", "shorter than a step".into());
        }
        if steps > MOST_STEPS {
            object("step", format!("{steps} steps in the duration; at most {MOST_STEPS} are computed"));
        }
        if self.shells.is_empty() || self.shells.len() > MOST_LISTED {
            object("shells", format!("{} shells; expected 1 to {MOST_LISTED}", self.shells.len()));
        }
        if self.stations.len() < 2 || self.stations.len() > MOST_LISTED {
            object("stations", format!("{} ground stations; expected 2 to {MOST_LISTED}", self.stations.len()));
        }
        let mut names = BTreeSet::new();
        for (index, station) in self.stations.iter().enumerate() {
            let path = format!("stations[{index}].name");
            if station.name.trim().is_empty() {
                object(&path, "expected a name".into());
            } else if !names.insert(station.name.as_str()) {
                object(&path, format!("a second station with the name \"{}\"", station.name));
            }
        }
        let Handover { every, offset, gap, .. } = &self.handover;
        if every.0 > 0 && !(HOUR.0.is_multiple_of(every.0) && every.0.is_multiple_of(self.step.0.0)) {
            object("handover.every", "must be a multiple of the step, and divide an hour".into());
        }
        if offset.0 > 0 && (*offset >= *every || !offset.0.is_multiple_of(self.step.0.0)) {
            object("handover.offset", "must be shorter than every, and a multiple of the step".into());
        }
        if *gap >= self.step.0 {
            object("handover.gap", "must be shorter than the step".into());
        }
        let path_of = |key: &str, span: Span| (span > LONGEST).then(|| (key.to_owned(), "more than 30 s".to_owned()));
        for (path, message) in
            path_of("added_up", self.added_up).into_iter().chain(path_of("added_down", self.added_down))
        {
            object(&path, message);
        }
    }
}

/// Longest delay beside that of orbits; a schedule has delays of up to a minute.
const LONGEST: Span = Span(30_000_000_000_000);

#[cfg(test)]
mod tests {
    use super::Orbit;

    const GOOD: &str = "schema_version = 1\nepoch = \"2026-11-27T12:00:00Z\"\n\
        [[shells]]\nkind = \"walker\"\nwalker = \"53: 1584/72/17\"\naltitude_km = 550\n\
        [[stations]]\nname = \"London\"\nlatitude_deg = 51.5\nlongitude_deg = -0.1\n\
        [[stations]]\nname = \"Paris\"\nlatitude_deg = 48.9\nlongitude_deg = 2.4\nmask_deg = 40\n";

    fn refusal(text: &str) -> String {
        Orbit::check(text.as_bytes(), "orbit.toml").map(|orbit| orbit.to_json()).unwrap_err().join("\n")
    }

    #[test]
    fn a_description_has_every_default_in_base_units() {
        let orbit = Orbit::check(GOOD.as_bytes(), "orbit.toml").unwrap().to_json();
        assert_eq!(orbit["step_ps"], 1_000_000_000_000_u64);
        assert_eq!(orbit["shells"][0]["walker"]["planes"], 72);
        assert_eq!(orbit["shells"][0]["motion"], "sgp4");
        assert_eq!(orbit["handover"]["rule"], "nearest");
        assert_eq!((&orbit["links"]["kind"], &orbit["outage"]["kind"]), (&"bent-pipe".into(), &"lost".into()));
        assert_eq!(orbit["stations"][1]["mask_deg"], 40.0);
        assert_eq!(orbit["stations"][0].get("mask_deg"), None);
    }

    #[test]
    fn every_slip_is_told_with_its_place() {
        let first = |line: &str| GOOD.replacen("[[shells]]", &format!("{line}\n[[shells]]"), 1);
        for (text, expected) in [
            (first("duration = \"0 s\""), "orbit.toml:3:12: duration: must be more than zero"),
            (first("duration = \"1 ms\""), "orbit.toml:3:12: duration: shorter than a step"),
            (first("step = \"1 us\""), "orbit.toml:3:8: step: 600000000 steps in the duration; at most 1000000"),
            (first("mask_deg = 91"), "orbit.toml:3:12: mask_deg: expected a number from 0 to 90, found the number 91"),
            (first("mask_deg = nan"), "orbit.toml:3:12: mask_deg: expected a number from 0 to 90"),
            (first("longest_km = inf"), "orbit.toml:3:14: longest_km: expected a number from 1 to 100000"),
            (first("handover = { every = \"7 s\" }"), "handover.every: must be a multiple of the step, and divide"),
            (
                first("handover = { every = \"15 s\", offset = \"15 s\" }"),
                "handover.offset: must be shorter than every",
            ),
            (first("handover = { gap = \"1 s\" }"), "handover.gap: must be shorter than the step"),
            (first("handover = { rule = \"nearst\" }"), "handover.rule: unknown choice \"nearst\"; known: "),
            (first("links = \"laser\""), "links: unknown kind of links \"laser\"; known: \"bent-pipe\", \"isl\""),
            (first("outage = \"held\""), "outage.rate_up: missing; expected a rate"),
            (first("added_up = \"31 s\""), "added_up: more than 30 s"),
            (
                GOOD.replace("51.5", "91"),
                "stations[0].latitude_deg: expected a number from -90 to 90, found the number 91",
            ),
            (GOOD.replace("Paris", "London"), "stations[1].name: a second station with the name \"London\""),
            (GOOD.replace("Paris", " "), "stations[1].name: expected a name"),
            (GOOD.replace("1584/72/17", "0/0/0"), "shells[0].walker: 0 satellites; expected 1 to 100000"),
            (GOOD.replace("550", "50"), "shells[0].altitude_km: expected a number from 150 to 50000"),
            (GOOD.replace("\"walker\"", "\"tle\""), "shells[0].file: missing"),
            (GOOD.replace("2026-11-27", "2026-11-31"), "epoch: expected an instant in UTC from 1957 to 2056"),
            (GOOD.split("[[stations]]").next().unwrap().to_owned(), "stations: missing"),
        ] {
            let told = refusal(&text);
            assert!(told.contains(expected), "{text}\n{told}");
        }
    }
}
