//! Precision of means at which a study stops adding replications.

use longfat_engine::config::{
    Document, Node, Parameter, Place, PositiveNumber, Reader, Shape, Value, did_you_mean, listed,
};
use longfat_engine::measure::Metrics;
use longfat_engine::section;
use serde_json::{Value as Json, json};

/// Smallest number of replications: fewer estimate their spread too poorly for a rule that stops when it is small.
const FEWEST: u64 = 5;

section! {
    /// Sequential stopping rule: a study ends after the first n replications, from `fewest` to the design's `replications`, with which
    /// every factor combination has the required precision by its replications 1 to n.
    pub struct Precision {
        /// Metrics, each with the half-width that the confidence interval of its mean may have (Student's t): a number, or a
        /// percentage of the mean. With none the design's replications are run, no fewer.
        pub half_width: HalfWidths = "{}",
        /// Confidence of the intervals.
        pub confidence: Confidence = "0.9",
        /// The first n that may be enough, at least 5: with less than 10, stopping early costs the intervals some confidence.
        pub fewest: u64 = "10",
    }
}

/// A number in (0, 1).
#[derive(Clone, Copy, Debug)]
pub struct Confidence(f64);

/// Metrics with their required half-widths.
#[derive(Clone, Debug)]
pub struct HalfWidths(Vec<Target>);

/// Required half-width of a metric: in its unit, or as a share of its mean.
#[derive(Clone, Debug)]
struct Target {
    metric: String,
    half_width: f64,
    is_relative: bool,
    place: Place,
}

impl Parameter for Confidence {
    fn shape() -> Shape {
        Shape::Probability
    }

    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        match node.value {
            Value::Float(share) if share > 0.0 && share < 1.0 => Some(Self(share)),
            _ => {
                reader
                    .reject(node, format!("expected a number between 0 and 1, such as 0.9, found {}", node.describe()));
                None
            }
        }
    }

    fn resolved(&self) -> Json {
        self.0.into()
    }
}

impl Parameter for HalfWidths {
    fn shape() -> Shape {
        Shape::Map("metrics, each with a number or a percentage, such as { efficiency = 0.01, fairness = \"5 %\" }")
    }

    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        let Value::Table(entries) = &node.value else {
            reader.reject(node, format!("expected {}, found {}", Self::shape().expected(), node.describe()));
            return None;
        };
        let targets = entries
            .iter()
            .map(|(key, node)| reader.below(&key.name, |reader| Target::read(&key.name, &key.place, node, reader)));
        targets.collect::<Vec<_>>().into_iter().collect::<Option<_>>().map(Self)
    }

    fn resolved(&self) -> Json {
        let target = |target: &Target| json!({ "metric": target.metric, "half_width": target.half_width, "is_relative": target.is_relative });
        self.0.iter().map(target).collect()
    }
}

impl Target {
    fn read(metric: &str, place: &Place, node: &Node, reader: &mut Reader) -> Option<Self> {
        let (half_width, is_relative) = match &node.value {
            Value::Text(text) => {
                let percent = text.trim().strip_suffix('%').and_then(|number| number.trim().parse::<f64>().ok());
                (percent.filter(|percent| percent.is_finite() && *percent > 0.0).map(|percent| percent / 100.0), true)
            }
            Value::Integer(_) | Value::Float(_) => (Some(PositiveNumber::read(node, reader)?.0), false),
            _ => (None, false),
        };
        if half_width.is_none() {
            let found = node.describe();
            reader.reject(node, format!("expected a number above 0 or a percentage such as \"5 %\", found {found}"));
        }
        Some(Self { metric: metric.into(), half_width: half_width?, is_relative, place: place.clone() })
    }
}

impl Precision {
    /// Reports errors that keep a design of `replications` replications from reaching the precision.
    pub(crate) fn object(&self, replications: u64, document: &Document, reader: &mut Reader) {
        for target in &self.half_width.0 {
            if !Metrics::NAMES.contains(&target.metric.as_str()) {
                let known = || Metrics::NAMES.iter().copied();
                let near = did_you_mean(&target.metric, known());
                let message = format!("unknown metric \"{}\"; known: {}{near}", target.metric, listed(known()));
                reader.reject_at(&target.place, message);
            }
        }
        let mut reject = |path: &str, message: String| reader.reject_path(&document.root, path, message);
        if self.fewest < FEWEST {
            let message = format!("{} replications say too little about their spread; at least {FEWEST}", self.fewest);
            reject("design.precision.fewest", message);
        }
        if !self.half_width.0.is_empty() && replications < self.fewest {
            let message = format!(
                "with a precision, replications is their maximum: at least {}, found {replications}",
                self.fewest
            );
            reject("design.replications", message);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::Study;
    use longfat_engine::config::Document;

    fn check(design: &str) -> Result<serde_json::Value, Vec<String>> {
        let scenario = "schema_version = 1\nduration = \"1 s\"\n\
            topology = { kind = \"n-source\", sources = 5, access = { delay = \"5 us\" }, bottleneck = { delay = \"5 us\" } }\n\
            port = { buffer = \"1000 cells\" }\n";
        let scenario = Document::parse(scenario.as_bytes(), "scenario.toml").unwrap();
        let study = format!("schema_version = 1\ntitle = \"t\"\nfactors = {{}}\n[design]\n{design}\n");
        Study::check(study.as_bytes(), "study.toml", &scenario)
            .map(|study| study.to_json()["design"]["precision"].clone())
    }

    #[test]
    fn a_half_width_is_a_number_or_a_share_of_the_mean() {
        let precision =
            check("replications = 40\nprecision = { half_width = { efficiency = 0.01, fairness = \"5 %\" } }").unwrap();
        let expected = serde_json::json!({
            "half_width": [
                { "metric": "efficiency", "half_width": 0.01, "is_relative": false },
                { "metric": "fairness", "half_width": 0.05, "is_relative": true },
            ],
            "confidence": 0.9,
            "fewest": 10,
        });
        assert_eq!(precision, expected);
    }

    #[test]
    fn without_half_widths_nothing_is_asked_for() {
        assert_eq!(check("replications = 2").unwrap()["half_width"], serde_json::json!([]));
    }

    #[test]
    fn every_slip_of_a_precision_is_told_with_its_place() {
        for (design, expected) in [
            (
                "replications = 9\nprecision = { half_width = { efficency = 0.01 } }",
                "study.toml:6:30: design.precision: unknown metric \"efficency\"; known: ",
            ),
            (
                "replications = 9\nprecision = { half_width = { efficiency = \"5\" } }",
                "study.toml:6:43: design.precision.half_width.efficiency: expected a number above 0 or a percentage",
            ),
            (
                "replications = 9\nprecision = { half_width = { efficiency = -1 } }",
                "study.toml:6:43: design.precision.half_width.efficiency: expected a number above 0",
            ),
            (
                "replications = 9\nprecision = { confidence = 1 }",
                "study.toml:6:28: design.precision.confidence: expected a number between 0 and 1",
            ),
            (
                "replications = 9\nprecision = { fewest = 2 }",
                "study.toml:6:24: design.precision.fewest: 2 replications say too little about their spread; at least 5",
            ),
            (
                "replications = 4\nprecision = { half_width = { efficiency = 1 } }",
                "study.toml:5:16: design.replications: with a precision, replications is their maximum: at least",
            ),
        ] {
            let problems = check(design).unwrap_err();
            assert!(problems.iter().any(|problem| problem.starts_with(expected)), "{expected}: {problems:#?}");
        }
    }
}
