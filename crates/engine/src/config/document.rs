//! A configuration text as a tree in which every value remembers where it was written.

use jsonc_parser::ast as json;
use jsonc_parser::{CollectOptions, ParseOptions, common::Ranged};
use toml::de::{DeTable, DeValue};

use super::problem::Problem;
use crate::transport::Controls;

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// A byte offset of the document's text.
    Text(usize),
    /// An override, named as the user gave it.
    Override(String),
    /// A default of the declaration.
    Default,
}

/// A value and its place.
#[derive(Clone, Debug)]
pub struct Node {
    /// What was written.
    pub value: Value,
    /// Where.
    pub place: Place,
}

/// What TOML and JSON can say.
#[derive(Clone, Debug)]
pub enum Value {
    /// Keys with their places, in the order of the text where the format keeps it.
    Table(Vec<(Key, Node)>),
    /// A list.
    Array(Vec<Node>),
    /// A text.
    Text(String),
    /// A whole number.
    Integer(i64),
    /// A number with a fraction or exponent.
    Float(f64),
    /// True or false.
    Boolean(bool),
    /// Anything a scenario has no use for (a date, `null`, an integer beyond 64 bits), as written.
    Other(String),
}

/// A key of a table and its place.
#[derive(Clone, Debug)]
pub struct Key {
    /// The key.
    pub name: String,
    /// Where it is written.
    pub place: Place,
}

impl Node {
    /// What kind of value this is, in words for messages.
    #[must_use]
    pub fn describe(&self) -> String {
        match &self.value {
            Value::Table(_) => "a table".into(),
            Value::Array(_) => "a list".into(),
            Value::Text(text) => format!("the text {text:?}"),
            Value::Integer(number) => format!("the number {number}"),
            Value::Float(number) => format!("the number {number:?}"),
            Value::Boolean(value) => format!("{value}"),
            Value::Other(text) => text.clone(),
        }
    }

    /// The value as a TOML fragment that [`parse_fragment`] reads back.
    #[must_use]
    pub fn to_fragment(&self) -> String {
        match &self.value {
            Value::Table(entries) => {
                let entry = |(key, node): &(Key, Self)| format!("{} = {}", quoted(&key.name), node.to_fragment());
                format!("{{ {} }}", entries.iter().map(entry).collect::<Vec<_>>().join(", "))
            }
            Value::Array(nodes) => format!("[{}]", nodes.iter().map(Self::to_fragment).collect::<Vec<_>>().join(", ")),
            Value::Text(text) => quoted(text),
            Value::Integer(number) => number.to_string(),
            Value::Float(number) => format!("{number:?}"),
            Value::Boolean(value) => value.to_string(),
            Value::Other(text) => text.clone(),
        }
    }

    /// The value under `key` of a table.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Self> {
        match &self.value {
            Value::Table(entries) => entries.iter().find(|(k, _)| k.name == key).map(|(_, node)| node),
            _ => None,
        }
    }

    /// The same, to be changed.
    pub(crate) fn get_mut(&mut self, key: &str) -> Option<&mut Self> {
        match &mut self.value {
            Value::Table(entries) => entries.iter_mut().find(|(k, _)| k.name == key).map(|(_, node)| node),
            _ => None,
        }
    }

    /// The node at a dotted path such as `background[0].load`, or the deepest one on the way there.
    #[must_use]
    pub fn nearest(&self, path: &str) -> &Self {
        let steps = steps_of(path);
        steps.iter().try_fold(self, |node, step| node.child(step).ok_or(node)).unwrap_or_else(|node| node)
    }

    /// The value under a key of a table, or at a place of a list (`[0]`).
    fn child(&self, step: &str) -> Option<&Self> {
        match (&self.value, place_in_list(step)) {
            (Value::Array(nodes), Some(place)) => nodes.get(place),
            _ => self.get(step),
        }
    }

    /// Puts `node` at a dotted path, making tables on the way; replaces what stood there.
    fn set(&mut self, path: &[&str], node: Self) {
        let [key, rest @ ..] = path else {
            *self = node;
            return;
        };
        if let (Value::Array(nodes), Some(place)) = (&mut self.value, place_in_list(key))
            && let Some(item) = nodes.get_mut(place)
        {
            return item.set(rest, node);
        }
        if !matches!(self.value, Value::Table(_)) {
            // `policy = "epd"` is short for `policy = { kind = "epd" }`: keep it when a parameter is set beside it.
            let entries = match &self.value {
                Value::Text(_) => vec![(Key { name: "kind".into(), place: self.place.clone() }, self.clone())],
                _ => Vec::new(),
            };
            *self = Self { value: Value::Table(entries), place: node.place.clone() };
        }
        let Value::Table(entries) = &mut self.value else { unreachable!("made a table above") };
        let index = entries.iter().position(|(k, _)| k.name == *key).unwrap_or_else(|| {
            let empty = Self { value: Value::Table(Vec::new()), place: node.place.clone() };
            entries.push((Key { name: (*key).into(), place: node.place.clone() }, empty));
            entries.len() - 1
        });
        entries[index].1.set(rest, node);
    }

    /// Puts the value and all below it at a place.
    pub(crate) fn relocate(&mut self, place: &Place) {
        self.place = place.clone();
        match &mut self.value {
            Value::Table(entries) => {
                for (key, node) in entries {
                    key.place = place.clone();
                    node.relocate(place);
                }
            }
            Value::Array(nodes) => nodes.iter_mut().for_each(|node| node.relocate(place)),
            _ => {}
        }
    }
}

