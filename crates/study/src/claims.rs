//! Claims of a study: statements of a source, and how runs decide them.

use std::collections::BTreeSet;

use longfat_engine::config::{Document, Node, Parameter, Reader, Shape, Value, document_schema};
use longfat_engine::scenario::SchemaVersion;
use longfat_engine::{choice, section};
use serde_json::Value as Json;

use crate::bound::Bound;
use crate::sql::Sql;

choice! {
    /// How the source's own numbers decide a claim.
    pub enum InPaper {
        /// The measure is computed from the source's numbers in place of runs.
        Measured = "measured",
        /// It holds by the source's numbers, but the measure cannot be computed from them; `note` says how.
        Holds = "holds",
        /// It fails by the source's numbers, but the measure cannot be computed from them; `note` says how.
        Fails = "fails",
        /// The source prints no numbers that decide it.
        NotPrinted = "not-printed",
    }
}

section! {
    /// A statement of a source, as a number and a bound.
    pub struct Claim {
        /// Identifier.
        pub id: String,
        /// Section of the source that states it.
        pub section: String = "",
        /// The statement.
        pub statement: String,
        /// One SQL SELECT that yields one number, over the tables `runs`, `deterministic` and `reference`.
        pub measure: Measure,
        /// Values of that number for which the claim holds.
        pub holds: Bound,
        /// How the source's own numbers decide the claim.
        pub in_paper: InPaper = "measured",
        /// Remarks: how the words became a number, reasons for doubt.
        pub note: String = "",
    }
}

section! {
    /// Statements of a study's source, each with the number and the bound that decide it.
    pub struct Claims {
        /// Version of this format: 1.
        pub schema_version: SchemaVersion,
        /// The statements.
        pub claim: Vec<Claim>,
    }
}

/// An SQL query that yields one number.
#[derive(Clone, Debug)]
pub struct Measure(Sql);

impl Parameter for Measure {
    fn shape() -> Shape {
        Shape::Text
    }

    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        Sql::read(node, reader, "an SQL SELECT of one number, such as \"SELECT min(efficiency) FROM runs\"").map(Self)
    }

    fn resolved(&self) -> Json {
        self.0.resolved()
    }
}

impl Claims {
    /// Validates a file of claims; the meaning of their SQL is left to the program that executes it.
    ///
    /// # Errors
    /// One line per problem, all at once.
    pub fn check(bytes: &[u8], source: &str) -> Result<Self, Vec<String>> {
        let document = Document::parse(bytes, source)?;
        let mut reader = Reader::default();
        let mut claims = <Self as Parameter>::read(&document.root, &mut reader);
        if let Some(claims) = &mut claims {
            claims.claim.iter_mut().for_each(|claim| claim.measure.0.locate(&document));
        }
        object(&document.root, &mut reader);
        match claims {
            Some(claims) if reader.problems.is_empty() => Ok(claims),
            _ => Err(document.report(&reader.problems)),
        }
    }

    /// The valid claims of a file with invalid ones, so that they can be checked further.
    #[must_use]
    pub fn readable(bytes: &[u8], source: &str) -> Self {
        let Ok(document) = Document::parse(bytes, source) else { return Self::of(Vec::new()) };
        let read = |(_, node): (usize, &Node)| {
            let mut claim = Claim::read(node, &mut Reader::default())?;
            claim.measure.0.locate(&document);
            Some(claim)
        };
        Self::of(written(&document.root).filter_map(read).collect())
    }

    fn of(claim: Vec<Claim>) -> Self {
        Self { schema_version: SchemaVersion, claim }
    }

    /// Claims as JSON: each measure with its position in the file, each bound with its limits.
    #[must_use]
    pub fn to_json(&self) -> Json {
        self.claim.resolved()
    }

    /// JSON Schema of files of claims.
    #[must_use]
    pub fn schema() -> Json {
        document_schema("longfat claims", &Self::fields())
    }
}

/// Claims in the file, with their indices.
fn written(root: &Node) -> impl Iterator<Item = (usize, &Node)> {
    let nodes = match root.get("claim").map(|node| &node.value) {
        Some(Value::Array(nodes)) => nodes.as_slice(),
        _ => &[],
    };
    nodes.iter().enumerate()
}

