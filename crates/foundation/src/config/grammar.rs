//! Parsers of TOML and JSON that record the position of every node.

use jsonc_parser::ast as json;
use jsonc_parser::{CollectOptions, ParseOptions, common::Ranged};
use toml::de::{DeTable, DeValue};

use super::document::{Key, Node, Place, Value};
use super::problem::Problem;

/// Parses one value: TOML if it is valid, otherwise the text itself (`--set port.buffer="12000 cells"`).
#[must_use]
pub fn parse_fragment(text: &str) -> Node {
    toml_fragment(text).unwrap_or_else(|_| bare(text))
}

/// [`parse_fragment`], but a text that begins like a table or list must be valid.
pub(super) fn read_fragment(text: &str) -> Result<Node, String> {
    toml_fragment(text).or_else(|error| {
        if text.starts_with(['{', '[']) {
            let said = error.message();
            return Err(format!("not valid TOML: {said}; a table is {{ key = value }}, a list [value, value]"));
        }
        Ok(bare(text))
    })
}

fn toml_fragment(text: &str) -> Result<Node, toml::de::Error> {
    DeValue::parse(text).map(|value| from_toml(value.get_ref(), Place::Default))
}

fn bare(text: &str) -> Node {
    Node { value: Value::Text(text.into()), place: Place::Default }
}

/// Maximum of reported syntax errors. A text with more is in another language, or one mistake caused the others.
pub(super) const MOST_SYNTAX_ERRORS: usize = 5;

pub(super) fn parse_toml(text: &str) -> Result<Node, Vec<Problem>> {
    let (table, errors) = DeTable::parse_recoverable(text);
    if errors.is_empty() {
        return Ok(Node { value: from_toml_table(table.get_ref()), place: Place::Text(0) });
    }
    let problem = |error: toml::de::Error| {
        let place = Place::Text(error.span().map_or(0, |span| span.start));
        Problem { place, path: String::new(), message: format!("not valid TOML: {}", error.message()) }
    };
    let mut problems: Vec<_> = errors.into_iter().map(problem).collect();
    problems.dedup();
    let more = problems.len().saturating_sub(MOST_SYNTAX_ERRORS);
    problems.truncate(MOST_SYNTAX_ERRORS);
    if more > 0 {
        let message = format!("and {more} more of these; expected a text in TOML");
        problems.push(Problem { place: Place::Default, path: String::new(), message });
    }
    Err(problems)
}

fn from_toml_table(table: &DeTable<'_>) -> Value {
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    let entry = |(key, value): (&toml::Spanned<_>, &toml::Spanned<DeValue<'_>>)| {
        let key: &toml::Spanned<std::borrow::Cow<'_, str>> = key;
        let name = Key { name: key.get_ref().to_string(), place: Place::Text(key.span().start) };
        (name, from_toml(value.get_ref(), Place::Text(value.span().start)))
    };
    Value::Table(entries.into_iter().map(entry).collect())
}

fn from_toml(value: &DeValue<'_>, place: Place) -> Node {
    let value = match value {
        DeValue::String(text) => Value::Text(text.to_string()),
        DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix())
            .map_or_else(|_| Value::Other(format!("the number {}", number.as_str())), Value::Integer),
        DeValue::Float(number) => number
            .as_str()
            .parse()
            .map_or_else(|_| Value::Other(format!("the number {}", number.as_str())), Value::Float),
        DeValue::Boolean(value) => Value::Boolean(*value),
        DeValue::Datetime(date) => Value::Other(format!("the date {date}")),
        DeValue::Array(items) => {
            Value::Array(items.iter().map(|item| from_toml(item.get_ref(), Place::Text(item.span().start))).collect())
        }
        DeValue::Table(table) => from_toml_table(table),
    };
    Node { value, place }
}

/// Plain JSON, without the extensions that the parser supports.
const STRICT_JSON: ParseOptions = ParseOptions {
    allow_comments: false,
    allow_loose_object_property_names: false,
    allow_trailing_commas: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

pub(super) fn parse_json(text: &str) -> Result<Node, Vec<Problem>> {
    let problem = |offset, message: String| {
        vec![Problem { place: Place::Text(offset), path: String::new(), message: format!("not valid JSON: {message}") }]
    };
    match jsonc_parser::parse_to_ast(text, &CollectOptions::default(), &STRICT_JSON) {
        Ok(parsed) => match parsed.value {
            Some(value) => Ok(from_json(&value)),
            None => Err(problem(0, "the file is empty".into())),
        },
        Err(error) => Err(problem(error.range().start, error.kind().to_string())),
    }
}

fn from_json(value: &json::Value<'_>) -> Node {
    let place = Place::Text(value.range().start);
    let value = match value {
        json::Value::StringLit(text) => Value::Text(text.value.to_string()),
        json::Value::NumberLit(number) => number
            .value
            .parse()
            .map(Value::Integer)
            .or_else(|_| number.value.parse().map(Value::Float))
            .unwrap_or_else(|_| Value::Other(format!("the number {}", number.value))),
        json::Value::BooleanLit(value) => Value::Boolean(value.value),
        json::Value::NullKeyword(_) => Value::Other("null".into()),
        json::Value::Array(array) => Value::Array(array.elements.iter().map(from_json).collect()),
        json::Value::Object(object) => Value::Table(object.properties.iter().map(from_json_property).collect()),
    };
    Node { value, place }
}

fn from_json_property(property: &json::ObjectProp<'_>) -> (Key, Node) {
    let key = Key { name: property.name.as_str().to_owned(), place: Place::Text(property.name.range().start) };
    (key, from_json(&property.value))
}
