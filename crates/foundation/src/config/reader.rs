//! Reader of documents, which collects all problems instead of stopping at the first.

use std::collections::BTreeSet;

use super::document::{Key, Node, Place, Value};
use super::problem::{MOST_PROBLEMS, Problem, did_you_mean, listed};
use super::section::Field;
use super::{Parameter, Provision, parse_fragment};

/// Current path in the document, and the problems found.
#[derive(Default)]
pub struct Reader {
    path: Vec<String>,
    /// Values from the caller that a document may mention by name.
    pub provision: Provision,
    /// All problems found.
    pub problems: Vec<Problem>,
}

/// Entries of a table, looked up by field.
pub struct Entries<'n> {
    table: &'n Node,
    entries: &'n [(Key, Node)],
}

impl Reader {
    /// Creates a reader of documents that may mention the provided values.
    #[must_use]
    pub fn provided_with(provision: Provision) -> Self {
        Self { provision, ..Self::default() }
    }

    /// Reports that `node` is wrong.
    pub fn reject(&mut self, node: &Node, message: impl Into<String>) {
        self.reject_at(&node.place, message);
    }

    /// Reports that the text at `place` is wrong.
    pub fn reject_at(&mut self, place: &Place, message: impl Into<String>) {
        self.problems.push(Problem { place: place.clone(), path: self.path(), message: message.into() });
    }

    /// The current path, an index behind the name of its list: `background[0].load`.
    #[must_use]
    pub fn path(&self) -> String {
        self.path.join(".").replace(".[", "[")
    }

    /// Reports a problem with the value at a dotted path below `root`.
    pub fn reject_path(&mut self, root: &Node, path: &str, message: impl Into<String>) {
        let place = root.nearest(path).place.clone();
        self.problems.push(Problem { place, path: path.into(), message: message.into() });
    }

    /// Calls `read` with `key` appended to the path.
    pub fn below<T>(&mut self, key: &str, read: impl FnOnce(&mut Self) -> T) -> T {
        self.path.push(key.to_owned());
        let value = read(self);
        self.path.pop();
        value
    }

    /// Entries of a table, whose keys must all be among `fields`.
    pub fn entries<'n>(&mut self, node: &'n Node, fields: &[Field]) -> Option<Entries<'n>> {
        let Value::Table(entries) = &node.value else {
            self.reject(node, format!("expected a table, found {}", node.describe()));
            return None;
        };
        let mut earlier = BTreeSet::new();
        for (key, _) in entries {
            if !earlier.insert(&key.name) {
                self.below(&key.name, |reader| reader.reject_at(&key.place, "given twice"));
            }
            let known = |field: &Field| field.answers_to(&key.name);
            if !fields.iter().any(known) {
                // Problems beyond the most that are told are only counted.
                let is_told = self.problems.len() < MOST_PROBLEMS;
                let hint = if is_told { hint(&key.name, fields) } else { String::new() };
                self.below(&key.name, |reader| reader.reject_at(&key.place, format!("unknown key{hint}")));
            }
        }
        Some(Entries { table: node, entries })
    }
}

/// The known keys, or the one that an unknown key was probably meant to be.
fn hint(name: &str, fields: &[Field]) -> String {
    let names = || fields.iter().map(|field| field.name);
    match did_you_mean(name, names()) {
        near if near.is_empty() && fields.is_empty() => "; no keys belong here".into(),
        near if near.is_empty() => format!("; known: {}", listed(names())),
        near => near,
    }
}

impl Entries<'_> {
    /// Reads a field, or its default if it is absent.
    pub fn field<P: Parameter>(&self, field: &Field, reader: &mut Reader) -> Option<P> {
        let written = self.find(field.name);
        let resolved = if P::SUFFIX.is_empty() { None } else { self.find(&field.resolved_name()) };
        match one_that_counts(written, resolved) {
            (Some((_, node)), None) => {
                reader.below(field.name, |reader| P::read_beside_default(node, field.default, reader))
            }
            (None, Some((key, node))) => reader.below(&key.name, |reader| P::read_resolved(node, reader)),
            (Some(_), Some((key, _))) => {
                let message = format!("given twice, as \"{}\" and as \"{}\"", field.name, key.name);
                reader.below(field.name, |reader| reader.reject_at(&key.place, message));
                None
            }
            (None, None) => reader.below(field.name, |reader| self.default(field, reader)),
        }
    }

    fn find(&self, name: &str) -> Option<&(Key, Node)> {
        self.entries.iter().find(|(key, _)| key.name == name)
    }

    fn default<P: Parameter>(&self, field: &Field, reader: &mut Reader) -> Option<P> {
        let Some(text) = field.default else {
            let expected = P::shape().expected();
            reader.reject(self.table, format!("missing; expected {expected}"));
            return None;
        };
        let mut node = parse_fragment(text);
        // An absent section takes the position of its parent table, for the errors below it.
        node.place = self.table.place.clone();
        P::read(&node, reader)
    }
}

type Entry<'n> = Option<&'n (Key, Node)>;

/// Chooses between a value as written and in base units: an override takes precedence over the text's entry under the other name.
fn one_that_counts<'n>(written: Entry<'n>, resolved: Entry<'n>) -> (Entry<'n>, Entry<'n>) {
    let is_override = |entry: Entry<'_>| entry.is_some_and(|(_, node)| matches!(node.place, Place::Override(_)));
    match (is_override(written), is_override(resolved)) {
        (true, false) => (written, None),
        (false, true) => (None, resolved),
        _ => (written, resolved),
    }
}
