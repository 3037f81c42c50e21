//! The knobs of a document, and which of them it leaves at their defaults.

use super::document::{Node, Value};
use super::grammar::parse_fragment;
use super::schema::one_line;
use super::section::{Field, ModelShape, Shape};

/// A parameter that the sources leave open, with its setting in a document.
#[derive(Clone, Debug)]
pub struct Knob {
    /// Dotted path in the document: `port.policy.threshold`.
    pub path: String,
    /// Model whose parameter it is; the same path may mean something else in another model.
    pub model: Option<&'static str>,
    /// Setting in the document, or the default, as a fragment.
    pub value: String,
    /// True if the document sets it.
    pub is_set: bool,
    /// Default and alternatives, in the order of the declaration.
    pub settings: Vec<&'static str>,
    /// Documentation of the parameter, as declared.
    pub doc: String,
}

/// Knobs of a document whose root is a table of `fields`, in the order of the declarations.
///
/// Includes the parameters of the chosen models only.
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

/// The model that a document chooses, or the default if a table of parameters names none.
fn chosen<'m>(models: &'m [ModelShape], node: &Node, default: Option<&'static str>) -> Option<&'m ModelShape> {
    let name = match (&node.value, node.get("kind").map(|kind| &kind.value)) {
        (Value::Text(name), _) | (_, Some(Value::Text(name))) => name,
        _ => default?,
    };
    models.iter().find(|model| model.name == name)
}

/// A text without quotes; any other value as a fragment.
fn plain(node: &Node) -> String {
    match &node.value {
        Value::Text(text) => text.clone(),
        _ => node.to_fragment(),
    }
}
