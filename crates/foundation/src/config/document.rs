//! A configuration text as a tree of values that know their positions in the text.

use std::sync::Arc;

use super::Provision;
use super::grammar::{parse_json, parse_toml, read_fragment};
use super::problem::{Problem, limited};

/// Origin of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// Byte offset in the document's text.
    Text(usize),
    /// Override, with its name on the command line or in the call.
    Override(String),
    /// Default of the declaration.
    Default,
}

/// A value and its origin.
#[derive(Clone, Debug)]
pub struct Node {
    /// The value as written.
    pub value: Value,
    /// Its origin.
    pub place: Place,
}

/// Values of TOML and JSON.
#[derive(Clone, Debug)]
pub enum Value {
    /// Keys with their origins, in the order of the text where the format preserves it.
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
    /// Anything that scenarios do not use (a date, `null`, an integer beyond 64 bits), as written.
    Other(String),
}

/// A key of a table and its origin.
#[derive(Clone, Debug)]
pub struct Key {
    /// The key.
    pub name: String,
    /// Its origin.
    pub place: Place,
}

impl Node {
    /// Kind of the value, in words for messages.
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

    /// The value as a TOML fragment, which [`parse_fragment`](super::parse_fragment) can read.
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

    /// The value of `key`, if this is a table.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Self> {
        match &self.value {
            Value::Table(entries) => entries.iter().find(|(k, _)| k.name == key).map(|(_, node)| node),
            _ => None,
        }
    }

    /// [`get`](Self::get), mutable.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Self> {
        match &mut self.value {
            Value::Table(entries) => entries.iter_mut().find(|(k, _)| k.name == key).map(|(_, node)| node),
            _ => None,
        }
    }

    /// The node at a dotted path such as `background[0].load`, or its deepest existing ancestor.
    #[must_use]
    pub fn nearest(&self, path: &str) -> &Self {
        let steps = steps_of(path);
        steps.iter().try_fold(self, |node, step| node.child(step).ok_or(node)).unwrap_or_else(|node| node)
    }

    /// If a path indexes a list beyond its end: the index of that step, and the length of the list. The index equal to the length is
    /// allowed: it appends an item.
    fn beyond_list(&self, steps: &[&str]) -> Option<(usize, usize)> {
        let mut node = Some(self);
        for (index, step) in steps.iter().enumerate() {
            let length = match node.map(|node| &node.value) {
                Some(Value::Array(nodes)) => Some(nodes.len()),
                Some(_) => None,
                None => Some(0),
            };
            if let (Some(place), Some(length)) = (place_in_list(step), length)
                && place > length
            {
                return Some((index, length));
            }
            node = node.and_then(|node| node.child(step));
        }
        None
    }

    /// The value of a key of a table, or the item of a list at an index (`[0]`).
    fn child(&self, step: &str) -> Option<&Self> {
        match (&self.value, place_in_list(step)) {
            (Value::Array(nodes), Some(place)) => nodes.get(place),
            _ => self.get(step),
        }
    }

    /// Sets the node at a dotted path; creates missing tables and lists.
    fn set(&mut self, path: &[&str], node: Self) {
        let [key, rest @ ..] = path else {
            *self = node;
            return;
        };
        if let (Value::Array(nodes), Some(place)) = (&mut self.value, place_in_list(key)) {
            if place == nodes.len() {
                nodes.push(Self::empty(rest, &node.place));
            }
            if let Some(item) = nodes.get_mut(place) {
                return item.set(rest, node);
            }
        }
        if !matches!(self.value, Value::Table(_)) {
            // `policy = "epd"` is short for `policy = { kind = "epd" }`: keep the kind when a parameter is set beside it.
            let entries = match &self.value {
                Value::Text(_) => vec![(Key { name: "kind".into(), place: self.place.clone() }, self.clone())],
                _ => Vec::new(),
            };
            *self = Self { value: Value::Table(entries), place: node.place.clone() };
        }
        let Value::Table(entries) = &mut self.value else { unreachable!("made a table above") };
        let index = entries.iter().position(|(k, _)| k.name == *key).unwrap_or_else(|| {
            let key = Key { name: (*key).into(), place: node.place.clone() };
            entries.push((key, Self::empty(rest, &node.place)));
            entries.len() - 1
        });
        entries[index].1.set(rest, node);
    }

    /// An empty container for the rest of a path: a list if the next step is an index.
    fn empty(path: &[&str], place: &Place) -> Self {
        let is_list = path.first().is_some_and(|step| place_in_list(step).is_some());
        let value = if is_list { Value::Array(Vec::new()) } else { Value::Table(Vec::new()) };
        Self { value, place: place.clone() }
    }

    /// Sets the origin of the node and all its descendants.
    pub fn relocate(&mut self, place: &Place) {
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

/// The key of a document's root with which editors find the schema.
pub(super) const FOR_EDITORS: &str = "$schema";

/// A configuration text with its tree.
#[derive(Clone, Debug)]
pub struct Document {
    /// Name of the text in messages.
    pub source: String,
    text: Arc<str>,
    /// Byte offset of the first character of each line.
    line_starts: Arc<[usize]>,
    /// The tree.
    pub root: Node,
    /// Values that the caller provides and the text mentions by name.
    pub provision: Provision,
    /// Overrides that could not be applied; the check of the document must report them.
    pub unset: Vec<Problem>,
}

impl Document {
    /// Parses TOML, or JSON if `source` ends in `.json`. A text at `$schema` is for editors, and left out.
    ///
    /// # Errors
    /// If the text is not valid UTF-8 or has syntax errors.
    pub fn parse(bytes: &[u8], source: &str) -> Result<Self, Vec<String>> {
        if bytes.len() > MOST_BYTES {
            let (size, most) = (bytes.len() >> 20, MOST_BYTES >> 20);
            return Err(vec![format!("{source}: {size} MiB of text; at most {most} MiB are read")]);
        }
        let text = match std::str::from_utf8(bytes) {
            // Editors on Windows may write a byte order mark; it is not part of the text.
            Ok(text) => text.strip_prefix('\u{FEFF}').unwrap_or(text),
            Err(error) => return Err(vec![not_text(bytes, error.valid_up_to(), source)]),
        };
        let mut document = Self {
            source: source.into(),
            text: text.into(),
            line_starts: line_starts(text),
            root: Node { value: Value::Table(Vec::new()), place: Place::Text(0) },
            provision: Provision::default(),
            unset: vec![],
        };
        match if source.ends_with(".json") { parse_json(text) } else { parse_toml(text) } {
            Ok(mut root) => {
                if let Value::Table(entries) = &mut root.value {
                    entries.retain(|(key, node)| key.name != FOR_EDITORS || !matches!(node.value, Value::Text(_)));
                }
                document.root = root;
                Ok(document)
            }
            Err(problems) => Err(document.report(&problems)),
        }
    }

    /// The subtree at `key` in place of the whole document, if all of the keys `beside` exist too.
    #[must_use]
    pub fn within(mut self, key: &str, beside: &[&str]) -> Self {
        if beside.iter().all(|other| self.root.get(other).is_some())
            && let Some(part) = self.root.get(key).cloned()
        {
            self.root = part;
        }
        self
    }

    /// Adds a value that the text may mention by name, such as users' congestion controls.
    #[must_use]
    pub fn provided_with<T: std::any::Any + Send + Sync>(mut self, value: T) -> Self {
        self.provision = Provision::new(value);
        self
    }

    /// Overrides the value at a dotted path with `value`, a TOML value or a bare text. Failures are collected in [`Self::unset`].
    pub fn set(&mut self, path: &str, value: &str, label: &str) {
        let place = Place::Override(label.into());
        let steps = steps_of(path);
        let good = match self.root.beyond_list(&steps) {
            Some((step, length)) => Err(no_such_place(&steps[..=step], length)),
            None => read_fragment(value),
        };
        match good {
            Ok(mut node) => {
                node.relocate(&place);
                self.root.set(&steps, node);
            }
            Err(message) => self.unset.push(Problem { place, path: String::new(), message }),
        }
    }

    /// Formats problems, each as one line; counts those beyond the first [`MOST_PROBLEMS`](super::MOST_PROBLEMS).
    #[must_use]
    pub fn report(&self, problems: &[Problem]) -> Vec<String> {
        limited(problems, |problem| self.render(problem), &self.source)
    }

    /// Formats a problem as one line: `file:line:column: path: message`.
    #[must_use]
    pub fn render(&self, problem: &Problem) -> String {
        let place = match &problem.place {
            Place::Text(offset) => {
                let (line, column) = line_and_column(&self.text, &self.line_starts, *offset);
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

/// Longest text that is read, in bytes: a schedule of some million steps.
const MOST_BYTES: usize = 64 << 20;

/// Deepest path. A longer one is a mistake and is not followed.
const DEEPEST_PATH: usize = 32;

/// Splits a dotted path into steps; an index of a list is a step of its own, in brackets or behind a dot: `background`, `[0]`, `load`.
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

/// The index in a step such as `[0]`, or `0` alone: no key of a scenario is a number.
fn place_in_list(step: &str) -> Option<usize> {
    let bare = step.strip_prefix('[').map_or(Some(step), |rest| rest.strip_suffix(']'))?;
    bare.bytes().all(|byte| byte.is_ascii_digit()).then(|| bare.parse().ok())?
}

/// A quoted text; JSON's escapes are valid in TOML.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Message for a path that indexes a list beyond its end.
fn no_such_place(steps: &[&str], length: usize) -> String {
    let list = steps[..steps.len() - 1].join(".").replace(".[", "[");
    let place = steps.last().and_then(|step| place_in_list(step)).unwrap_or_default();
    format!("there is no {list}[{place}]; the list has length {length}, and [{length}] appends an item")
}

fn not_text(bytes: &[u8], valid: usize, source: &str) -> String {
    let text = std::str::from_utf8(&bytes[..valid]).unwrap_or_default();
    let (line, column) = line_and_column(text, &line_starts(text), valid);
    let what = if bytes.contains(&0) { "a binary file" } else { "not valid UTF-8" };
    format!("{source}:{line}:{column}: {what}; expected a text in TOML or JSON, encoded in UTF-8")
}

fn line_starts(text: &str) -> Arc<[usize]> {
    std::iter::once(0).chain(text.match_indices('\n').map(|(newline, _)| newline + 1)).collect()
}

/// Line and column of a byte offset, from 1; the end of the text for an offset beyond it.
fn line_and_column(text: &str, line_starts: &[usize], offset: usize) -> (usize, usize) {
    let before = text.get(..offset).unwrap_or(text);
    let line = line_starts.partition_point(|start| *start <= before.len());
    (line, before[line_starts[line - 1]..].chars().count() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::grammar::MOST_SYNTAX_ERRORS;

    fn document(text: &str) -> Document {
        Document::parse(text.as_bytes(), "scenario.toml").expect("it is TOML")
    }

    /// The message of a failed override, or the resulting document.
    fn set(text: &str, path: &str, value: &str) -> Result<String, String> {
        let mut document = document(text);
        document.set(path, value, "--set");
        match document.unset.first() {
            Some(problem) => Err(document.render(problem)),
            None => Ok(document.root.to_fragment()),
        }
    }

    #[test]
    fn the_schema_that_a_text_names_is_for_editors() {
        let named = r#"{ "$schema": "scenario.schema.json", "seed": 3 }"#;
        let document = |text: &str| Document::parse(text.as_bytes(), "scenario.json").expect("it is JSON");
        assert_eq!(document(named).root.to_fragment(), r#"{ "seed" = 3 }"#);
        let within = r#"{ "tcp": { "$schema": "x" }, "$schema": 5 }"#;
        assert_eq!(document(within).root.to_fragment(), r#"{ "tcp" = { "$schema" = "x" }, "$schema" = 5 }"#);
        assert_eq!(self::document("\"$schema\" = \"x\"\nseed = 3").root.to_fragment(), r#"{ "seed" = 3 }"#);
    }

    #[test]
    fn what_is_set_right_behind_the_last_of_a_list_is_appended_to_it() {
        let background = r#"{ "background" = [{ "kind" = "poisson" }] }"#;
        assert_eq!(set("", "background[0].kind", "poisson").as_deref(), Ok(background));
        let second = r#"{ "background" = [{ "load" = 1 }, { "load" = 2 }] }"#;
        assert_eq!(set("[[background]]\nload = 1\n", "background[1].load", "2").as_deref(), Ok(second));
    }

    #[test]
    fn an_index_of_a_list_is_in_brackets_or_behind_a_dot() {
        let text = "[[connections]]\ncount = 1\n[[connections]]\ncount = 2\n";
        assert_eq!(set(text, "connections.1.count", "3"), set(text, "connections[1].count", "3"));
        assert_eq!(set("", "connections.0.count", "3"), set("", "connections[0].count", "3"));
        assert_eq!(
            set(text, "connections.7.count", "3").expect_err("there are two"),
            "--set: there is no connections[7]; the list has length 2, and [2] appends an item"
        );
    }

    #[test]
    fn nothing_is_set_further_behind_a_list_and_the_message_counts_it() {
        let told = |length, next| {
            Err(format!(
                "--set: there is no connections[4]; the list has length {length}, and [{next}] appends an item"
            ))
        };
        assert_eq!(set("", "connections[4].count", "1"), told(0, 0));
        assert_eq!(set("[[connections]]\n[[connections]]\n", "connections[4].count", "1"), told(2, 2));
    }

    #[test]
    fn a_value_that_begins_as_a_table_or_a_list_has_to_be_one() {
        for value in ["{kind=\"epd\"", "[1, 2", "{kind epd}"] {
            let told = set("", "port.policy", value).expect_err("it is no TOML");
            assert!(told.starts_with("--set: not valid TOML: "), "{told}");
            assert!(told.ends_with("; a table is { key = value }, a list [value, value]"), "{told}");
        }
        assert!(set("", "port.buffer", "12000 cells").is_ok());
    }

    #[test]
    fn of_a_text_in_another_language_a_few_errors_are_told_and_the_others_counted() {
        let text = "def function(argument):\n    return argument\n".repeat(50);
        let problems = Document::parse(text.as_bytes(), "scenario.py").expect_err("it is no TOML");
        assert_eq!(problems.len(), MOST_SYNTAX_ERRORS + 1);
        assert!(problems[5].starts_with("scenario.py: and ") && problems[5].contains(" more of these"), "{problems:?}");
    }
}
