//! Declaration of the study file.

use std::collections::BTreeSet;

use longfat_engine::config::{
    Document, Field, MOST_PROBLEMS, NearbyFile, Node, Parameter, Reader, Shape, document_schema, limited,
};
use longfat_engine::scenario::{Scenario, SchemaVersion};
use longfat_engine::section;
use serde_json::{Value as Json, json};

use crate::adjustment::Adjustment;
use crate::audit::Audit;
use crate::controls::ControlFiles;
use crate::design::Design;
use crate::factors::{Factors, Override};
use crate::response::{self, Response};

section! {
    /// Reduced size of a study, at which tests run it.
    pub struct Quick {
        /// Replications beside replication 0.
        pub replications: u64 = "1",
        /// Factor combinations: an SQL expression over the factor columns; all if empty.
        pub r#where: String = "",
    }
}

section! {
    /// A scenario, factors with levels, and the responses to compare with a source.
    pub struct Study {
        /// Version of this format: 1.
        pub schema_version: SchemaVersion,
        /// Title.
        pub title: String,
        /// The source that the study reproduces.
        pub citation: String = "",
        /// The scenario file, relative to the study's folder.
        pub scenario: NearbyFile = "scenario.toml",
        /// The study's own congestion controls: the names used in `{ kind = "external", control = ... }`, each with a file in the study's
        /// folder, `FILE` or `FILE:CLASS`.
        pub controls: ControlFiles = "{}",
        /// Runs of the study.
        pub design: Design = "{}",
        /// Factors: a scenario path with a list of values or a table of named values, or a free name with a table of levels, each a table
        /// of scenario paths with values that vary together.
        pub factors: Factors,
        /// Settings that depend on the levels of several factors.
        pub adjust: Vec<Adjustment> = "[]",
        /// Tables of results, compared with the source's numbers where it gives them.
        pub response: Vec<Response> = "[]",
        /// Reduced size of the study, at which tests run it.
        pub quick: Quick = "{}",
        /// Variations of an audit besides the knobs that the study leaves at their defaults.
        pub audit: Audit = "{}",
    }
}

impl Quick {
    pub(crate) fn to_json(&self) -> Json {
        json!({
            "replications": self.replications,
            "where": if self.r#where.is_empty() { Json::Null } else { self.r#where.as_str().into() },
        })
    }
}

/// Scenario paths with values.
#[derive(Clone, Debug, Default)]
pub struct Perturbations(pub Vec<Override>);

impl Parameter for Perturbations {
    fn shape() -> Shape {
        Shape::Map("scenario paths with values, such as start = \"uniform(0 ms, 1 ms)\"")
    }

    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        let mut overrides = Override::read_table(node, reader)?;
        for change in overrides.iter_mut().filter(|change| change.path == "start") {
            change.path = "traffic.start".into();
        }
        Some(Self(overrides))
    }

    fn resolved(&self) -> Json {
        self.0.iter().map(Override::resolved).collect()
    }
}

impl Perturbations {
    /// Records the positions of all overrides in the file.
    fn locate(&mut self, document: &Document) {
        self.0.iter_mut().for_each(|change| change.locate(document));
    }
}

/// Scenario file that a study names, relative to the study's folder.
///
/// # Errors
/// If the study file is no table or names no file in its folder; everything else is left to [`Study::check`].
pub fn scenario_path(bytes: &[u8], source: &str) -> Result<String, Vec<String>> {
    let document = Document::parse(bytes, source)?;
    let Some(node) = document.root.get("scenario") else { return Ok("scenario.toml".into()) };
    let mut reader = Reader::default();
    let path = reader.below("scenario", |reader| NearbyFile::read(node, reader));
    path.map(|path| path.0).ok_or_else(|| document.report(&reader.problems))
}

