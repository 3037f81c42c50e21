//! JSON Schema and documentation, derived from declared shapes.

use serde_json::{Map, Value as Json, json};

use super::document::FOR_EDITORS;
use super::quantity::Dimension;
use super::section::{Field, ModelShape, Shape};
use super::{Node, Value, parse_fragment};

/// JSON Schema of a document whose root is a table of `fields`.
#[must_use]
pub fn document_schema(title: &str, fields: &[Field]) -> Json {
    let mut schema = table_schema(fields, None);
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema".into();
    // No property that programs would offer as a setting.
    schema["patternProperties"] = json!({ format!("^\\{FOR_EDITORS}$"): { "type": "string" } });
    schema["title"] = title.into();
    schema
}

/// Parameters of a model or section as JSON, for people and programs.
#[must_use]
pub fn parameters_json(fields: &[Field]) -> Json {
    let parameter = |field: &Field| {
        json!({
            "name": field.name,
            "expected": field.shape().expected(),
            "default": field.default,
            "alternatives": field.alternatives,
            "doc": one_line(field.doc),
        })
    };
    fields.iter().map(parameter).collect()
}

/// Joins the lines of a doc comment into one paragraph.
#[must_use]
pub fn one_line(doc: &str) -> String {
    doc.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn table_schema(fields: &[Field], kind: Option<&str>) -> Json {
    let mut properties = Map::new();
    let mut required: Vec<Json> = Vec::new();
    let mut either: Vec<Json> = Vec::new();
    if let Some(kind) = kind {
        properties.insert("kind".into(), json!({ "const": kind }));
        required.push("kind".into());
    }
    for field in fields {
        properties.insert(field.name.into(), field_schema(field));
        let has_base_unit = !field.suffix.is_empty();
        if has_base_unit {
            let doc = format!("{} As a whole number in base units.", one_line(field.doc));
            let mut schema = shape_schema(&field.resolved_shape());
            schema["description"] = doc.into();
            properties.insert(field.resolved_name(), schema);
        }
        match (field.default, has_base_unit) {
            (Some(_), _) => {}
            (None, false) => required.push(field.name.into()),
            (None, true) => {
                let names = [field.name.to_owned(), field.resolved_name()];
                either.push(json!({ "oneOf": names.map(|name| json!({ "required": [name] })) }));
            }
        }
    }
    let mut schema = json!({ "type": "object", "properties": properties, "additionalProperties": false });
    if !required.is_empty() {
        schema["required"] = required.into();
    }
    if !either.is_empty() {
        // A condition that always holds: beside a bare `allOf`, taplo, the language server for TOML, completes no key of the table.
        schema["if"] = true.into();
        schema["then"] = json!({ "allOf": either });
    }
    schema
}

fn field_schema(field: &Field) -> Json {
    let mut schema = shape_schema(&field.shape());
    let mut description = one_line(field.doc);
    if !field.alternatives.is_empty() {
        description +=
            &format!(" Knob: the sources leave this open; also {}.", super::listed(field.alternatives.iter().copied()));
    }
    schema["description"] = description.into();
    if let Some(default) = field.default {
        schema["default"] = default_json(default);
        let forms = schema.get_mut("oneOf").and_then(Json::as_array_mut);
        if let (Shape::Model { .. }, Some(forms)) = (field.shape(), forms) {
            let doc = "Parameters of the model that is the default here.";
            forms.push(json!({ "type": "object", "not": { "required": ["kind"] }, "description": doc }));
        }
    }
    schema
}

fn default_json(text: &str) -> Json {
    fn json(node: Node) -> Json {
        match node.value {
            Value::Text(text) => text.into(),
            Value::Integer(number) => number.into(),
            Value::Float(number) => number.into(),
            Value::Boolean(value) => value.into(),
            Value::Array(items) => items.into_iter().map(json).collect(),
            Value::Table(entries) => entries.into_iter().map(|(key, node)| (key.name, json(node))).collect(),
            Value::Other(_) => Json::Null,
        }
    }
    json(parse_fragment(text))
}

fn shape_schema(shape: &Shape) -> Json {
    match shape {
        Shape::Quantity { expected, examples } => {
            let mut schema = json!({ "type": "string", "examples": examples, "title": expected });
            if let Some(dimension) = Dimension::expecting(expected) {
                schema["pattern"] = dimension.pattern().into();
            }
            schema
        }
        Shape::Integer { minimum, maximum } => json!({ "type": "integer", "minimum": minimum, "maximum": maximum }),
        Shape::Number { above, up_to: None } => json!({ "type": "number", "exclusiveMinimum": above }),
        Shape::Number { above, up_to } => {
            json!({ "type": "number", "exclusiveMinimum": above, "maximum": up_to })
        }
        Shape::Within { low, high } => json!({ "type": "number", "minimum": low, "maximum": high }),
        Shape::Probability => json!({ "type": "number", "minimum": 0, "maximum": 1 }),
        Shape::Boolean => json!({ "type": "boolean" }),
        Shape::Text => json!({ "type": "string" }),
        Shape::Choice(variants) => {
            let word =
                |variant: &super::VariantShape| json!({ "const": variant.name, "description": one_line(variant.doc) });
            json!({ "oneOf": variants.iter().map(word).collect::<Vec<_>>() })
        }
        Shape::Section(fields) => table_schema(fields, None),
        Shape::Model { models, .. } => {
            let names: Vec<_> = models.iter().map(|model| model.name).collect();
            let mut forms = vec![json!({ "enum": names, "description": "A model with its defaults." })];
            forms.extend(models.iter().map(model_schema));
            json!({ "oneOf": forms })
        }
        Shape::Either(shapes) => json!({ "anyOf": shapes.iter().map(shape_schema).collect::<Vec<_>>() }),
        Shape::List(shape) => json!({ "type": "array", "items": shape_schema(shape) }),
        Shape::Map(expected) => json!({ "type": "object", "title": expected }),
    }
}

fn model_schema(model: &ModelShape) -> Json {
    let mut schema = table_schema(&model.fields, Some(model.name));
    schema["description"] = format!("{} ({})", one_line(model.summary), model.source).into();
    schema
}
