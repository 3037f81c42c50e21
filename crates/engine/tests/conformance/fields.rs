//! Every field of a scenario, down to the parameters of every model: its default and the settings that it mentions.

use longfat_engine::config::{Field, Shape};
use longfat_engine::path::{PATHS, Path};
use longfat_engine::registry::Family;
use longfat_engine::scenario::Scenario;
use longfat_engine::switch::queue_discipline::{DISCIPLINES, QueueDiscipline};

use crate::support::declared::{SMALLEST_TOPOLOGIES, smallest, table};

/// All that a scenario must say.
const SMALLEST: &str = r#"
schema_version = 1
duration = "10 ms"
topology = { kind = "n-source", sources = 2, access = { delay = "5 ms" }, bottleneck = { delay = "5 ms" } }
port.buffer = "1 RTT"
"#;

type Overrides = Vec<(String, String)>;

fn check(overrides: &[(String, String)]) -> Result<Scenario, Vec<String>> {
    Scenario::parse(SMALLEST.as_bytes(), "smallest.toml", overrides)
}

/// A field, where it is, and what has to be chosen for it to be there.
struct Place {
    path: String,
    chosen: Overrides,
    field: Field,
}

/// Settings that a scenario with this model also needs.
fn companions(model: &str) -> Overrides {
    if let Some((_, topology, connections)) = SMALLEST_TOPOLOGIES.iter().find(|(name, ..)| *name == model) {
        return [("topology", topology), ("connections", connections)]
            .map(|(path, value)| (path.into(), (*value).into()))
            .into();
    }
    let is_discipline =
        DISCIPLINES.iter().any(|entry| entry.name == model && Some(model) != <dyn QueueDiscipline>::NOTHING);
    let is_path = PATHS.iter().any(|entry| entry.name == model && Some(model) != <dyn Path>::NOTHING);
    let needed: &[(&str, &str)] = match model {
        _ if is_discipline || is_path => &[("framing", "packet")],
        "vbr-on-off" => &[("port.scheduler", "strict-priority")],
        "on-demand" => &[("framing", "packet")],
        "shared" => &[("framing", "packet"), ("return_links", "[{ name = 'text', rate = '1 Gbit/s' }]")],
        "double-threshold" | "per-vc-double-threshold" | "weighted-fba" | "dfba" => {
            &[("port.service", "{ kind = 'gfr', minimum_cell_rate = '1 Mbit/s' }")]
        }
        _ => &[],
    };
    needed.iter().map(|(path, value)| ((*path).into(), (*value).into())).collect()
}

/// Every field of every section and of every model.
fn all_fields() -> Vec<Place> {
    let mut places = Vec::new();
    Scenario::fields().into_iter().for_each(|field| walk(&mut places, "", &Vec::new(), field));
    places
}

fn walk(places: &mut Vec<Place>, above: &str, chosen: &Overrides, field: Field) {
    let path = if above.is_empty() { field.name.to_owned() } else { format!("{above}.{}", field.name) };
    match &field.shape() {
        Shape::Section(fields) => fields.iter().for_each(|field| walk(places, &path, chosen, field.clone())),
        Shape::Model { models, .. } => {
            for model in models {
                let mut chosen = chosen.clone();
                // Another takes the place of the one that a model must be given.
                chosen.retain(|(place, _)| *place != path);
                chosen.push((format!("{path}.kind"), model.name.into()));
                if path == "stack.flavor" && chosen.contains(&("stack.kind".into(), "quinn".into())) {
                    chosen.push(("stack.congestion_control".into(), "flavor".into()));
                    if is_refused_by_quinn(&chosen) {
                        continue;
                    }
                }
                let required = model.fields.iter().filter(|field| field.default.is_none());
                chosen.extend(required.map(|field| (format!("{path}.{}", field.name), smallest(&field.shape()))));
                // They may say more than the smallest.
                chosen.extend(companions(model.name));
                model.fields.iter().for_each(|field| walk(places, &path, &chosen, field.clone()));
            }
        }
        Shape::List(item) => {
            if let Shape::Model { models, .. } = item.as_ref() {
                // A list with one model, whose fields are then at place 0.
                for model in models {
                    let mut chosen = chosen.clone();
                    chosen.extend(companions(model.name));
                    chosen.push((path.clone(), format!("[{}]", table(&model.fields, Some(model.name)))));
                    let item = format!("{path}[0]");
                    model.fields.iter().for_each(|field| walk(places, &item, &chosen, field.clone()));
                }
            }
        }
        _ => {}
    }
    places.push(Place { path, chosen: chosen.clone(), field });
}

/// True if a flavor uses the share of marked bytes (DCTCP, Prague), which quinn does not tell a congestion control.
fn is_refused_by_quinn(chosen: &Overrides) -> bool {
    check(chosen).is_err_and(|problems| problems.iter().all(|problem| problem.contains("the share of marks")))
}

