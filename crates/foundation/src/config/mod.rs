//! Declared parameters: reading, validation, documentation and schema from one declaration.
//!
//! A [`Parameter`] is a type that a configuration can hold. A [`section!`](crate::section) is a struct of parameters, a
//! [`choice!`](crate::choice) a closed vocabulary, a [`Chosen`](crate::registry::Chosen) a model from a registry. The
//! type of a field decides its unit, its range, its messages, its line in the documentation and its JSON Schema.

mod document;
mod grammar;
mod knobs;
mod nearby_file;
mod number;
mod problem;
mod provision;
mod quantity;
mod random_span;
mod reader;
mod schema;
mod section;
mod span_distribution;
mod span_if_any;

pub use document::{Document, Key, Node, Place, Value};
pub use grammar::parse_fragment;
pub use knobs::{Knob, knobs};
pub use nearby_file::NearbyFile;
pub use number::{Fraction, Gain, Numbers, PositiveNumber, Probability};
pub use problem::{MOST_PROBLEMS, Problem, did_you_mean, limited, listed};
pub use provision::Provision;
pub use quantity::{
    AS_OTHERS, AnyRate, AtLeastOne, Bytes, Decibels, Decimal, Dimension, FREQUENCY, LEVEL, PositiveSpan, SIZE, TIME,
    format_span, number_and_unit, parse_in,
};
pub use random_span::DrawableSpan;
pub use reader::{Entries, Reader};
pub use schema::{document_schema, one_line, parameters_json};
pub use section::{Field, ModelShape, Shape, VariantShape, plain_name};
pub use span_distribution::SpansIfAny;
pub use span_if_any::SpanIfAny;

use serde_json::Value as Json;

/// A value that a configuration can hold.
pub trait Parameter: Sized {
    /// Suffix of the resolved key, which names the base unit (`"_ps"`); empty if there is none.
    const SUFFIX: &'static str = "";

    /// Accepted values, for messages, documentation and schema.
    fn shape() -> Shape;

    /// Reads a value as written; on failure reports to the reader and returns `None`.
    fn read(node: &Node, reader: &mut Reader) -> Option<Self>;

    /// Reads the value of a field with a default; a model may omit `kind` if it is the default's.
    fn read_beside_default(node: &Node, _default: Option<&'static str>, reader: &mut Reader) -> Option<Self> {
        Self::read(node, reader)
    }

    /// Reads a resolved value, an integer in base units; the same as `read` without a [`Self::SUFFIX`].
    fn read_resolved(node: &Node, reader: &mut Reader) -> Option<Self> {
        Self::read(node, reader)
    }

    /// Shape of a resolved value, if there is a [`Self::SUFFIX`].
    #[must_use]
    fn resolved_shape() -> Shape {
        Shape::Integer { minimum: 0, maximum: u64::MAX }
    }

    /// Value in base units.
    fn resolved(&self) -> Json;

    /// True if a resolved table omits the value because it stands for "none". So scenarios keep their hashes when optional parts are added
    /// to the declaration.
    fn is_absent(&self) -> bool {
        false
    }
}
