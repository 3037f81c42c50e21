//! Responses: results that a study tabulates, with the source's numbers if it has any.

use longfat_engine::config::{
    Document, NearbyFile, Node, Parameter, Place, Probability, Reader, Shape, Value, did_you_mean, listed,
};
use longfat_engine::measure::Metrics;
use longfat_engine::section;
use serde_json::{Value as Json, json};

use crate::bound::Limits;
use crate::factors::Factors;

section! {
    /// A table of results: compared with the source's numbers, or alone if the source gives none.
    pub struct Response {
        /// Name of a metric of the run record, or of a completion time: "flow up to 100 kB p95_s".
        pub metric: String,
        /// CSV with the source's numbers, relative to the study's folder: factor columns, one column per metric.
        pub reference: NearbyFile = "",
        /// Used without a reference, if the source gives no numbers: factors, each with a list of its levels or "all". The table has a row
        /// for each combination of them; other factors are left as the scenario has them.
        pub rows: Rows = "{}",
        /// The table's name in the source.
        pub table: String = "",
        /// Title of the table.
        pub title: String = "",
        /// Factors without a column over whose levels each number is a mean. Ours is the mean over the design's combinations
        /// that have the row's levels.
        pub mean_over: Vec<String> = "[]",
        /// The factor of `rows` whose levels become columns, so that a row is a curve.
        pub across: String = "",
        /// Share of the result at the last level of `across` that is enough: the table names the first level that reaches it; none if 0.
        pub enough: Probability = "0",
        /// Ends of the metric's axis in plots, in the metric's unit; those of the values if empty.
        pub limits: Limits = "",
        /// Whether the metric's axis in plots is logarithmic.
        pub log: bool = "false",
    }
}

/// Factors with the levels for which a table has rows.
#[derive(Clone, Debug)]
pub struct Rows(Vec<(String, Levels)>);

/// Levels of a factor.
#[derive(Clone, Debug)]
enum Levels {
    All,
    Named(Vec<(String, Place)>),
}

impl Parameter for Rows {
    fn shape() -> Shape {
        Shape::Map("factors with lists of their levels, or \"all\", such as { config = [\"wan\"], sources = \"all\" }")
    }

    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        let Value::Table(entries) = &node.value else {
            reader.reject(node, format!("expected {}, found {}", Self::shape().expected(), node.describe()));
            return None;
        };
        let levels = entries.iter().map(|(key, node)| {
            let levels = reader.below(&key.name, |reader| Levels::read(node, reader))?;
            Some((key.name.clone(), levels))
        });
        levels.collect::<Vec<_>>().into_iter().collect::<Option<_>>().map(Self)
    }

    fn resolved(&self) -> Json {
        let levels = |levels: &Levels| match levels {
            Levels::All => Json::from("all"),
            Levels::Named(names) => names.iter().map(|(name, _)| name.as_str()).collect(),
        };
        Json::Object(self.0.iter().map(|(factor, chosen)| (factor.clone(), levels(chosen))).collect())
    }
}

impl Levels {
    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        match &node.value {
            Value::Text(text) if text == "all" => Some(Self::All),
            Value::Array(nodes) if !nodes.is_empty() => {
                Some(Self::Named(nodes.iter().map(|node| (level_name(node), node.place.clone())).collect()))
            }
            _ => {
                reader.reject(node, format!("expected \"all\" or a list of levels, found {}", node.describe()));
                None
            }
        }
    }
}

/// Name of a level that is written as a value.
fn level_name(node: &Node) -> String {
    match &node.value {
        Value::Text(text) => text.clone(),
        _ => node.to_fragment(),
    }
}

/// Reports errors of the responses, given the study's factors.
pub(crate) fn object(responses: &[Response], factors: &Factors, document: &Document, reader: &mut Reader) {
    let written = document.root.get("response").map(|node| &node.value);
    let Some(Value::Array(nodes)) = written else { return };
    for (response, node) in responses.iter().zip(nodes) {
        reader.below("response", |reader| response.object(node, factors, reader));
    }
}

