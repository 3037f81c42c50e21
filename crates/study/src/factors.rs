//! Factors of a study and their levels: changes of the scenario.

use longfat_engine::config::{Document, Node, Parameter, Place, Problem, Reader, Shape, Value};
use longfat_engine::scenario::Scenario;
use serde_json::{Value as Json, json};

/// A scenario path and the value that a level sets.
#[derive(Clone, Debug)]
pub struct Override {
    /// Dotted path in the scenario.
    pub path: String,
    /// A TOML fragment.
    pub value: String,
    /// Position in the file, as messages name it; set by [`Override::locate`].
    pub origin: String,
    place: Place,
}

/// A level of a factor.
#[derive(Clone, Debug)]
pub struct Level {
    /// Its name in tables.
    pub name: String,
    /// Settings of the scenario.
    pub overrides: Vec<Override>,
}

/// A factor of a study.
#[derive(Clone, Debug)]
pub struct Factor {
    /// Column in tables: the last part of its path, or its free name.
    pub name: String,
    /// Scenario path, if the factor sets a single one.
    pub path: Option<String>,
    /// Its levels.
    pub levels: Vec<Level>,
}

/// Factors of a study.
#[derive(Clone, Debug)]
pub struct Factors(pub Vec<Factor>);

impl Override {
    fn new(path: &str, node: &Node) -> Self {
        Self { path: path.into(), value: node.to_fragment(), origin: String::new(), place: node.place.clone() }
    }

    /// Reads a table of scenario paths with values.
    pub(crate) fn read_table(node: &Node, reader: &mut Reader) -> Option<Vec<Self>> {
        let Value::Table(entries) = &node.value else {
            reader.reject(node, format!("expected a table of scenario paths with values, found {}", node.describe()));
            return None;
        };
        Some(entries.iter().map(|(key, value)| Self::new(&key.name, value)).collect())
    }

    pub(crate) fn resolved(&self) -> Json {
        json!([self.path, self.value, self.origin])
    }

    /// Records the position of the override in the file, for the engine's messages.
    pub(crate) fn locate(&mut self, document: &Document) {
        self.origin = origin(&self.place, document);
    }
}

/// Formats a position for messages: `study.toml:12:3`.
pub(crate) fn origin(place: &Place, document: &Document) -> String {
    let problem = Problem { place: place.clone(), path: String::new(), message: String::new() };
    document.render(&problem).trim_end_matches(": ").to_owned()
}

/// Most levels of all factors of a study: each is checked with the levels of the factor that it depends on.
const MOST_LEVELS: usize = 4_000;

impl Factors {
    /// Records the positions of all levels in the file.
    pub(crate) fn locate(&mut self, document: &Document) {
        let levels = self.0.iter_mut().flat_map(|factor| &mut factor.levels);
        levels.flat_map(|level| &mut level.overrides).for_each(|change| change.locate(document));
    }

    /// First level of every factor that does not depend on another.
    pub(crate) fn first_levels(&self) -> Vec<&Override> {
        let independent = self.0.iter().filter(|factor| self.parent_of(factor).is_none());
        independent.filter_map(|factor| factor.levels.first()).flat_map(|level| &level.overrides).collect()
    }

    /// Settings of the other factors with one of which a level of `factor` must be valid: their first levels, with
    /// each level of the factor above it or, if not all combinations exist (`is_partial`), of any other.
    pub(crate) fn contexts_of<'f>(&'f self, factor: &Factor, is_partial: bool) -> Vec<Vec<&'f Override>> {
        let base = self.first_levels();
        let varied: Vec<&Factor> = match self.parent_of(factor) {
            _ if is_partial => self.0.iter().filter(|other| other.name != factor.name).collect(),
            above => above.into_iter().collect(),
        };
        if varied.is_empty() {
            return vec![base];
        }
        let levels = varied.iter().flat_map(|other| &other.levels);
        levels.map(|level| base.iter().copied().chain(&level.overrides).collect()).collect()
    }

    /// The factor whose path is a prefix of this one's.
    fn parent_of(&self, factor: &Factor) -> Option<&Factor> {
        let path = factor.path.as_ref()?;
        let is_above =
            |above: &String| path.strip_prefix(above.as_str()).is_some_and(|rest| rest.starts_with(['.', '[']));
        self.0.iter().find(|other| other.path.as_ref().is_some_and(is_above))
    }
}

