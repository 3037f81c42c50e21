//! Which knobs a document has, and which of them it leaves at their defaults.

use super::document::{Node, Value};
use super::grammar::parse_fragment;
use super::schema::one_line;
use super::section::{Field, ModelShape, Shape};

/// A choice that the sources leave open, where a document makes it or leaves it to the default.
#[derive(Clone, Debug)]
pub struct Knob {
    /// Dotted path in the document: `port.policy.threshold`.
    pub path: String,
    /// The model whose parameter it is: a parameter of the same path may mean something else in another.
    pub model: Option<&'static str>,
    /// What is written there, or the default, as a fragment.
    pub value: String,
    /// Whether it is written.
    pub is_set: bool,
    /// The default and its alternatives, in the order of the declaration.
    pub settings: Vec<&'static str>,
    /// What it is, and why it is open, as declared.
    pub doc: String,
}

/// The knobs of a document whose root is a table of `fields`, in the order of the declarations.
///
/// Only those are there that say something: the parameters of the models that are chosen, not those of others.
#[must_use]
pub fn knobs(fields: &[Field], root: &Node) -> Vec<Knob> {
    let mut found = Vec::new();
    of_table(fields, root, "", None, &mut found);
    found
}

fn of_table(fields: &[Field], table: &Node, path: &str, model: Option<&'static str>, found: &mut Vec<Knob>) {
    for field in fields {
        let path = if path.is_empty() { field.name.to_owned() } else { format!("{path}.{}", field.name) };
        let written = table.get(field.name).or_else(|| table.get(&field.resolved_name()));
        let default = field.default.map(parse_fragment);
        let Some(node) = written.or(default.as_ref()) else { continue };
        if !field.alternatives.is_empty() {
            found.push(Knob {
                path: path.clone(),
                model,
                value: plain(node),
                is_set: written.is_some(),
                settings: field.default.iter().chain(field.alternatives).copied().collect(),
                doc: one_line(field.doc),
            });
        }
        below(&field.shape(), node, field.default, &path, model, found);
    }
}

fn below(
    shape: &Shape,
    node: &Node,
    default: Option<&'static str>,
    path: &str,
    model: Option<&'static str>,
    found: &mut Vec<Knob>,
) {
    match shape {
        Shape::Section(fields) => of_table(fields, node, path, model, found),
        Shape::Model { models, .. } => {
            if let Some(chosen) = chosen(models, node, default) {
                of_table(&chosen.fields, node, path, Some(chosen.name), found);
            }
        }
        Shape::List(shape) => {
            let Value::Array(nodes) = &node.value else { return };
            for (place, node) in nodes.iter().enumerate() {
                below(shape, node, None, &format!("{path}[{place}]"), model, found);
            }
        }
        _ => {}
    }
}

/// The model that a document names, or the default's where a table of parameters names none.
fn chosen<'m>(models: &'m [ModelShape], node: &Node, default: Option<&'static str>) -> Option<&'m ModelShape> {
    let name = match (&node.value, node.get("kind").map(|kind| &kind.value)) {
        (Value::Text(name), _) | (_, Some(Value::Text(name))) => name,
        _ => default?,
    };
    models.iter().find(|model| model.name == name)
}

/// A text without its quotes, anything else as a fragment.
fn plain(node: &Node) -> String {
    match &node.value {
        Value::Text(text) => text.clone(),
        _ => node.to_fragment(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Document;
    use crate::scenario::Scenario;

    const SCENARIO: &str = r#"
        schema_version = 1
        duration = "1 s"
        topology = { kind = "n-source", access = { delay = "5 us" }, bottleneck = { delay = "5 us" } }
        port = { buffer = "1000 cells", policy = "epd" }
        background = [{ kind = "vbr-on-off", on = "1 ms", off = "1 ms", starts = "off" }]
        tcp = { timer_phase = "from-start", retransmission_timeout = { minimum_ticks = 3 } }
    "#;

    fn knob(path: &str) -> Option<Knob> {
        let document = Document::parse(SCENARIO.as_bytes(), "scenario.toml").unwrap();
        Scenario::knobs(&document).into_iter().find(|knob| knob.path == path)
    }

    #[test]
    fn a_knob_knows_whether_the_document_sets_it() {
        let left = knob("tcp.cwnd_limit").unwrap();
        assert_eq!((left.value.as_str(), left.is_set, left.model), ("receiver-window", false, None));
        assert_eq!(left.settings, ["receiver-window", "unlimited"]);
        assert!(left.doc.ends_with("(T-06)."), "{}", left.doc);
        let set = knob("tcp.timer_phase").unwrap();
        assert_eq!((set.value.as_str(), set.is_set), ("from-start", true));
    }

    #[test]
    fn the_parameters_of_the_chosen_model_are_knobs_whether_it_is_named_or_the_default() {
        let named = knob("port.policy.threshold").unwrap();
        assert_eq!((named.model, named.value.as_str(), named.is_set), (Some("epd"), "K - 200 cells", false));
        assert!(knob("port.policy.z").is_none(), "Selective Drop's");
        let of_default = knob("tcp.retransmission_timeout.minimum_ticks").unwrap();
        assert_eq!((of_default.model, of_default.value.as_str(), of_default.is_set), (Some("bsd-integer"), "3", true));
        assert_eq!(knob("framing.lost_last_cell").unwrap().model, Some("aal5"));
    }

    #[test]
    fn a_knob_in_a_list_has_its_place_in_the_path() {
        assert!(knob("background[0].starts").unwrap().is_set);
        assert!(!knob("background[0].phase").unwrap().is_set);
    }

    #[test]
    fn every_path_of_a_knob_can_be_set_to_each_of_its_settings_or_the_scenario_says_why_not() {
        let document = Document::parse(SCENARIO.as_bytes(), "scenario.toml").unwrap();
        for knob in Scenario::knobs(&document) {
            for setting in &knob.settings {
                let mut changed = document.clone();
                changed.set(&knob.path, setting, "knob");
                if let Err(problems) = Scenario::check(&changed) {
                    assert!(problems.iter().all(|problem| !problem.contains("unknown")), "{}: {problems:?}", knob.path);
                }
            }
        }
    }
}