impl Response {
    fn object(&self, node: &Node, factors: &Factors, reader: &mut Reader) {
        let known: Vec<&str> = factors.0.iter().map(|factor| factor.name.as_str()).collect();
        let here = |path: &str| &node.nearest(path).place;
        if !is_of_completions(&self.metric) {
            expect("metric", &self.metric, Metrics::NAMES, here("metric"), reader);
        }
        for (index, factor) in self.mean_over.iter().enumerate() {
            expect("factor", factor, &known, here(&format!("mean_over[{index}]")), reader);
        }
        self.object_to_rows(node, factors, reader);
        if self.reference.0.is_empty() == self.rows.0.is_empty() {
            reader.reject(
                node,
                "needs either a reference, the source's numbers, or rows, the levels to tabulate without",
            );
        }
        let columns: Vec<&str> = self.rows.0.iter().map(|(factor, _)| factor.as_str()).collect();
        if !self.across.is_empty() && !columns.contains(&self.across.as_str()) {
            let rows = if columns.is_empty() { "none".into() } else { listed(columns.iter().copied()) };
            reader.reject_at(here("across"), format!("\"{}\" is no factor of rows, which has {rows}", self.across));
        }
        if self.enough.0 > 0.0 && self.across.is_empty() {
            reader.reject_at(here("enough"), "says which level is enough, so it needs across, the factor of the level");
        }
        if self.log && [self.limits.low(), self.limits.high()].iter().flatten().any(|&limit| limit <= 0.0) {
            reader.reject_at(here("limits"), "limits of a logarithmic axis are above 0");
        }
    }

    fn object_to_rows(&self, node: &Node, factors: &Factors, reader: &mut Reader) {
        let known: Vec<&str> = factors.0.iter().map(|factor| factor.name.as_str()).collect();
        for (name, levels) in &self.rows.0 {
            let place = &node.nearest(&format!("rows.{name}")).place;
            expect("factor", name, &known, place, reader);
            if self.mean_over.contains(name) {
                reader.reject_at(place, format!("\"{name}\" is averaged over, so it has no rows"));
            }
            let (Levels::Named(chosen), Some(factor)) = (levels, factors.0.iter().find(|factor| factor.name == *name))
            else {
                continue;
            };
            let names: Vec<&str> = factor.levels.iter().map(|level| level.name.as_str()).collect();
            for (level, place) in chosen {
                expect(&format!("level of {name}"), level, &names, place, reader);
            }
        }
    }

    pub(crate) fn to_json(&self) -> Json {
        json!({
            "metric": self.metric,
            "reference": (!self.reference.0.is_empty()).then_some(&self.reference.0),
            "rows": self.rows.resolved(),
            "table": self.table,
            "title": self.title,
            "mean_over": self.mean_over,
            "across": (!self.across.is_empty()).then_some(&self.across),
            "enough": (self.enough.0 > 0.0).then_some(self.enough.0),
            "limits": [self.limits.low(), self.limits.high()],
            "log": self.log,
        })
    }
}

/// Statistics of completion times, the share completed, and the number completed over the median time.
const OF_COMPLETIONS: [&str; 7] = ["mean_s", "p50_s", "p90_s", "p95_s", "p99_s", "delivered_share", "power"];

/// True if a metric is such a statistic of a kind of request or flow: "flow up to 100 kB p95_s". Only runs know the kinds.
fn is_of_completions(metric: &str) -> bool {
    metric.rsplit_once(' ').is_some_and(|(kind, said)| !kind.trim().is_empty() && OF_COMPLETIONS.contains(&said))
}

/// Reports a name that is not among the known ones.
fn expect(what: &str, name: &str, known: &[&str], place: &Place, reader: &mut Reader) {
    if !known.contains(&name) {
        let (names, near) = (listed(known.iter().copied()), did_you_mean(name, known.iter().copied()));
        reader.reject_at(place, format!("unknown {what} \"{name}\"; known: {names}{near}"));
    }
}

#[cfg(test)]
mod tests {
    use crate::Study;
    use longfat_engine::config::Document;

    fn check(response: &str) -> Result<serde_json::Value, Vec<String>> {
        let scenario = "schema_version = 1\nduration = \"1 s\"\n\
            topology = { kind = \"n-source\", access = { delay = \"5 us\" }, bottleneck = { delay = \"5 us\" } }\n\
            port = { buffer = \"1000 cells\" }\n";
        let study = format!(
            "schema_version = 1\ntitle = \"t\"\n\
             factors = {{ \"topology.sources\" = [5, 15], \"port.policy\" = [\"epd\"] }}\n\
             [[response]]\n{response}\n"
        );
        let scenario = Document::parse(scenario.as_bytes(), "scenario.toml").unwrap();
        Study::check(study.as_bytes(), "study.toml", &scenario).map(|study| study.to_json()["responses"][0].clone())
    }

    #[test]
    fn a_table_without_numbers_says_which_levels_it_has() {
        let response = check(
            "metric = \"efficiency\"\nrows = { sources = [5, 15], policy = \"all\" }\nacross = \"sources\"\nenough = 0.98",
        )
        .unwrap();
        assert_eq!(response["reference"], serde_json::Value::Null);
        assert_eq!(response["rows"], serde_json::json!({ "sources": ["5", "15"], "policy": "all" }));
        assert_eq!((&response["across"], &response["enough"]), (&"sources".into(), &0.98.into()));
    }

