//! Durations that may be random: `"5 ms"`, `"uniform(0 ms, 1 ms)"`.

use serde_json::Value as Json;

use super::document::{Node, Value};
use super::quantity::{TIME, format_span, parse_in};
use super::{Parameter, Reader, Shape};
use crate::random::RandomSpan;
use crate::units::Span;

impl Parameter for RandomSpan {
    fn shape() -> Shape {
        Shape::Quantity {
            expected: "a length of time with its unit, or \"uniform(LOW, HIGH)\" to draw one",
            examples: &["0 s", "uniform(0 ms, 1 ms)"],
        }
    }
    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        let Value::Text(text) = &node.value else {
            reader.reject(node, format!("expected {}, found {}", Self::shape().expected(), node.describe()));
            return None;
        };
        parse_random_span(text).map_err(|message| reader.reject(node, message)).ok()
    }
    fn resolved(&self) -> Json {
        if self.low == self.high {
            return format_span(self.low).into();
        }
        format!("uniform({}, {})", format_span(self.low), format_span(self.high)).into()
    }
}

pub(super) fn parse_random_span(text: &str) -> Result<RandomSpan, String> {
    let span = |text: &str| parse_in(&TIME, text).map(Span);
    let bounds = text.trim().strip_prefix("uniform(").and_then(|rest| rest.strip_suffix(')'));
    let Some(bounds) = bounds else {
        return span(text).map(|fixed| RandomSpan { low: fixed, high: fixed });
    };
    let Some((low, high)) = bounds.split_once(',') else {
        return Err(format!("expected two bounds, such as \"uniform(0 ms, 1 ms)\", found \"{text}\""));
    };
    let (low, high) = (span(low)?, span(high)?);
    if low > high {
        return Err(format!("the lower bound of \"{text}\" is above the upper one"));
    }
    Ok(RandomSpan { low, high })
}

/// A duration that may be random, in a field that once allowed fixed ones only. A fixed one still resolves to picoseconds, so its scenario
/// keeps its hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DrawableSpan(pub RandomSpan);

impl Parameter for DrawableSpan {
    const SUFFIX: &'static str = Span::SUFFIX;
    fn shape() -> Shape {
        RandomSpan::shape()
    }
    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        RandomSpan::read(node, reader).map(Self)
    }
    fn read_resolved(node: &Node, reader: &mut Reader) -> Option<Self> {
        if matches!(node.value, Value::Text(_)) {
            return Self::read(node, reader);
        }
        Span::read_resolved(node, reader).map(|fixed| Self(RandomSpan { low: fixed, high: fixed }))
    }
    fn resolved_shape() -> Shape {
        Shape::Either(vec![Span::resolved_shape(), RandomSpan::shape()])
    }
    fn resolved(&self) -> Json {
        if self.0.low == self.0.high { self.0.low.resolved() } else { self.0.resolved() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::parse_fragment;

    #[test]
    fn a_random_span_reads_what_it_resolves_to() {
        for text in ["5 ms", "uniform(0 s, 1 ms)"] {
            let span = parse_random_span(text).unwrap();
            assert_eq!(span.resolved(), Json::from(text));
        }
        assert!(parse_random_span("uniform(2 ms, 1 ms)").unwrap_err().contains("above"));
    }

    #[test]
    fn a_span_that_may_be_drawn_resolves_as_one_that_is_fixed_unless_it_is_drawn() {
        let resolved =
            |text: &str| DrawableSpan::read(&parse_fragment(text), &mut Reader::default()).unwrap().resolved();
        assert_eq!(resolved("10 s"), Span(10_000_000_000_000).resolved());
        assert_eq!(resolved("uniform(10 s, 10 s)"), resolved("10 s"));
        assert_eq!(resolved("uniform(15 s, 25 s)"), Json::from("uniform(15 s, 25 s)"));
        for text in ["10 s", "uniform(15 s, 25 s)"] {
            let node = parse_fragment(&resolved(text).to_string());
            let again = DrawableSpan::read_resolved(&node, &mut Reader::default()).unwrap();
            assert_eq!(again.resolved(), resolved(text));
        }
    }
}
