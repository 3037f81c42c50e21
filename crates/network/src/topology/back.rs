//! Rate and delay of the reverse line of a link.

use longfat_foundation::config::{Node, Parameter, Reader, Shape, Value, VariantShape};
use longfat_foundation::serde_json::Value as Json;

const AS_THERE: &str = "as-there";

/// Rate or delay of the line back: that of the line there, or one of its own, since the way back is narrower over most satellites and
/// access networks (RFC 3449), and may be another way.
#[derive(Clone, Copy, Debug)]
pub struct Back<T>(Option<T>);

impl<T> Default for Back<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T: Copy> Back<T> {
    /// Value of the line back, given that of the other line.
    #[must_use]
    pub fn beside(self, there: T) -> T {
        self.0.unwrap_or(there)
    }
}

impl<T: Parameter> Parameter for Back<T> {
    const SUFFIX: &'static str = T::SUFFIX;

    fn shape() -> Shape {
        let as_there = VariantShape { name: AS_THERE, doc: "That of the line there." };
        Shape::Either(vec![Shape::Choice(vec![as_there]), T::shape()])
    }

    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        match &node.value {
            Value::Text(text) if text == AS_THERE => Some(Self(None)),
            Value::Text(text) if !text.starts_with(|c: char| c.is_ascii_digit()) => {
                let expected = format!("\"{AS_THERE}\" or {}", T::shape().expected());
                reader.reject(node, format!("expected {expected}, found {}", node.describe()));
                None
            }
            _ => T::read(node, reader).map(|value| Self(Some(value))),
        }
    }

    fn read_resolved(node: &Node, reader: &mut Reader) -> Option<Self> {
        T::read_resolved(node, reader).map(|value| Self(Some(value)))
    }

    fn resolved_shape() -> Shape {
        T::resolved_shape()
    }

    fn resolved(&self) -> Json {
        self.0.as_ref().map_or(AS_THERE.into(), Parameter::resolved)
    }

    fn is_absent(&self) -> bool {
        self.0.is_none()
    }
}