/// A text, its name and its tree.
#[derive(Clone, Debug)]
pub struct Document {
    /// How messages name the text.
    pub source: String,
    text: String,
    /// The tree.
    pub root: Node,
    /// What is provided from outside under the names that it may mention.
    pub controls: Controls,
}

impl Document {
    /// Reads TOML, or JSON when `source` ends in `.json`.
    ///
    /// # Errors
    /// Everything that is no valid UTF-8 or does not follow the grammar.
    pub fn parse(bytes: &[u8], source: &str) -> Result<Self, Vec<String>> {
        let text = match std::str::from_utf8(bytes) {
            // Editors on Windows like to begin a file with a byte order mark; it is no part of the text.
            Ok(text) => text.strip_prefix('\u{FEFF}').unwrap_or(text).to_owned(),
            Err(error) => return Err(vec![not_text(bytes, error.valid_up_to(), source)]),
        };
        let root = Node { value: Value::Table(Vec::new()), place: Place::Text(0) };
        let mut document = Self { source: source.into(), text, root, controls: Controls::default() };
        let parsed = if source.ends_with(".json") { parse_json(&document.text) } else { parse_toml(&document.text) };
        match parsed {
            Ok(root) => {
                document.root = root;
                Ok(document)
            }
            Err(problems) => Err(problems.iter().map(|problem| document.render(problem)).collect()),
        }
    }

    /// The same text with these controls provided.
    #[must_use]
    pub fn provided_with(mut self, controls: Controls) -> Self {
        self.controls = controls;
        self
    }

    /// Sets the value at a dotted path to `value`, a TOML value or a bare text.
    pub fn set(&mut self, path: &str, value: &str, label: &str) {
        let mut node = parse_fragment(value);
        node.relocate(&Place::Override(label.into()));
        self.root.set(&steps_of(path), node);
    }

    /// A problem as one line: `file:line:column: path: message`.
    #[must_use]
    pub fn render(&self, problem: &Problem) -> String {
        let place = match &problem.place {
            Place::Text(offset) => {
                let (line, column) = line_and_column(&self.text, *offset);
                format!("{}:{line}:{column}", self.source)
            }
            Place::Override(label) => label.clone(),
            Place::Default => self.source.clone(),
        };
        if problem.path.is_empty() {
            format!("{place}: {}", problem.message)
        } else {
            format!("{place}: {}: {}", problem.path, problem.message)
        }
    }
}

/// No configuration is deeper: a longer path is a mistake, and not followed.
const DEEPEST_PATH: usize = 32;

/// The keys of a dotted path; a place in a list is a key of its own: `background`, `[0]`, `load`.
fn steps_of(path: &str) -> Vec<&str> {
    let mut steps = Vec::new();
    for piece in path.splitn(DEEPEST_PATH, '.') {
        match piece.find('[').map(|bracket| piece.split_at(bracket)) {
            Some((name, place)) if place_in_list(place).is_some() => steps.extend([name, place]),
            _ => steps.push(piece),
        }
    }
    steps
}

/// The place that `[0]` means.
fn place_in_list(step: &str) -> Option<usize> {
    step.strip_prefix('[')?.strip_suffix(']')?.parse().ok()
}

/// A text in quotes; JSON's escapes are TOML's too.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Reads one value: TOML if it is, otherwise the text itself (`--set port.buffer="12000 cells"`).
#[must_use]
pub fn parse_fragment(text: &str) -> Node {
    match DeValue::parse(text) {
        Ok(value) => from_toml(value.get_ref(), Place::Default),
        Err(_) => Node { value: Value::Text(text.into()), place: Place::Default },
    }
}

fn not_text(bytes: &[u8], valid: usize, source: &str) -> String {
    let text = std::str::from_utf8(&bytes[..valid]).unwrap_or_default();
    let (line, column) = line_and_column(text, valid);
    let what = if bytes.contains(&0) { "a binary file" } else { "not valid UTF-8" };
    format!("{source}:{line}:{column}: {what}; expected a text in TOML or JSON, encoded in UTF-8")
}

fn line_and_column(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..offset).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
}

fn parse_toml(text: &str) -> Result<Node, Vec<Problem>> {
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

/// Plain JSON: none of the extensions that the parser could accept.
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

fn parse_json(text: &str) -> Result<Node, Vec<Problem>> {
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
