//! Settings that depend on the levels of several factors.

use longfat_engine::config::{Document, Node, Parameter, Reader, Shape};
use longfat_engine::section;
use serde_json::Value as Json;

use crate::factors::Override;
use crate::sql::Sql;

section! {
    /// Settings for certain combinations of factor levels.
    ///
    /// Not checked by the engine here, because only SQL knows to which combinations they apply; the planner of the study checks them.
    pub struct Adjustment {
        /// Factor combinations to which it applies: an SQL expression over the factor columns.
        pub r#where: Condition,
        /// Settings applied there, after the levels: scenario paths with values.
        pub set: Settings,
        /// Reason.
        pub reason: String,
    }
}

impl Adjustment {
    /// Records the positions of condition and settings in the file.
    pub(crate) fn locate(&mut self, document: &Document) {
        self.r#where.0.locate(document);
        self.set.0.iter_mut().for_each(|change| change.locate(document));
    }
}

/// An SQL expression over the factor columns.
#[derive(Clone, Debug)]
pub struct Condition(Sql);

impl Parameter for Condition {
    fn shape() -> Shape {
        Shape::Text
    }

    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        Sql::read(node, reader, "an SQL condition over the factors, such as \"config = 'lan'\"").map(Self)
    }

    fn resolved(&self) -> Json {
        self.0.resolved()
    }
}

/// Scenario paths with values.
#[derive(Clone, Debug)]
pub struct Settings(pub Vec<Override>);

impl Parameter for Settings {
    fn shape() -> Shape {
        Shape::Map("scenario paths with values, such as \"port.policy.threshold\" = 0.8")
    }

    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        let settings = Override::read_table(node, reader)?;
        if settings.is_empty() {
            reader.reject(node, "sets nothing; expected scenario paths with values");
            return None;
        }
        Some(Self(settings))
    }

    fn resolved(&self) -> Json {
        self.0.iter().map(Override::resolved).collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::Study;
    use longfat_engine::config::Document;

    fn check(adjustment: &str) -> Result<serde_json::Value, Vec<String>> {
        let scenario = "schema_version = 1\nduration = \"1 s\"\n\
            topology = { kind = \"n-source\", access = { delay = \"5 us\" }, bottleneck = { delay = \"5 us\" } }\n\
            port = { buffer = \"1000 cells\" }\n";
        let study = format!(
            "schema_version = 1\ntitle = \"t\"\n[factors]\n\"topology.sources\" = [5, 15]\n[[adjust]]\n{adjustment}\n"
        );
        let scenario = Document::parse(scenario.as_bytes(), "scenario.toml").unwrap();
        Study::check(study.as_bytes(), "study.toml", &scenario).map(|study| study.to_json())
    }

    #[test]
    fn an_adjustment_keeps_the_places_of_its_condition_and_of_each_setting() {
        let study = check(
            "where = \"sources = 15\"\nset = { \"port.buffer\" = \"2000 cells\", duration = \"2 s\" }\nreason = \"r\"",
        )
        .unwrap();
        let expected = serde_json::json!([{
            "where": ["sources = 15", "study.toml:6:9"],
            "set": [
                ["port.buffer", "\"2000 cells\"", "study.toml:7:25"],
                ["duration", "\"2 s\"", "study.toml:7:50"],
            ],
            "reason": "r",
        }]);
        assert_eq!(study["adjustments"], expected);
    }

    #[test]
    fn an_adjustment_says_where_it_applies_what_it_sets_and_why() {
        let problems = check("where = \" \"\nset = {}").unwrap_err();
        assert_eq!(
            problems,
            [
                "study.toml:6:9: adjust[0].where: expected an SQL condition over the factors, such as \"config = 'lan'\"",
                "study.toml:7:7: adjust[0].set: sets nothing; expected scenario paths with values",
                "study.toml:5:1: adjust[0].reason: missing; expected a text",
            ]
        );
    }

    #[test]
    fn the_schema_knows_adjustments() {
        let adjustment = &Study::schema()["properties"]["adjust"]["items"];
        assert_eq!(adjustment["required"], serde_json::json!(["where", "set", "reason"]));
    }
}
