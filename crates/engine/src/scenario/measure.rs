//! Computation of results.

use serde_json::Value as Json;

use longfat_foundation::config::{Bytes, Node, Parameter, Reader, Shape, SpanIfAny, Value};

longfat_foundation::choice! {
    /// Definition of a connection's throughput (M-01).
    pub enum Throughput {
        /// Bytes delivered to the application, and so in order (UBR+ section 3.2).
        InOrder = "in-order",
        /// The highest byte received, even beyond a hole (98-0876R1 section 7).
        HighestSequence = "highest-sequence",
    }
}

/// Segments for which C is computed, the highest throughput that TCP could reach (M-02).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReferenceSegment {
    /// Full segments of the scenario's TCP.
    Full,
    /// Segments of a given size.
    Size(Bytes),
}

impl ReferenceSegment {
    /// Size in bytes, where full segments have `mss` bytes.
    #[must_use]
    pub fn bytes(self, mss: u64) -> u64 {
        match self {
            Self::Full => mss,
            Self::Size(bytes) => bytes.0,
        }
    }
}

impl Parameter for ReferenceSegment {
    fn shape() -> Shape {
        Shape::Quantity { expected: "\"full\" or a size with its unit", examples: &["full", "512 B"] }
    }

    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        match &node.value {
            Value::Text(text) if text == "full" => Some(Self::Full),
            Value::Text(text) if text.starts_with(|c: char| c.is_ascii_digit()) => {
                Bytes::read(node, reader).map(Self::Size)
            }
            _ => {
                reader.reject(node, format!("expected {}, found {}", Self::shape().expected(), node.describe()));
                None
            }
        }
    }

    fn resolved(&self) -> Json {
        match self {
            Self::Full => "full".into(),
            Self::Size(bytes) => format!("{} B", bytes.0).into(),
        }
    }

    fn is_absent(&self) -> bool {
        *self == Self::Full
    }
}

longfat_foundation::section! {
    /// Computation of results.
    pub struct MeasureConfig {
        /// Start of the measurement. Results exclude the time before, such as the slow start of connections whose steady state is studied.
        /// Counts, means, peaks and the ledger cover the time from then to the end. The papers measure from the beginning (S-10).
        pub from: SpanIfAny = "0 s",
        /// Names of managed lines of whose capacity the record also has the use: efficiency and ledger, as it has them of the bottleneck.
        pub ledgers: Vec<String> = "[]",
        /// Definition of throughput, over the measurement (M-01).
        pub throughput: Throughput = "in-order" or ["highest-sequence"],
        /// The segment size for which C is computed, the highest throughput that TCP could reach, to which efficiency is relative (M-02):
        /// that of full segments, or a given size. 97-0424 section 4.2 computes it for 512 B only, although its satellite connections have
        /// segments of 9180 B. If segments are larger than this size, efficiency may exceed 1.
        pub reference_segment: ReferenceSegment = "full",
    }
}