/// Reports errors that reading claims does not find.
fn object(root: &Node, reader: &mut Reader) {
    let mut seen = BTreeSet::new();
    for (index, node) in written(root) {
        let mut object = |key: &str, message: String| {
            reader.reject_path(root, &format!("claim[{index}].{key}"), message);
        };
        let text = |key: &str| match node.get(key).map(|node| &node.value) {
            Some(Value::Text(text)) => Some(text.trim()),
            _ => None,
        };
        if text("id") == Some("") {
            object("id", "expected a name, such as \"UP-10\"".into());
        } else if text("id").is_some_and(|id| !seen.insert(id)) {
            object("id", format!("a second claim with the id \"{}\"", text("id").unwrap_or_default()));
        }
        if text("statement") == Some("") {
            object("statement", "expected the statement of the source".into());
        }
        if matches!(text("in_paper"), Some("holds" | "fails")) && text("note").unwrap_or_default().is_empty() {
            object("in_paper", "stated, not measured; a note must say how it follows from the source".into());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Claims;

    fn check(claims: &str) -> Result<serde_json::Value, Vec<String>> {
        let text = format!("schema_version = 1\n{claims}");
        Claims::check(text.as_bytes(), "claims.toml").map(|claims| claims.to_json())
    }

    const GOOD: &str = "[[claim]]\nid = \"C-1\"\nsection = \"5, table 2\"\nstatement = \"EPD helps\"\n\
        measure = \"SELECT 1\"\nholds = \">= 0.15\"\n";

    #[test]
    fn a_claim_keeps_where_its_measure_is_written() {
        let expected = serde_json::json!([{
            "id": "C-1", "section": "5, table 2", "statement": "EPD helps", "measure": ["SELECT 1", "claims.toml:6:11"],
            "holds": { "text": ">= 0.15", "low": 0.15, "high": null, "is_strict": false },
            "in_paper": "measured", "note": "",
        }]);
        assert_eq!(check(GOOD).unwrap(), expected);
    }

    #[test]
    fn every_slip_of_a_claim_is_told_with_its_place() {
        let again = |ending: &str| format!("{GOOD}[[claim]]\nid = \"C-2\"\nstatement = \"s\"\n{ending}");
        for (text, expected) in [
            (
                again("measure = \"SELECT 1\""),
                "claims.toml:8:1: claim[1].holds: missing; expected a bound: \">=\", \">\", \"<=\", \"<\" or \"==\" and",
            ),
            (again("measure = \"SELECT 1\"\nholds = \"=> 1\""), "claims.toml:12:9: claim[1].holds: expected a bound"),
            (
                again("measure = \" \"\nholds = \"> 1\""),
                "claims.toml:11:11: claim[1].measure: expected an SQL SELECT of one number",
            ),
            (
                again("mesure = \"SELECT 1\"\nholds = \"> 1\""),
                "claims.toml:11:1: claim[1].mesure: unknown key; did you mean \"measure\"?",
            ),
            (
                again("measure = \"SELECT 1\"\nholds = \"> 1\"\nin_paper = \"fails\""),
                "claims.toml:13:12: claim[1].in_paper: stated, not measured; a note must say how",
            ),
            (
                again("measure = \"SELECT 1\"\nholds = \"> 1\"\nin_paper = \"hold\""),
                "claims.toml:13:12: claim[1].in_paper: unknown choice \"hold\"; known: \"measured\", \"holds\", \"fails\", \
                 \"not-printed\"; did you mean \"holds\"?",
            ),
            (format!("{GOOD}{GOOD}"), "claims.toml:9:6: claim[1].id: a second claim with the id \"C-1\""),
            (
                GOOD.replace("EPD helps", " "),
                "claims.toml:5:13: claim[0].statement: expected the statement of the source",
            ),
            (String::new(), "claims.toml:1:1: claim: missing; expected a list of"),
        ] {
            let problems = check(&text).unwrap_err();
            assert!(problems.iter().any(|problem| problem.starts_with(expected)), "{expected}: {problems:#?}");
        }
    }

    #[test]
    fn the_schema_knows_claims() {
        let claim = &Claims::schema()["properties"]["claim"]["items"];
        assert_eq!(claim["required"], serde_json::json!(["id", "statement", "measure", "holds"]));
        assert_eq!(claim["properties"]["holds"]["type"], "string");
    }

    #[test]
    fn a_claim_that_cannot_be_read_hides_nothing_of_the_others() {
        let text = format!("{GOOD}{}{GOOD}", GOOD.replace(">= 0.15", "=> 0.15").replace("C-1", "C-2"));
        let problems = check(&text).unwrap_err();
        assert_eq!(problems.len(), 2, "{problems:#?}");
        assert!(problems[1].starts_with("claims.toml:15:6: claim[2].id: a second claim"), "{problems:#?}");
        let readable = Claims::readable(format!("schema_version = 1\n{text}").as_bytes(), "claims.toml").to_json();
        assert_eq!(readable.as_array().map(Vec::len), Some(2));
    }
}
