//! Designs: the factor combinations that a study runs, and their consistency with the factors.

use longfat_engine::config::{Document, Node, Parameter, Place, Reader, Shape, Value, did_you_mean, listed};
use longfat_engine::{choice, section};
use serde_json::{Value as Json, json};

use crate::factors::{Factor, Factors};
use crate::file::Perturbations;
use crate::precision::Precision;
use crate::sql::Where;

choice! {
    /// Factor combinations that are run.
    pub enum DesignKind {
        /// Every level of every factor with every level of all others.
        FullFactorial = "full-factorial",
        /// The distinct rows of the reference tables; a factor without a column is left as the scenario has it.
        ReferenceRows = "reference-rows",
        /// The first and the last level of every factor with those of all others: 2^k.
        TwoLevel = "two-level",
        /// A part of `two-level`, 2^(k-p), in which `generators` set some of the factors.
        Fractional = "fractional",
        /// The first levels of all factors, and then each other level of each factor alone.
        OneAtATime = "one-at-a-time",
        /// `points` points, of which the levels of a factor get equal shares if their number allows.
        LatinHypercube = "latin-hypercube",
        /// `points` points of Sobol's sequence, scrambled.
        Sobol = "sobol",
        /// The list `combinations`.
        Explicit = "explicit",
    }
}

choice! {
    /// Assignment of seeds to factor combinations.
    pub enum Seeds {
        /// Common random numbers: differences between combinations contain no differences between draws.
        Common = "common",
        /// Streams of their own for each combination.
        Independent = "independent",
    }
}

section! {
    /// Runs of a study.
    pub struct Design {
        /// Factor combinations that are run.
        pub kind: DesignKind = "full-factorial",
        /// Combinations that exist, if not all do: an SQL expression over the factor columns.
        pub r#where: Where = "",
        /// Number of random replications, besides replication 0, which is the scenario as it stands.
        pub replications: u64 = "0",
        /// Stops adding replications earlier, when means are known precisely enough.
        pub precision: Precision = "{}",
        /// Changes of replications from 1 on: scenario paths with values; "start" is short for "traffic.start".
        pub perturb: Perturbations = "{}",
        /// Assignment of seeds to factor combinations.
        pub seeds: Seeds = "common",
        /// For a fractional design, the factors that are set by the product of the signs of others: { policy = ["sources", "buffer"] }.
        pub generators: Generators = "{}",
        /// For an explicit design, factors with levels: [{ sources = 5, policy = "epd" }].
        pub combinations: Vec<Combination> = "[]",
        /// For a Latin hypercube or Sobol's sequence, the number of points.
        pub points: u64 = "0",
        /// For a Latin hypercube or Sobol's sequence, the seed that chooses the points.
        pub sample_seed: u64 = "1",
    }
}

/// A factor whose sign is the product of those of others.
#[derive(Clone, Debug)]
pub struct Generator {
    /// The factor that is set.
    pub factor: String,
    /// The factors that are multiplied.
    pub product: Vec<String>,
    place: Place,
}

/// The generators of a fractional design.
#[derive(Clone, Debug)]
pub struct Generators(pub Vec<Generator>);

/// A factor combination: columns of factors with names of levels.
#[derive(Clone, Debug)]
pub struct Combination {
    /// Factors and levels, as written.
    pub levels: Vec<(String, String)>,
    place: Place,
}

impl Parameter for Generators {
    fn shape() -> Shape {
        Shape::Map("factors, each with the list of those whose signs are multiplied")
    }

    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        let Value::Table(entries) = &node.value else {
            reader.reject(node, format!("expected {}, found {}", Self::shape().expected(), node.describe()));
            return None;
        };
        let generator = |(key, product): &(longfat_engine::config::Key, Node)| {
            let product = reader.below(&key.name, |reader| Vec::<String>::read(product, reader))?;
            Some(Generator { factor: key.name.clone(), product, place: key.place.clone() })
        };
        entries.iter().map(generator).collect::<Vec<_>>().into_iter().collect::<Option<_>>().map(Self)
    }

    fn resolved(&self) -> Json {
        self.0.iter().map(|generator| json!([generator.factor, generator.product])).collect()
    }
}

impl Parameter for Combination {
    fn shape() -> Shape {
        Shape::Map("factors with the names of their levels")
    }

    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        let Value::Table(entries) = &node.value else {
            reader.reject(node, format!("expected {}, found {}", Self::shape().expected(), node.describe()));
            return None;
        };
        let level = |node: &Node| match &node.value {
            Value::Text(name) => name.clone(),
            _ => node.to_fragment(),
        };
        let levels = entries.iter().map(|(key, node)| (key.name.clone(), level(node))).collect();
        Some(Self { levels, place: node.place.clone() })
    }

    fn resolved(&self) -> Json {
        json!(self.levels)
    }
}

