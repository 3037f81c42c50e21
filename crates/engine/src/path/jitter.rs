//! What packets are held up by, each by its own.

use serde_json::Value as Json;

use crate::config::{Node, Parameter, Reader, Shape};
use crate::units::Span;

/// The most that a packet is held up by; what it is, is drawn evenly from nothing to this. Of two packets that are far apart the
/// delays differ by a third of it on the mean, and the round trips, with two draws each, by 7/15.
#[derive(Clone, Copy, Debug, Default)]
pub struct Jitter(pub Span);

impl Parameter for Jitter {
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
