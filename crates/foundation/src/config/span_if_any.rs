//! A duration that is absent if zero.

use serde_json::Value as Json;

use super::{Node, Parameter, Reader, Shape};
use crate::units::Span;

/// A duration that resolved scenarios contain only if it is not zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SpanIfAny(pub Span);

impl Parameter for SpanIfAny {
    const SUFFIX: &'static str = Span::SUFFIX;

    fn shape() -> Shape {
        Span::shape()
    }

    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        Span::read(node, reader).map(Self)
    }

    fn read_resolved(node: &Node, reader: &mut Reader) -> Option<Self> {
        Span::read_resolved(node, reader).map(Self)
    }

    fn resolved_shape() -> Shape {
        Span::resolved_shape()
    }

    fn resolved(&self) -> Json {
        self.0.resolved()
    }

    fn is_absent(&self) -> bool {
        self.0 == Span::ZERO
    }
}