impl Design {
    /// Reports errors that prevent this design with these factors.
    pub(crate) fn object(&self, factors: &Factors, document: &Document, reader: &mut Reader) {
        reader.below("design", |reader| {
            let mut note = |key: &str, message: String| {
                let node = document.root.nearest(&format!("design.{key}"));
                reader.below(key, |reader| reader.reject(node, message));
            };
            self.object_to_strays(&mut note);
            self.object_to_levels(factors, &mut note);
            self.object_to_points(factors, &mut note);
            self.object_to_generators(factors, reader);
            self.object_to_combinations(factors, reader);
            reader.below("precision", |reader| self.precision.object(self.replications, document, reader));
        });
    }

    /// Reports keys that only other kinds of design use.
    fn object_to_strays(&self, note: &mut impl FnMut(&str, String)) {
        use DesignKind::{Explicit, Fractional, LatinHypercube, ReferenceRows, Sobol};
        if self.r#where.0.is_some() && matches!(self.kind, Explicit | Fractional | ReferenceRows) {
            note("where", format!("a design of kind \"{}\" has its combinations without one", self.kind.word()));
        }
        let keys: [(&str, bool, &[DesignKind]); 3] = [
            ("generators", self.generators.0.is_empty(), &[Fractional]),
            ("combinations", self.combinations.is_empty(), &[Explicit]),
            ("points", self.points == 0, &[LatinHypercube, Sobol]),
        ];
        for (key, is_absent, kinds) in keys {
            let words: Vec<String> = kinds.iter().map(|kind| kind.word()).collect();
            let names = || listed(words.iter().map(String::as_str));
            let is_read = kinds.contains(&self.kind);
            if is_read && is_absent {
                note(key, format!("none; a design of kind \"{}\" needs some", self.kind.word()));
            } else if !is_read && !is_absent {
                note(key, format!("belongs to kind {}, not to \"{}\"", names(), self.kind.word()));
            }
        }
    }

    fn object_to_levels(&self, factors: &Factors, note: &mut impl FnMut(&str, String)) {
        if factors.0.is_empty() && self.kind != DesignKind::FullFactorial && self.kind != DesignKind::ReferenceRows {
            note("kind", format!("a design of kind \"{}\" needs factors", self.kind.word()));
        }
        if matches!(self.kind, DesignKind::TwoLevel | DesignKind::Fractional) {
            for factor in factors.0.iter().filter(|factor| factor.levels.len() < 2) {
                let message = format!(
                    "a design of kind \"{}\" needs two levels of every factor; \"{}\" has one",
                    self.kind.word(),
                    factor.name
                );
                note("kind", message);
            }
        }
    }

    fn object_to_points(&self, factors: &Factors, note: &mut impl FnMut(&str, String)) {
        if self.kind == DesignKind::Sobol && self.points > 0 && !self.points.is_power_of_two() {
            let near = self.points.checked_next_power_of_two().unwrap_or(1 << 63);
            let message = format!(
                "{} is not a power of 2, and only then are the points of Sobol's sequence even; {} or {near} would be",
                self.points,
                near / 2
            );
            note("points", message);
        }
        let crossed = factors.0.iter().try_fold(1_u64, |all, factor| all.checked_mul(factor.levels.len() as u64));
        if let Some(crossed) = crossed.filter(|crossed| self.points > *crossed) {
            let message = format!(
                "{} points, but the factors have only {crossed} combinations; a design of kind \"full-factorial\" runs them all",
                self.points
            );
            note("points", message);
        }
    }

    fn object_to_generators(&self, factors: &Factors, reader: &mut Reader) {
        let generators = &self.generators.0;
        reader.below("generators", |reader| {
            for (index, generator) in generators.iter().enumerate() {
                let message = factors.unknown(&generator.factor).or_else(|| {
                    let of = |name: &String| objection_to_product(name, generator, generators, factors);
                    generator.product.iter().find_map(of).or_else(|| objection_to_sign(generator, &generators[..index]))
                });
                if let Some(message) = message {
                    reader.below(&generator.factor, |reader| reader.reject_at(&generator.place, message));
                }
            }
        });
    }

    fn object_to_combinations(&self, factors: &Factors, reader: &mut Reader) {
        for (index, combination) in self.combinations.iter().enumerate() {
            let mut reject = |message: String| {
                reader.below(&format!("combinations[{index}]"), |reader| reader.reject_at(&combination.place, message));
            };
            for (name, level) in &combination.levels {
                if let Some(message) = factors.unknown(name).or_else(|| factors.named(name)?.unknown_level(level)) {
                    reject(message);
                }
            }
            if self.combinations[..index].iter().any(|earlier| earlier.is_same(combination)) {
                reject("this combination is already listed above".into());
            }
        }
    }
}

