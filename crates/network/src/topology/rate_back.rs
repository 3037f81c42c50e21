//! Rate of the reverse line of a link.

use longfat_foundation::config::{Node, Parameter, Reader, Shape, Value, VariantShape};
use longfat_foundation::serde_json::Value as Json;
use longfat_foundation::units::Rate;

const AS_THERE: &str = "as-there";

/// Rate of the line back: that of the line there, or one of its own if the way back is narrower, as over most satellites and access
/// networks (RFC 3449).
#[derive(Clone, Copy, Debug, Default)]
pub struct RateBack(Option<Rate>);

impl RateBack {
    /// Rate in bits per second, given the rate `there` of the other line.
    #[must_use]
    pub fn beside(self, there: Rate) -> Rate {
        self.0.unwrap_or(there)
    }
}

impl Parameter for RateBack {
    const SUFFIX: &'static str = Rate::SUFFIX;

    fn shape() -> Shape {
        let as_there = VariantShape { name: AS_THERE, doc: "That of the line there." };
        Shape::Either(vec![Shape::Choice(vec![as_there]), Rate::shape()])
    }

    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        match &node.value {
            Value::Text(text) if text == AS_THERE => Some(Self(None)),
            Value::Text(text) if !text.starts_with(|c: char| c.is_ascii_digit()) => {
                let expected = format!("\"{AS_THERE}\" or {}", Rate::shape().expected());
                reader.reject(node, format!("expected {expected}, found {}", node.describe()));
                None
            }
            _ => Rate::read(node, reader).map(|rate| Self(Some(rate))),
        }
    }

    fn read_resolved(node: &Node, reader: &mut Reader) -> Option<Self> {
        Rate::read_resolved(node, reader).map(|rate| Self(Some(rate)))
    }

    fn resolved_shape() -> Shape {
        Rate::resolved_shape()
    }

    fn resolved(&self) -> Json {
        self.0.map_or(AS_THERE.into(), |rate| rate.resolved())
    }

    fn is_absent(&self) -> bool {
        self.0.is_none()
    }
}
