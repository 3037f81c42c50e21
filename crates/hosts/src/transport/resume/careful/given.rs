//! Saved values, as scenarios say them: typed, or observed in the run.

use serde_json::Value as Json;

use longfat_foundation::config::{Node, Parameter, Reader, Shape, Value, VariantShape};

/// A value that an earlier connection saved; `None` if it is what earlier connections of the run observe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Given<P>(pub Option<P>);

const OBSERVED: &str = "observed";

impl<P: Parameter> Given<P> {
    fn either(value: Shape) -> Shape {
        let observed = VariantShape {
            name: OBSERVED,
            doc: "As earlier connections of the run between the same hosts have observed.",
        };
        Shape::Either(vec![Shape::Choice(vec![observed]), value])
    }
}

impl<P: Parameter> Parameter for Given<P> {
    const SUFFIX: &'static str = P::SUFFIX;

    fn shape() -> Shape {
        Self::either(P::shape())
    }

    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        if matches!(&node.value, Value::Text(text) if text == OBSERVED) {
            return Some(Self(None));
        }
        P::read(node, reader).map(|value| Self(Some(value)))
    }

    fn read_resolved(node: &Node, reader: &mut Reader) -> Option<Self> {
        P::read_resolved(node, reader).map(|value| Self(Some(value)))
    }

    fn resolved_shape() -> Shape {
        P::resolved_shape()
    }

    fn resolved(&self) -> Json {
        self.0.as_ref().map_or(OBSERVED.into(), Parameter::resolved)
    }

    fn is_absent(&self) -> bool {
        self.0.is_none()
    }
}