fn objection_to_product(name: &str, generator: &Generator, all: &[Generator], factors: &Factors) -> Option<String> {
    if let Some(message) = factors.unknown(name) {
        return Some(message);
    }
    if all.iter().any(|other| other.factor == name) {
        return Some(format!("\"{name}\" is generated itself; multiply factors that are not"));
    }
    (generator.product.iter().filter(|other| *other == name).count() > 1)
        .then(|| format!("\"{name}\" is listed twice, and a sign times itself is 1"))
}

fn objection_to_sign(generator: &Generator, earlier: &[Generator]) -> Option<String> {
    let sorted = |generator: &Generator| {
        let mut product = generator.product.clone();
        product.sort();
        product
    };
    if generator.product.len() < 2 {
        return Some("multiply at least two factors, or two main effects cannot be told apart".into());
    }
    let same = earlier.iter().find(|other| sorted(other) == sorted(generator))?;
    Some(format!("the same product as for \"{}\": the two main effects cannot be told apart", same.factor))
}

impl DesignKind {
    fn word(self) -> String {
        self.resolved().as_str().unwrap_or_default().to_owned()
    }
}

impl Combination {
    fn is_same(&self, other: &Self) -> bool {
        let sorted = |combination: &Self| {
            let mut levels = combination.levels.clone();
            levels.sort();
            levels
        };
        sorted(self) == sorted(other)
    }
}

impl Factors {
    fn named(&self, name: &str) -> Option<&Factor> {
        self.0.iter().find(|factor| factor.name == name)
    }

    /// Message for a column that is no factor's; `None` if it is.
    fn unknown(&self, name: &str) -> Option<String> {
        if self.named(name).is_some() {
            return None;
        }
        let names = || self.0.iter().map(|factor| factor.name.as_str());
        Some(format!("unknown factor \"{name}\"; known: {}{}", listed(names()), did_you_mean(name, names())))
    }
}

impl Factor {
    fn unknown_level(&self, level: &str) -> Option<String> {
        let names = || self.levels.iter().map(|level| level.name.as_str());
        if names().any(|known| known == level) {
            return None;
        }
        let near = did_you_mean(level, names());
        Some(format!("\"{level}\" is no level of \"{}\"; known: {}{near}", self.name, listed(names())))
    }
}

#[cfg(test)]
mod tests {
    use crate::Study;
    use longfat_engine::config::Document;

    const SCENARIO: &str = r#"
        schema_version = 1
        duration = "1 s"
        topology = { kind = "n-source", access = { delay = "5 us" }, bottleneck = { delay = "5 us" } }
        port = { buffer = "1000 cells" }
    "#;

    fn check(design: &str) -> Result<serde_json::Value, Vec<String>> {
        let scenario = Document::parse(SCENARIO.as_bytes(), "scenario.toml").unwrap();
        let study = format!(
            "schema_version = 1\ntitle = \"t\"\n[factors]\n\"topology.sources\" = [5, 15]\n\
             \"port.buffer\" = [\"1000 cells\", \"2000 cells\", \"3000 cells\"]\n\
             \"port.policy\" = {{ ubr = \"tail-drop\", epd = \"epd\" }}\n[design]\n{design}"
        );
        Study::check(study.as_bytes(), "study.toml", &scenario).map(|study| study.to_json()["design"].clone())
    }

    #[test]
    fn every_kind_of_design_is_read_with_what_it_needs() {
        for (design, key, expected) in [
            ("kind = \"two-level\"", "kind", serde_json::json!("two-level")),
            ("kind = \"one-at-a-time\"", "points", 0.into()),
            ("kind = \"sobol\"\npoints = 8\nsample_seed = 7", "sample_seed", 7.into()),
            ("kind = \"latin-hypercube\"\npoints = 5", "points", 5.into()),
            (
                "kind = \"fractional\"\ngenerators = { policy = [\"sources\", \"buffer\"] }",
                "generators",
                serde_json::json!([["policy", ["sources", "buffer"]]]),
            ),
            (
                "kind = \"explicit\"\ncombinations = [{ sources = 5, policy = \"epd\" }]",
                "combinations",
                serde_json::json!([[["sources", "5"], ["policy", "epd"]]]),
            ),
        ] {
            assert_eq!(check(design).unwrap_or_else(|problems| panic!("{problems:?}"))[key], expected, "{design}");
        }
    }