    #[test]
    fn what_is_told_of_completions_can_be_tabulated_and_nothing_else_of_them() {
        for time in ["flow p95_s", "flow up to 100 kB mean_s", "page p50_s", "page delivered_share", "page power"] {
            let response = check(&format!("metric = \"{time}\"\nrows = {{ policy = \"all\" }}")).unwrap();
            assert_eq!(response["metric"], time);
        }
        for wrong in ["flow p97_s", "p95_s", " p95_s", "flow", "delivered_share"] {
            let problems = check(&format!("metric = \"{wrong}\"\nrows = {{ policy = \"all\" }}")).unwrap_err();
            assert!(problems[0].contains(&format!("unknown metric \"{wrong}\"")), "{problems:?}");
        }
    }

    #[test]
    fn a_table_with_numbers_needs_no_rows_and_has_no_curve() {
        let response = check("metric = \"efficiency\"\nreference = \"a.csv\"").unwrap();
        assert_eq!(response["reference"], "a.csv");
        assert!(response["across"].is_null() && response["enough"].is_null());
        assert_eq!((&response["limits"], &response["log"]), (&serde_json::json!([null, null]), &false.into()));
    }

    #[test]
    fn a_response_says_where_its_axis_ends_and_whether_it_is_logarithmic() {
        let with = |more: &str| check(&format!("metric = \"efficiency\"\nrows = {{ policy = \"all\" }}\n{more}"));
        let limits = |more: &str| with(more).unwrap()["limits"].clone();
        assert_eq!(limits("limits = \"between 0.5 and 1\""), serde_json::json!([0.5, 1.0]));
        assert_eq!(limits("limits = \">= 0\""), serde_json::json!([0.0, null]));
        assert_eq!(limits("limits = \"<= 1\"\nlog = true"), serde_json::json!([null, 1.0]));
        assert_eq!(with("log = true").unwrap()["log"], true);
    }

    #[test]
    fn every_slip_of_a_response_is_told_with_its_place() {
        for (response, expected) in [
            ("metric = \"fairnes\"\nreference = \"a\"", "5:10: response: unknown metric \"fairnes\""),
            (
                "metric = \"fairness\"\nreference = \"a\"\nmean_over = [\"sources\", \"sorces\"]",
                "7:25: response: unknown factor \"sorces\"; known: \"sources\", \"policy\"; did you mean \"sources\"?",
            ),
            ("metric = \"fairness\"", "4:1: response: needs either a reference"),
            (
                "metric = \"fairness\"\nreference = \"a\"\nrows = { sources = [5] }",
                "4:1: response: needs either a reference",
            ),
            ("metric = \"fairness\"\nrows = { sorces = [5] }", "6:19: response: unknown factor \"sorces\""),
            (
                "metric = \"fairness\"\nrows = { sources = [5, 6] }",
                "6:24: response: unknown level of sources \"6\"; known: \"5\", \"15\"",
            ),
            (
                "metric = \"fairness\"\nrows = { sources = 5 }",
                "6:20: response[0].rows.sources: expected \"all\" or a list of levels, found the number 5",
            ),
            (
                "metric = \"fairness\"\nrows = { sources = \"all\" }\nmean_over = [\"sources\"]",
                "6:20: response: \"sources\" is averaged over, so it has no rows",
            ),
            (
                "metric = \"fairness\"\nrows = { sources = \"all\" }\nacross = \"policy\"",
                "7:10: response: \"policy\" is no factor of rows, which has \"sources\"",
            ),
            (
                "metric = \"fairness\"\nrows = { sources = \"all\" }\nenough = 0.9",
                "7:10: response: says which level is enough, so it needs across",
            ),
            (
                "metric = \"fairness\"\nrows = { sources = \"all\" }\nlimits = \"== 1\"",
                "7:10: response[0].limits: expected limits: \"between\" a number \"and\" a larger one, or \">=\" or \"<=\" and \
                 a number, such as \"between 0.5 and 1\", found the text \"== 1\"",
            ),
            (
                "metric = \"fairness\"\nrows = { sources = \"all\" }\nlimits = \">= 0\"\nlog = true",
                "7:10: response: limits of a logarithmic axis are above 0",
            ),
        ] {
            let problems = check(response).unwrap_err();
            let expected = format!("study.toml:{expected}");
            assert!(problems.iter().any(|problem| problem.starts_with(&expected)), "{expected}: {problems:#?}");
        }
    }
}
