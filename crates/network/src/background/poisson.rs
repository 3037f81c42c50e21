//! Poisson arrivals of datagrams.

use longfat_foundation::config::{Bytes, Node, Parameter, PositiveNumber, Reader, Shape, Value};
use longfat_foundation::random::Stream;
use longfat_foundation::units::{PICOSECONDS_PER_SECOND, Rate, Span, Time};
use serde_json::Value as Json;

use super::{Background, BackgroundContext, Emission};

longfat_foundation::model! {
    /// Datagrams of constant size that arrive as a Poisson process. Alone on a line with first-come first-served queueing, they make an
    /// M/D/1 queue.
    #[name = "poisson"]
    #[source = "Kleinrock 1975, volume 1, section 5.6 (M/G/1)"]
    pub struct Poisson: dyn Background {
        /// Offered load: a share of the bottleneck's rate (0.5; above 1 the queue grows without end), or a rate. Both count bits on the
        /// line.
        load: OfferedLoad,
        /// Bytes of payload of a datagram. With AAL5 it comes in bare cells of 48 bytes, without headers and all at once: 48
        /// bytes are one cell. Where packets travel whole it has the headers of every packet.
        size: Bytes = "48 B",
    }
    build(config, context) { Box::new(Datagrams::new(config, context)) }
    objections(config, context) { config.objections(context) }
}

/// Offered load: a rate, or a share of the line's rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum OfferedLoad {
    /// A share of the line's rate.
    Share(f64),
    /// A rate.
    Rate(Rate),
}

struct Datagrams {
    cells: u32,
    bits: u64,
    mean_interval: Span,
    start: Time,
    chance: Stream,
}

/// Largest datagram (RFC 791 section 3.1).
const LARGEST_DATAGRAM_BYTES: u64 = 65_535;

impl Poisson {
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a mean of random times; beyond all time it stays there"
    )]
    fn mean_interval(&self, context: &BackgroundContext) -> Span {
        let (_, bits) = context.framing.build(&()).background(self.size.0);
        let bits_per_second = match self.load {
            OfferedLoad::Share(share) => share * context.rate.0 as f64,
            OfferedLoad::Rate(rate) => rate.0 as f64,
        };
        Span((bits as f64 * PICOSECONDS_PER_SECOND as f64 / bits_per_second) as u64)
    }

    fn objections(&self, context: &BackgroundContext) -> Vec<(&'static str, String)> {
        let size = self.size.0;
        if size > LARGEST_DATAGRAM_BYTES {
            return vec![("size", format!("{size} B is no datagram; at most {LARGEST_DATAGRAM_BYTES} B"))];
        }
        if self.mean_interval(context) == Span::ZERO {
            return vec![("load", "more than one datagram per picosecond; lower it".into())];
        }
        Vec::new()
    }
}

impl Datagrams {
    #[expect(clippy::cast_possible_truncation, reason = "a datagram has few cells")]
    fn new(config: &Poisson, context: &BackgroundContext) -> Self {
        let (cells, bits) = context.framing.build(&()).background(config.size.0);
        let mean_interval = config.mean_interval(context);
        let mut chance = context.chance.clone();
        let start = Time::ZERO.saturating_add(chance.exponential(mean_interval));
        Self { cells: cells as u32, bits, mean_interval, start, chance }
    }
}

impl Background for Datagrams {
    fn start(&self) -> Time {
        self.start
    }

    fn datagrams_per_second(&self) -> f64 {
        1.0 / self.mean_interval.as_seconds()
    }

    fn emit(&mut self, now: Time) -> Emission {
        let next = now.saturating_add(self.chance.exponential(self.mean_interval));
        Emission { cells: self.cells, bits: self.bits, next: Some(next) }
    }
}

impl Parameter for OfferedLoad {
    fn shape() -> Shape {
        Shape::Either(vec![PositiveNumber::shape(), Rate::shape()])
    }

    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        match node.value {
            Value::Integer(_) | Value::Float(_) => PositiveNumber::read(node, reader).map(|share| Self::Share(share.0)),
            Value::Text(_) => Rate::read(node, reader).map(Self::Rate),
            _ => {
                reader.reject(node, format!("expected {}, found {}", Self::shape().expected(), node.describe()));
                None
            }
        }
    }

    fn resolved(&self) -> Json {
        match self {
            Self::Share(share) => (*share).into(),
            Self::Rate(rate) => format!("{} bit/s", rate.0).into(),
        }
    }
}
