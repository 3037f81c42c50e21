//! SQL expressions with their positions in the file, for messages about errors that only their execution finds.

use longfat_engine::config::{Document, Node, Parameter, Place, Reader};
use serde_json::{Value as Json, json};

use crate::factors::origin;

/// SQL text with its position in the file.
#[derive(Clone, Debug)]
pub struct Sql {
    /// SQL text.
    pub text: String,
    origin: String,
    place: Place,
}

impl Sql {
    /// Reads a nonblank text; `expected` describes it in messages.
    pub(crate) fn read(node: &Node, reader: &mut Reader, expected: &str) -> Option<Self> {
        let text = String::read(node, reader)?;
        if text.trim().is_empty() {
            reader.reject(node, format!("expected {expected}"));
            return None;
        }
        Some(Self { text, origin: String::new(), place: node.place.clone() })
    }

    /// Records the position in the file.
    pub(crate) fn locate(&mut self, document: &Document) {
        self.origin = origin(&self.place, document);
    }

    /// Text and position as JSON.
    pub(crate) fn resolved(&self) -> Json {
        json!([self.text, self.origin])
    }
}
