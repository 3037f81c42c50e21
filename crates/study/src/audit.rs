//! The audit of a study: alternatives to what its source leaves open.
//!
//! The engine declares the knobs, with alternatives, that the study leaves at their defaults; the study file only has what goes beyond
//! them.

use longfat_engine::config::{Document, Node, Parameter, Place, Reader, Shape, Value};
use longfat_engine::section;
use serde_json::{Value as Json, json};

use crate::adjustment::Settings;
use crate::factors::origin;
use crate::file::Quick;
use crate::sql::Where;

section! {
    /// Variations of an audit besides the knobs that the study leaves at their defaults, and exclusions.
    pub struct Audit {
        /// Knobs that are varied although the study sets them, because its source does not state them either: scenario paths.
        pub vary: Named = "{}",
        /// Knobs that are not varied: scenario paths, each with the reason.
        pub keep: Named = "{}",
        /// Readings of the source that are no alternatives of a single knob.
        pub reading: Vec<Reading> = "[]",
        /// The size at which a first audit is run; the study's own quick size if this names no factor combinations.
        pub quick: Quick = "{}",
    }
}

section! {
    /// An alternative reading of the source.
    pub struct Reading {
        /// Subject of the reading; readings of the same knob are alternatives to each other.
        pub knob: String,
        /// Name of the alternative to the study's reading. Entries of the same knob and name are one alternative, each for the combinations of its
        /// condition.
        pub r#as: String,
        /// Factor combinations to which it applies: an SQL expression over the factor columns; all if empty.
        pub r#where: Where = "",
        /// Settings applied there, after levels and adjustments: scenario paths with values.
        pub set: Settings,
        /// Reason for the reading.
        pub reason: String,
    }
}

impl Audit {
    /// Records the positions of all entries in the file.
    pub(crate) fn locate(&mut self, document: &Document) {
        for named in [&mut self.vary, &mut self.keep] {
            named.0.iter_mut().for_each(|entry| entry.origin = origin(&entry.place, document));
        }
        for reading in &mut self.reading {
            reading.r#where.locate(document);
            reading.set.0.iter_mut().for_each(|change| change.locate(document));
        }
    }

    /// The section as JSON; `quick` is the study's own quick size.
    pub(crate) fn to_json(&self, quick: &Quick) -> Json {
        let reading = |reading: &Reading| {
            json!({
                "knob": reading.knob,
                "as": reading.r#as,
                "where": reading.r#where.resolved(),
                "set": reading.set.resolved(),
                "reason": reading.reason,
            })
        };
        json!({
            "vary": self.vary.resolved(),
            "keep": self.keep.resolved(),
            "readings": self.reading.iter().map(reading).collect::<Vec<_>>(),
            "quick": if self.quick.r#where.is_empty() { quick } else { &self.quick }.to_json(),
        })
    }
}

/// Scenario paths, each with a text about it and its position in the file.
#[derive(Clone, Debug)]
pub struct Named(Vec<Entry>);

#[derive(Clone, Debug)]
struct Entry {
    path: String,
    reason: String,
    origin: String,
    place: Place,
}

impl Parameter for Named {
    fn shape() -> Shape {
        Shape::Map(
            "scenario paths of knobs, each with a reason, such as \"tcp.sack_blocks\" = \"no flavor here has SACK\"",
        )
    }

    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        let Value::Table(entries) = &node.value else {
            reader.reject(node, format!("expected {}, found {}", Self::shape().expected(), node.describe()));
            return None;
        };
        let mut named = Vec::new();
        for (key, node) in entries {
            let reason = reader.below(&format!("\"{}\"", key.name), |reader| String::read(node, reader))?;
            named.push(Entry { path: key.name.clone(), reason, origin: String::new(), place: key.place.clone() });
        }
        Some(Self(named))
    }

    fn resolved(&self) -> Json {
        self.0.iter().map(|entry| json!([entry.path, entry.reason, entry.origin])).collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::Study;
    use longfat_engine::config::Document;

    fn check(audit: &str) -> Result<serde_json::Value, Vec<String>> {
        let scenario = "schema_version = 1\nduration = \"1 s\"\n\
            topology = { kind = \"n-source\", sources = 5, access = { delay = \"5 us\" }, bottleneck = { delay = \"5 us\" } }\n\
            port = { buffer = \"1000 cells\" }\n";
        let study = format!("schema_version = 1\ntitle = \"t\"\nfactors = {{}}\n{audit}\n");
        let scenario = Document::parse(scenario.as_bytes(), "scenario.toml").unwrap();
        Study::check(study.as_bytes(), "study.toml", &scenario).map(|study| study.to_json()["audit"].clone())
    }

    #[test]
    fn an_audit_keeps_the_places_of_all_that_is_judged_later() {
        let audit = check(
            "[audit]\nvary.\"tcp.timer_phase\" = \"ours\"\nkeep = { \"tcp.sack_blocks\" = \"no SACK\" }\n[[audit.reading]]\n\
             knob = \"ticks\"\nas = \"500 ms\"\nwhere = \"config = 'lan'\"\nset = { \"tcp.timer_granularity\" = \"500 ms\" }\nreason = \"r\"",
        )
        .unwrap();
        assert_eq!(audit["vary"], serde_json::json!([["tcp.timer_phase", "ours", "study.toml:5:6"]]));
        assert_eq!(audit["keep"], serde_json::json!([["tcp.sack_blocks", "no SACK", "study.toml:6:10"]]));
        let reading = &audit["readings"][0];
        assert_eq!(reading["where"], serde_json::json!(["config = 'lan'", "study.toml:10:9"]));
        assert_eq!(reading["set"][0][2], "study.toml:11:35");
        assert_eq!(audit["quick"], serde_json::json!({ "replications": 1, "where": null }));
    }

    #[test]
    fn a_reading_says_of_what_and_as_what_and_why() {
        let problems = check("[[audit.reading]]\nknob = \"ticks\"\nset = {}").unwrap_err();
        assert_eq!(
            problems,
            [
                "study.toml:4:1: audit.reading[0].as: missing; expected a text",
                "study.toml:6:7: audit.reading[0].set: sets nothing; expected scenario paths with values",
                "study.toml:4:1: audit.reading[0].reason: missing; expected a text",
            ]
        );
    }

    #[test]
    fn a_path_needs_a_reason() {
        let problems = check("[audit]\nkeep = [\"tcp.sack_blocks\"]").unwrap_err();
        assert!(
            problems[0].starts_with("study.toml:5:8: audit.keep: expected a table of scenario paths"),
            "{problems:?}"
        );
    }
}
