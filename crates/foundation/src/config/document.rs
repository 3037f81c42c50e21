//! A configuration text as a tree in which every value remembers where it was written.

use super::Provision;
use super::grammar::{parse_json, parse_toml, read_fragment};
use super::problem::Problem;

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

    /// The value as a TOML fragment that [`parse_fragment`](super::parse_fragment) reads back.
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
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Self> {
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

    /// How a path leaves a list behind: by which of its steps, and how long the list is. A place right behind the last one is still good:
    /// something new goes there.
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

    /// The value under a key of a table, or at a place of a list (`[0]`).
    fn child(&self, step: &str) -> Option<&Self> {
        match (&self.value, place_in_list(step)) {
            (Value::Array(nodes), Some(place)) => nodes.get(place),
            _ => self.get(step),
        }
    }

    /// Puts `node` at a dotted path, making tables and lists on the way; replaces what stood there.
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
            // `policy = "epd"` is short for `policy = { kind = "epd" }`: keep it when a parameter is set beside it.
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

    /// What a path goes through where there is nothing yet: a list if its next step is a place in one.
    fn empty(path: &[&str], place: &Place) -> Self {
        let is_list = path.first().is_some_and(|step| place_in_list(step).is_some());
        let value = if is_list { Value::Array(Vec::new()) } else { Value::Table(Vec::new()) };
        Self { value, place: place.clone() }
    }

    /// Puts the value and all below it at a place.
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

/// A text, its name and its tree.
#[derive(Clone, Debug)]
pub struct Document {
    /// How messages name the text.
    pub source: String,
    text: String,
    /// The tree.
    pub root: Node,
    /// Values from the caller that the text may mention by name.
    pub provision: Provision,
    /// Why some of what was to be set is not: whoever checks the document has to object to it.
    pub unset: Vec<Problem>,
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
        let mut document = Self { source: source.into(), text, root, provision: Provision::default(), unset: vec![] };
        let parsed = if source.ends_with(".json") { parse_json(&document.text) } else { parse_toml(&document.text) };
        match parsed {
            Ok(root) => {
                document.root = root;
                Ok(document)
            }
            Err(problems) => Err(problems.iter().map(|problem| document.render(problem)).collect()),
        }
    }

    /// What stands under a key in place of the whole, if all of these keys are there.
    #[must_use]
    pub fn within(mut self, key: &str, beside: &[&str]) -> Self {
        if beside.iter().all(|other| self.root.get(other).is_some())
            && let Some(part) = self.root.get(key).cloned()
        {
            self.root = part;
        }
        self
    }

    /// Provides a value that the text may mention by name, such as the congestion controls of users.
    #[must_use]
    pub fn provided_with<T: std::any::Any + Send + Sync>(mut self, value: T) -> Self {
        self.provision = Provision::new(value);
        self
    }

    /// Sets the value at a dotted path to `value`, a TOML value or a bare text. What cannot be set is told by [`Self::unset`].
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

/// What to say of a path that leads to a place far behind the end of a list.
fn no_such_place(steps: &[&str], length: usize) -> String {
    let list = steps[..steps.len() - 1].join(".").replace(".[", "[");
    let place = steps.last().copied().unwrap_or_default();
    format!("there is no {list}{place}; the list has {length}, and a new one is [{length}]")
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::grammar::MOST_SYNTAX_ERRORS;

    fn document(text: &str) -> Document {
        Document::parse(text.as_bytes(), "scenario.toml").expect("it is TOML")
    }

    /// What is said of a value that cannot be set, or what the document is then.
    fn set(text: &str, path: &str, value: &str) -> Result<String, String> {
        let mut document = document(text);
        document.set(path, value, "--set");
        match document.unset.first() {
            Some(problem) => Err(document.render(problem)),
            None => Ok(document.root.to_fragment()),
        }
    }

    #[test]
    fn what_is_set_right_behind_the_last_of_a_list_is_appended_to_it() {
        let background = r#"{ "background" = [{ "kind" = "poisson" }] }"#;
        assert_eq!(set("", "background[0].kind", "poisson").as_deref(), Ok(background));
        let second = r#"{ "background" = [{ "load" = 1 }, { "load" = 2 }] }"#;
        assert_eq!(set("[[background]]\nload = 1\n", "background[1].load", "2").as_deref(), Ok(second));
    }

    #[test]
    fn nothing_is_set_further_behind_a_list_and_the_message_counts_it() {
        let told = |length, next| {
            Err(format!("--set: there is no connections[4]; the list has {length}, and a new one is [{next}]"))
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