impl Study {
    /// Validates a study file, and its factor levels against its scenario.
    ///
    /// # Errors
    /// One line per problem, all at once.
    pub fn check(bytes: &[u8], source: &str, scenario: &Document) -> Result<Self, Vec<String>> {
        let document = Document::parse(bytes, source)?;
        let mut reader = Reader::default();
        let mut study = <Self as Parameter>::read(&document.root, &mut reader);
        let levels = match &mut study {
            Some(study) => {
                study.locate(&document);
                let (factors, design) = (&study.factors, &study.design);
                object(factors, Some(design), &study.response, &document, &mut reader);
                object_to_levels(factors, &design.perturb, design.r#where.0.is_some(), scenario)
            }
            None => object_to_parts(&document, scenario, &mut reader),
        };
        let mut problems: Vec<String> = reader.problems.iter().map(|problem| document.render(problem)).collect();
        problems.extend(levels);
        let mut seen = BTreeSet::new();
        problems.retain(|problem| seen.insert(problem.clone()));
        match study {
            Some(study) if problems.is_empty() => Ok(study),
            _ => Err(limited(&problems, String::clone, source)),
        }
    }

    /// Records the positions of all overrides in the file.
    fn locate(&mut self, document: &Document) {
        self.factors.locate(document);
        self.design.perturb.locate(document);
        self.design.r#where.locate(document);
        self.adjust.iter_mut().for_each(|adjustment| adjustment.locate(document));
        self.audit.locate(document);
    }

    /// The study as JSON: levels as lists of overrides, each with path, value and position in the file.
    #[must_use]
    pub fn to_json(&self) -> Json {
        json!({
            "schema_version": 1,
            "title": self.title,
            "citation": self.citation,
            "scenario": self.scenario.0,
            "design": self.design.resolved(),
            "factors": self.factors.resolved(),
            "adjustments": self.adjust.resolved(),
            "responses": self.response.iter().map(Response::to_json).collect::<Vec<_>>(),
            "quick": self.quick.to_json(),
            "audit": self.audit.to_json(&self.quick),
        })
    }

    /// JSON Schema of study files.
    #[must_use]
    pub fn schema() -> Json {
        document_schema("longfat study", &Self::fields())
    }
}

/// Reports inconsistencies between the parts of a study.
fn object(
    factors: &Factors,
    design: Option<&Design>,
    responses: &[Response],
    document: &Document,
    reader: &mut Reader,
) {
    response::object(responses, factors, document, reader);
    if let Some(design) = design {
        design.object(factors, document, reader);
    }
}

/// [`object`] for the valid parts of an invalid study; also returns the engine's objections to their levels.
fn object_to_parts(document: &Document, scenario: &Document, reader: &mut Reader) -> Vec<String> {
    let root = &document.root;
    let Some(mut factors) = readable::<Factors>(&Study::fields(), root, "factors") else { return Vec::new() };
    factors.locate(document);
    let design = readable::<Design>(&Study::fields(), root, "design");
    let responses = readable::<Vec<Response>>(&Study::fields(), root, "response").unwrap_or_default();
    object(&factors, design.as_ref(), &responses, document, reader);
    let is_partial = design.is_some_and(|design| design.r#where.0.is_some());
    let design = root.nearest("design");
    let mut perturb = readable::<Perturbations>(&Design::fields(), design, "perturb").unwrap_or_default();
    perturb.locate(document);
    object_to_levels(&factors, &perturb, is_partial, scenario)
}

/// A part of a table, or its default if absent; its errors are reported elsewhere.
fn readable<P: Parameter>(fields: &[Field], table: &Node, name: &str) -> Option<P> {
    let mut aside = Reader::default();
    let entries = aside.entries(table, fields)?;
    entries.field(fields.iter().find(|field| field.name == name)?, &mut aside)
}

/// The engine's objections to the levels, and to the changes of replications.
///
/// If not all combinations exist (`is_partial`), the first levels of all factors need not be one.
fn object_to_levels(factors: &Factors, perturb: &Perturbations, is_partial: bool, scenario: &Document) -> Vec<String> {
    let mut problems = Vec::new();
    let judge = |context: Vec<&Override>| {
        let mut scenario = scenario.clone();
        for change in context {
            scenario.set(&change.path, &change.value, &change.origin);
        }
        Scenario::check(&scenario).err().unwrap_or_default()
    };
    let roots: Vec<&Override> = factors.first_levels();
    let perturbed = roots.iter().copied().chain(&perturb.0).collect();
    if !is_partial {
        problems.extend(judge(perturbed));
    }
    for factor in &factors.0 {
        // A factor below another one (`port.policy.z` below `port.policy`) must be valid with one of that factor's levels only.
        let contexts = factors.contexts_of(factor, is_partial);
        for level in &factor.levels {
            if problems.len() > MOST_PROBLEMS {
                return problems;
            }
            let mut verdicts =
                contexts.iter().map(|context| judge(context.iter().copied().chain(&level.overrides).collect()));
            let first = verdicts.next().unwrap_or_default();
            if !first.is_empty() && !verdicts.any(|verdict| verdict.is_empty()) {
                problems.extend(first);
            }
        }
    }
    problems
}
