//! SQL that is run later, with where it is written, so that what SQL objects to can be said with its place.

use longfat_engine::config::{Document, Node, Parameter, Place, Reader};
use serde_json::{Value as Json, json};

use crate::factors::origin;

/// A piece of SQL and where it is written.
#[derive(Clone, Debug)]
pub struct Sql {
    /// What is written.
    pub text: String,
    origin: String,
    place: Place,
}

impl Sql {
    /// Reads a text that is not blank; `expected` is what it should hold.
    pub(crate) fn read(node: &Node, reader: &mut Reader, expected: &str) -> Option<Self> {
        let text = String::read(node, reader)?;
        if text.trim().is_empty() {
            reader.reject(node, format!("expected {expected}"));
            return None;
        }
        Some(Self { text, origin: String::new(), place: node.place.clone() })
    }

    /// Notes where it is written.
    pub(crate) fn locate(&mut self, document: &Document) {
        self.origin = origin(&self.place, document);
    }

    /// The text and its place as messages name it.
    pub(crate) fn resolved(&self) -> Json {
        json!([self.text, self.origin])
    }
}
