//! SQL expressions with their positions in the file, for messages about errors that only their execution finds.

use longfat_engine::config::{Document, Node, Parameter, Place, Reader, Shape, Value};
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

/// An optional SQL expression over the factor columns.
#[derive(Clone, Debug)]
pub struct Where(pub Option<Sql>);

impl Parameter for Where {
    fn shape() -> Shape {
        Shape::Text
    }

    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        if matches!(&node.value, Value::Text(text) if text.is_empty()) {
            return Some(Self(None));
        }
        Sql::read(node, reader, "an SQL condition over the factors, such as \"config = 'lan'\"")
            .map(|sql| Self(Some(sql)))
    }

    fn resolved(&self) -> Json {
        self.0.as_ref().map_or(Json::Null, Sql::resolved)
    }
}

impl Where {
    /// Records the position in the file.
    pub(crate) fn locate(&mut self, document: &Document) {
        if let Some(sql) = &mut self.0 {
            sql.locate(document);
        }
    }
}