impl Place {
    /// The scenario with `value` here.
    #[track_caller]
    fn set(&self, value: &str) -> Scenario {
        let mut overrides = self.chosen.clone();
        overrides.push((self.path.clone(), value.into()));
        check(&overrides).unwrap_or_else(|problems| panic!("{} = {value}: {problems:?}", self.path))
    }
}

#[test]
fn the_walk_reaches_sections_models_and_models_in_sections() {
    let paths: Vec<_> = all_fields().into_iter().map(|place| place.path).collect();
    for path in [
        "duration",
        "tcp.mss",
        "port.policy.threshold",
        "tcp.retransmission_timeout.initial",
        "topology.access.rate",
        "loss.each",
        "background[0].load",
        "background[0].phase",
        "port.scheduler.guaranteed_rate",
    ] {
        assert!(paths.iter().any(|found| found == path), "{path} is not among {paths:?}");
    }
}

#[test]
fn every_default_may_be_written_and_changes_nothing() {
    for place in all_fields() {
        if let Some(default) = place.field.default {
            let left_out = check(&place.chosen).unwrap_or_else(|problems| panic!("{:?}: {problems:?}", place.chosen));
            assert_eq!(place.set(default).canonical(), left_out.canonical(), "{} = {default}", place.path);
        }
    }
}

#[test]
fn every_alternative_is_accepted_is_not_the_default_and_reads_back() {
    let mut knobs = 0;
    for place in all_fields() {
        for alternative in place.field.alternatives {
            let set = place.set(alternative);
            let default = place.field.default.expect("a knob has a default");
            assert_ne!(set.canonical(), place.set(default).canonical(), "{} = {alternative}", place.path);
            let again = Scenario::parse(set.canonical().as_bytes(), "canonical.json", &[]);
            let again = again.unwrap_or_else(|problems| panic!("{} = {alternative}: {problems:?}", place.path));
            assert_eq!(again.canonical(), set.canonical());
            knobs += 1;
        }
    }
    assert!(knobs > 0, "no knobs were found");
}

#[test]
fn every_word_of_every_vocabulary_is_accepted_and_explained() {
    for place in all_fields() {
        if let Shape::Choice(variants) = &place.field.shape() {
            for variant in variants {
                place.set(variant.name);
                let explained = variant.doc.trim().ends_with('.');
                assert!(explained, "{} = {}: \"{}\" is no sentence", place.path, variant.name, variant.doc);
            }
        }
    }
}

#[test]
fn every_example_of_a_quantity_is_accepted_where_it_fits() {
    for place in all_fields() {
        if let Shape::Quantity { examples, .. } = &place.field.shape() {
            for example in *examples {
                let mut overrides = place.chosen.clone();
                overrides.push((place.path.clone(), (*example).into()));
                // It may not fit the rest of this scenario ("20 packets" where cells are counted), but it is never misread.
                let problems = check(&overrides).err().unwrap_or_default();
                let misread =
                    problems.iter().find(|problem| problem.contains("expected") || problem.contains("unknown"));
                assert_eq!(misread, None, "{} = {example}", place.path);
            }
        }
    }
}

#[test]
fn every_field_is_documented_in_sentences() {
    for place in all_fields() {
        let doc = place.field.doc.trim();
        assert!(doc.ends_with(['.', '?']), "{}: \"{doc}\" is no sentence", place.path);
    }
}

#[test]
fn every_field_is_in_the_schema_with_its_default() {
    fn find<'s>(schema: &'s serde_json::Value, kind: Option<&str>, key: &str) -> &'s serde_json::Value {
        let form = match kind {
            None => schema,
            Some(kind) => {
                let forms = schema["oneOf"].as_array().expect("a model has forms");
                let of_kind = |form: &&serde_json::Value| form["properties"]["kind"]["const"] == kind;
                forms.iter().find(of_kind).unwrap_or_else(|| panic!("no form for {kind}"))
            }
        };
        &form["properties"][key]
    }
    /// The model chosen at a path, alone or as the only one of a list.
    fn kind_at<'v>(path: &str, chosen: &str, value: &'v str) -> Option<&'v str> {
        match path.strip_suffix("[0]") {
            Some(list) => value.strip_prefix("[{ kind = \"").filter(|_| chosen == list)?.split('"').next(),
            None => (chosen == format!("{path}.kind")).then_some(value),
        }
    }
    let schema = Scenario::schema();
    for place in all_fields() {
        let mut found = &schema;
        let mut path = String::new();
        for key in place.path.split('.') {
            let kind = place.chosen.iter().find_map(|(chosen, value)| kind_at(&path, chosen, value));
            found = find(found, kind, key.trim_end_matches("[0]"));
            if key.ends_with("[0]") {
                found = &found["items"];
            }
            path = if path.is_empty() { key.into() } else { format!("{path}.{key}") };
        }
        assert!(found["description"].is_string(), "{} is not in the schema", place.path);
        assert_eq!(found["default"].is_null(), place.field.default.is_none(), "{}", place.path);
    }
}
