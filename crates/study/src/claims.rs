//! The file of a study's claims: what a source states, and how runs decide whether it is so.

use std::collections::BTreeSet;

use longfat_engine::config::{Document, Node, Parameter, Reader, Shape, document_schema};
use longfat_engine::scenario::SchemaVersion;
use longfat_engine::{choice, section};
use serde_json::Value as Json;

use crate::bound::Bound;
use crate::sql::Sql;

choice! {
    /// How it is known whether a claim holds in the source's own numbers.
    pub enum InPaper {
        /// The measure is taken of the source's numbers in place of runs.
        Measured = "measured",
        /// The source's numbers decide it, though the measure cannot be taken of them, and it holds; `note` says how.
        Holds = "holds",
        /// The source's numbers decide it, though the measure cannot be taken of them, and it fails; `note` says how.
        Fails = "fails",
        /// The source prints no numbers that decide it.
        NotPrinted = "not-printed",
    }
}

section! {
    /// A statement of a source as a number and a bound.
    pub struct Claim {
        /// What it is called.
        pub id: String,
        /// Where the source states it.
        pub section: String = "",
        /// What it states.
        pub statement: String,
        /// One SQL SELECT that yields one number, over the tables `runs`, `deterministic` and `reference`.
        pub measure: Measure,
        /// What that number must be for the claim to hold.
        pub holds: Bound,
        /// How it is known whether the claim holds in the source's own numbers.
        pub in_paper: InPaper = "measured",
        /// What else there is to say: how the words became a number, what speaks against it.
        pub note: String = "",
    }
}

section! {
    /// What a study's source states, each statement with the number and the bound that decide it.
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
    /// Checks a file of claims; what their SQL means is for whoever runs it to judge.
    ///
    /// # Errors
    /// One line for each thing that is wrong, all at once.
    pub fn check(bytes: &[u8], source: &str) -> Result<Self, Vec<String>> {
        let document = Document::parse(bytes, source)?;
        let mut reader = Reader::default();
        let mut claims = <Self as Parameter>::read(&document.root, &mut reader);
        if let Some(claims) = &mut claims {
            claims.claim.iter_mut().for_each(|claim| claim.measure.0.locate(&document));
            claims.object(&document.root, &mut reader);
        }
        match claims {
            Some(claims) if reader.problems.is_empty() => Ok(claims),
            _ => Err(reader.problems.iter().map(|problem| document.render(problem)).collect()),
        }
    }

    fn object(&self, root: &Node, reader: &mut Reader) {
        let mut seen = BTreeSet::new();
        for (index, claim) in self.claim.iter().enumerate() {
            let mut object = |key: &str, message: String| {
                reader.reject_path(root, &format!("claim[{index}].{key}"), message);
            };
            if claim.id.trim().is_empty() {
                object("id", "expected a name, such as \"UP-10\"".into());
            } else if !seen.insert(&claim.id) {
                object("id", format!("a second claim with the id \"{}\"", claim.id));
            }
            if claim.statement.trim().is_empty() {
                object("statement", "expected what the source states".into());
            }
            if matches!(claim.in_paper, InPaper::Holds | InPaper::Fails) && claim.note.trim().is_empty() {
                object("in_paper", "stated, not measured; a note must say how it follows from the source".into());
            }
        }
    }

    /// The claims as data: each measure with where it is written, each bound with its limits.
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
            (GOOD.replace("EPD helps", " "), "claims.toml:5:13: claim[0].statement: expected what the source states"),
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
}