impl Parameter for Factors {
    fn shape() -> Shape {
        Shape::Map(
            "scenario paths with lists of values or tables of named values, and of free names with tables of levels",
        )
    }

    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        let Value::Table(entries) = &node.value else {
            reader.reject(node, format!("expected {}, found {}", Self::shape().expected(), node.describe()));
            return None;
        };
        let before = reader.problems.len();
        let mut factors: Vec<Factor> = Vec::new();
        for (key, levels) in entries {
            let factor = reader.below(&format!("\"{}\"", key.name), |reader| read_factor(&key.name, levels, reader));
            if let Some(factor) = factor {
                if factors.iter().any(|other| other.name == factor.name) {
                    let message = format!("a second factor with the column \"{}\"", factor.name);
                    reader.below(&key.name, |reader| reader.reject_at(&key.place, message));
                }
                factors.push(factor);
            }
        }
        let levels: usize = factors.iter().map(|factor| factor.levels.len()).sum();
        if levels > MOST_LEVELS {
            reader.reject(node, format!("{levels} levels of all factors; a study has at most {MOST_LEVELS}"));
        }
        (reader.problems.len() == before).then_some(Self(factors))
    }

    fn resolved(&self) -> Json {
        let level = |level: &Level| {
            let overrides: Vec<_> = level.overrides.iter().map(Override::resolved).collect();
            json!({ "name": level.name, "overrides": overrides })
        };
        let factor = |factor: &Factor| json!({ "name": factor.name, "levels": factor.levels.iter().map(level).collect::<Vec<_>>() });
        self.0.iter().map(factor).collect()
    }
}

fn read_factor(key: &str, levels: &Node, reader: &mut Reader) -> Option<Factor> {
    let is_path = key.contains('.') || Scenario::fields().iter().any(|field| field.name == key);
    let name = key.rsplit('.').next().unwrap_or(key).to_owned();
    let read_levels = match &levels.value {
        Value::Array(values) if is_path => values.iter().map(|value| value_level(key, value, reader)).collect(),
        Value::Table(entries) if is_path => {
            Some(entries.iter().map(|(level, value)| Level::of(&level.name, vec![Override::new(key, value)])).collect())
        }
        Value::Table(entries) => entries
            .iter()
            .map(|(level, node)| {
                let overrides = reader.below(&level.name, |reader| Override::read_table(node, reader))?;
                Some(Level::of(&level.name, overrides))
            })
            .collect(),
        _ if is_path => {
            let found = levels.describe();
            reader.reject(levels, format!("expected a list of values or a table of named values, found {found}"));
            None
        }
        _ => {
            let message = format!(
                "\"{key}\" is no scenario path, so expected a table of levels, each a table of scenario paths with values; found {}",
                levels.describe()
            );
            reader.reject(levels, message);
            None
        }
    };
    let read_levels: Vec<Level> = read_levels?;
    if read_levels.is_empty() {
        reader.reject(levels, "a factor needs at least one level");
        return None;
    }
    Some(Factor { name, path: is_path.then(|| key.to_owned()), levels: read_levels })
}

impl Level {
    fn of(name: &str, overrides: Vec<Override>) -> Self {
        Self { name: name.into(), overrides }
    }
}