    #[test]
    fn a_condition_of_combinations_keeps_its_place() {
        let found = check("where = \"sources = 5 OR policy = 'epd'\"").unwrap();
        assert_eq!(found["where"], serde_json::json!(["sources = 5 OR policy = 'epd'", "study.toml:8:9"]));
        assert_eq!(check("").unwrap()["where"], serde_json::Value::Null);
    }

    #[test]
    fn levels_that_exist_beside_some_others_only_are_valid_in_a_partial_design() {
        let scenario =
            Document::parse(SCENARIO.replace("kind =", "sources = 5, kind =").as_bytes(), "scenario.toml").unwrap();
        let check = |design: &str| {
            let study = format!(
                "schema_version = 1\ntitle = \"t\"\n[factors.frames]\ncells = {{}}\nwhole = {{ framing = \"packet\" }}\n\
                 [factors]\n\"port.buffer\" = [\"1000 cells\", \"30 packets\"]\n[design]\n{design}"
            );
            Study::check(study.as_bytes(), "study.toml", &scenario).map(|_| ())
        };
        let refused = check("kind = \"full-factorial\"").unwrap_err();
        assert!(refused.iter().any(|problem| problem.contains("30 packets")), "{refused:?}");
        assert_eq!(check("where = \"(frames = 'whole') = (buffer = '30 packets')\""), Ok(()));
        assert!(check("where = \"true\"\nreplications = -1").is_err());
    }

    #[test]
    fn what_a_design_cannot_be_made_of_is_said_at_its_place() {
        for (design, expected) in [
            (
                "kind = \"explicit\"\ncombinations = [{ sources = 5 }]\nwhere = \"sources = 5\"",
                "study.toml:10:9: design.where: a design of kind \"explicit\" has its combinations without one",
            ),
            ("where = \" \"", "design.where: expected an SQL condition over the factors"),
            ("points = 8", "study.toml:8:10: design.points: belongs to kind \"latin-hypercube\""),
            ("kind = \"sobol\"", "study.toml:7:1: design.points: none; a design of kind \"sobol\" needs some"),
            (
                "kind = \"sobol\"\npoints = 0",
                "study.toml:9:10: design.points: none; a design of kind \"sobol\" needs some",
            ),
            ("kind = \"sobol\"\npoints = 12", "study.toml:9:10: design.points: 12 is not a power of 2"),
            ("kind = \"latin-hypercube\"\npoints = 13", "13 points, but the factors have only 12 combinations"),
            ("kind = \"fractional\"", "design.generators: none"),
            ("kind = \"fractional\"\ngenerators = [\"policy\"]", "design.generators: expected a table of factors"),
            (
                "kind = \"fractional\"\ngenerators = { polcy = [\"sources\", \"buffer\"] }",
                "study.toml:9:16: design.generators.polcy: unknown factor \"polcy\"; known: \"sources\", \"buffer\", \"policy\"; did you mean \"policy\"?",
            ),
            ("kind = \"fractional\"\ngenerators = { policy = [\"sources\"] }", "multiply at least two factors"),
            (
                "kind = \"fractional\"\ngenerators = { policy = [\"policy\", \"sources\"] }",
                "\"policy\" is generated itself",
            ),
            (
                "kind = \"fractional\"\ngenerators = { policy = [\"sources\", \"sources\"] }",
                "\"sources\" is listed twice",
            ),
            ("kind = \"explicit\"", "design.combinations: none"),
            (
                "kind = \"explicit\"\ncombinations = [{ sources = 5 }, { sources = 6 }]",
                "study.toml:9:34: design.combinations[1]: \"6\" is no level of \"sources\"; known: \"5\", \"15\"",
            ),
            ("kind = \"explicit\"\ncombinations = [{ source = 5 }]", "did you mean \"sources\"?"),
            (
                "kind = \"explicit\"\ncombinations = [{ sources = 5 }, { sources = 5 }]",
                "design.combinations[1]: this combination is already listed above",
            ),
        ] {
            let problems = check(design).unwrap_err();
            assert!(problems.iter().any(|problem| problem.contains(expected)), "{expected}: {problems:#?}");
        }
    }
}