fn value_level(path: &str, value: &Node, reader: &mut Reader) -> Option<Level> {
    let name = match &value.value {
        Value::Text(text) => text.clone(),
        Value::Table(_) | Value::Array(_) => {
            reader.reject(
                value,
                "a level that is no single value needs a name: write { name = value, ... } instead of a list",
            );
            return None;
        }
        _ => value.to_fragment(),
    };
    Some(Level::of(&name, vec![Override::new(path, value)]))
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

    fn check(study: &str) -> Result<serde_json::Value, Vec<String>> {
        let scenario = Document::parse(SCENARIO.as_bytes(), "scenario.toml").unwrap();
        Study::check(study.as_bytes(), "study.toml", &scenario).map(|study| study.to_json())
    }

    #[test]
    fn factors_may_be_paths_with_values_or_names_with_levels_that_move_together() {
        let study = check(
            r#"
            schema_version = 1
            title = "t"
            [design]
            perturb = { start = "uniform(0 ms, 1 ms)" }
            [factors]
            "topology.sources" = [5, 15]
            "port.policy" = { ubr = "tail-drop", sd = { kind = "selective-drop" } }
            "port.policy.z" = [0.8, 1.0]
            [factors.config]
            lan = { "topology.access.delay" = "5 us", "duration" = "10 s" }
            wan = { "topology.access.delay" = "5 ms" }
        "#,
        )
        .unwrap();
        assert_eq!(study["factors"][0]["name"], "sources");
        assert_eq!(study["factors"][0]["levels"][1]["overrides"][0][1], "15");
        assert_eq!(study["factors"][3]["levels"][0]["overrides"][1][1], "\"10 s\"");
        assert_eq!(study["design"]["perturb"][0][0], "traffic.start");
    }

    #[test]
    fn a_factor_may_reach_into_a_list_that_another_sets() {
        let study = |load: &str| {
            check(&format!(
                "schema_version = 1\ntitle = \"t\"\n[factors]\n\
                 \"topology.sources\" = [5]\n\"background\" = {{ poisson = [{{ kind = \"poisson\", load = 0.5 }}] }}\n\
                 \"background[0].load\" = [{load}, 0.9]\n"
            ))
        };
        assert_eq!(study("0.1").unwrap()["factors"][2]["name"], "load");
        let problems = study("-1").unwrap_err();
        assert_eq!(problems.len(), 1, "{problems:#?}");
        assert!(
            problems[0].starts_with("study.toml:6:25: background[0].load: expected a number above 0"),
            "{problems:?}"
        );
    }

    #[test]
    fn every_wrong_level_is_reported_at_its_place_and_all_at_once() {
        let problems = check(
            "schema_version = 1\ntitle = \"t\"\n[factors]\n\"topology.sources\" = [5, 0]\n\
             \"port.policy\" = { a = \"epd\", b = \"edp\" }\n\"port.polcy\" = [\"epd\"]\n",
        )
        .unwrap_err();
        assert_eq!(problems.len(), 3, "{problems:#?}");
        for expected in [
            "study.toml:4:26: topology.sources: expected a whole number",
            "study.toml:5:34: port.policy: unknown drop policy \"edp\"",
            "study.toml:6:17: port.polcy: unknown key; did you mean \"policy\"?",
        ] {
            assert!(problems.iter().any(|problem| problem.starts_with(expected)), "{expected}: {problems:#?}");
        }
    }

    #[test]
    fn a_part_that_cannot_be_read_does_not_hide_what_is_wrong_with_the_others() {
        let problems = check(
            "schema_version = 1\ntitle = 7\n[design]\nkind = \"full\"\nperturb = { seet = 1 }\n[factors]\n\
             \"port.polcy\" = [\"epd\"]\n[[response]]\nmetric = \"eficiency\"\ntable = \"1\"\nrows = { polcy = \"all\" }\n",
        )
        .unwrap_err();
        for expected in [
            "study.toml:2:9: title: ",
            "study.toml:4:8: design.kind: unknown choice \"full\"",
            "study.toml:5:20: seet: unknown key",
            "study.toml:7:17: port.polcy: unknown key; did you mean \"policy\"?",
            "study.toml:9:10: response: unknown metric \"eficiency\"",
        ] {
            assert!(problems.iter().any(|problem| problem.starts_with(expected)), "{expected}: {problems:#?}");
        }
    }
}
