//! Buffers: their sizes in cells, packets or round trips, and what a drop policy and a scheduler know of one.

use longfat_foundation::config::{
    Decimal, Node, Parameter, Reader, SIZE, Shape, Value, VariantShape, number_and_unit, parse_in,
};
use longfat_foundation::random::Stream;
use longfat_foundation::units::{Rate, Span};
use serde_json::Value as Json;

use crate::framing::Unit;

/// How many cells a buffer holds, or packets where they travel whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Buffer {
    /// A number of cells.
    Cells(u64),
    /// A number of packets.
    Packets(u64),
    /// Bytes on the line of packets.
    Bytes(u64),
    /// A multiple of the product of the bottleneck's rate and the round trip without queueing.
    RoundTrips(Decimal),
    /// Such a multiple by the square root of the number of connections (Appenzeller, Keslassy and McKeown 2004).
    RoundTripsByRoot(Decimal),
    /// As many as come.
    Unlimited,
}

/// More are a slip, and too many to multiply.
const MOST_ROUND_TRIPS: u128 = 1000;

const SIZES: &str = "a number of cells (of packets, or bytes, where they travel whole), a multiple of the round trip (RTT or BDP, or BDP/sqrt(n) for n connections), or \"unlimited\"";

const EXPECTED: Shape = Shape::Quantity {
    expected: SIZES,
    examples: &["12000 cells", "20 packets", "150 kB", "0.5 RTT", "1 BDP", "1 BDP/sqrt(n)", "unlimited"],
};

/// Beginning of messages. Its example suits every framing; a number of cells or packets would suit one.
fn expected() -> String {
    format!("expected {SIZES}, such as \"1 BDP\"")
}

impl Buffer {
    /// The size for a line of `rate` that so many `connections` cross, and a round trip without queueing, in units of `bits`
    /// bits; rounded up.
    #[must_use]
    pub fn settled(self, rate: Rate, round_trip: Span, connections: usize, unit: Unit, bits: u64) -> Self {
        let units = |times: Decimal| {
            let units = rate.things_in(round_trip, bits, times.digits, times.scale);
            u64::try_from(units).unwrap_or(u64::MAX)
        };
        match self {
            Self::RoundTrips(times) => Self::of(unit, units(times)),
            Self::RoundTripsByRoot(times) => {
                let square = u128::from(units(times)).pow(2).div_ceil(connections.max(1) as u128);
                let root = square.isqrt();
                let root = if root * root < square { root + 1 } else { root };
                Self::of(unit, u64::try_from(root).unwrap_or(u64::MAX))
            }
            other => other,
        }
    }

    fn of(unit: Unit, number: u64) -> Self {
        match unit {
            Unit::Cell => Self::Cells(number),
            Unit::Packet => Self::Packets(number),
        }
    }

    /// The number of cells or packets, once known; `None` without limit on them.
    ///
    /// # Panics
    /// If the buffer is still given in round trips.
    #[must_use]
    pub fn capacity(self) -> Option<u64> {
        match self {
            Self::Cells(number) | Self::Packets(number) => Some(number),
            Self::Bytes(_) | Self::Unlimited => None,
            Self::RoundTrips(_) | Self::RoundTripsByRoot(_) => {
                panic!("a checked scenario has its buffer in cells or packets")
            }
        }
    }

    /// The number of bytes, if it is given in bytes.
    #[must_use]
    pub fn bytes(self) -> Option<u64> {
        if let Self::Bytes(bytes) = self { Some(bytes) } else { None }
    }

    /// The unit in which the size is given, if it has one.
    #[must_use]
    pub fn unit(self) -> Option<Unit> {
        match self {
            Self::Cells(_) => Some(Unit::Cell),
            Self::Packets(_) | Self::Bytes(_) => Some(Unit::Packet),
            Self::RoundTrips(_) | Self::RoundTripsByRoot(_) | Self::Unlimited => None,
        }
    }

    /// Reads the size; what is wrong with one that is none.
    fn parse(text: &str) -> Result<Self, String> {
        match Self::written(text) {
            Some(Self::RoundTrips(times) | Self::RoundTripsByRoot(times))
                if times.digits > MOST_ROUND_TRIPS * times.scale =>
            {
                Err(format!("{text} is more than {MOST_ROUND_TRIPS} round trips"))
            }
            Some(size) => Ok(size),
            None => Err(format!("{}, found the text {text:?}", expected())),
        }
    }

    fn written(text: &str) -> Option<Self> {
        let text = text.trim();
        if text == "unlimited" {
            return Some(Self::Unlimited);
        }
        let (number, unit) = number_and_unit(text);
        // An i64, so that the resolved value can be read again.
        let times = || Decimal::parse(number).filter(|times| times.scale <= 1_000_000);
        let count = || number.parse().ok().and_then(|count: i64| u64::try_from(count).ok());
        match unit {
            "cells" | "cell" => count().map(Self::Cells),
            "packets" | "packet" => count().map(Self::Packets),
            "RTT" | "BDP" => times().map(Self::RoundTrips),
            "RTT/sqrt(n)" | "BDP/sqrt(n)" => times().map(Self::RoundTripsByRoot),
            _ => parse_in(&SIZE, text).ok().filter(|bytes| *bytes > 0).map(Self::Bytes),
        }
    }
}

impl Parameter for Buffer {
    const SUFFIX: &'static str = "_cells";

    fn shape() -> Shape {
        EXPECTED
    }

    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        let found = match &node.value {
            Value::Text(text) => Self::parse(text),
            _ => Err(format!("{}, found {}", expected(), node.describe())),
        };
        found.map_err(|problem| reader.reject(node, problem)).ok()
    }

    fn read_resolved(node: &Node, reader: &mut Reader) -> Option<Self> {
        let found = match &node.value {
            Value::Integer(cells) if *cells >= 0 => Some(Self::Cells(cells.unsigned_abs())),
            Value::Text(text) if text == "unlimited" => Some(Self::Unlimited),
            Value::Text(text) if text.ends_with(" packets") || text.ends_with(" B") => Self::written(text),
            _ => None,
        };
        if found.is_none() {
            let expected = "expected a whole number (of cells), \"20 packets\", \"150000 B\" or \"unlimited\"";
            reader.reject(node, format!("{expected}, found {}", node.describe()));
        }
        found
    }

    fn resolved_shape() -> Shape {
        let unlimited = VariantShape { name: "unlimited", doc: "As many as come." };
        let packets = Shape::Quantity { expected: "a number of packets", examples: &["20 packets"] };
        let bytes = Shape::Quantity { expected: "a number of bytes", examples: &["150000 B"] };
        let cells = Shape::Integer { minimum: 0, maximum: u64::MAX };
        Shape::Either(vec![cells, Shape::Choice(vec![unlimited]), packets, bytes])
    }

    fn resolved(&self) -> Json {
        if let Self::Bytes(bytes) = self {
            return format!("{bytes} B").into();
        }
        match (self.capacity(), self.unit()) {
            (Some(packets), Some(Unit::Packet)) => format!("{packets} packets").into(),
            (Some(cells), _) => cells.into(),
            (None, _) => "unlimited".into(),
        }
    }
}

/// The buffer that a policy guards and a scheduler serves.
#[derive(Clone, Debug)]
pub struct BufferContext {
    /// Cells it can hold; `None` without limit.
    pub capacity: Option<u64>,
    /// Circuits that share it.
    pub circuits: usize,
    /// The unit it counts: a packet that travels whole is a cell to a policy, the first and the last of its packet at once.
    pub unit: Unit,
    /// W: the minimum cell rate of each circuit in bits per second, 0 for one that has none; `None` without such a service.
    pub weights: Option<Vec<u64>>,
    /// The policy's own chance.
    pub chance: Stream,
}

impl BufferContext {
    /// A buffer whose circuits are promised nothing.
    #[must_use]
    pub fn new(capacity: Option<u64>, circuits: usize, unit: Unit, chance: Stream) -> Self {
        Self { capacity, circuits, unit, weights: None, chance }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_trips_become_the_cells_that_the_papers_count() {
        let cells = |text: &str, rate, milliseconds: u64| {
            let round_trip = Span::from_microseconds(1000 * milliseconds);
            Buffer::parse(text).unwrap().settled(Rate(rate), round_trip, 1, Unit::Cell, 424)
        };
        assert_eq!(cells("1 RTT", 155_520_000, 30), Buffer::Cells(11_004));
        assert_eq!(cells("1 BDP", 45_000_000, 10), Buffer::Cells(1_062));
        assert_eq!(cells("0.5 RTT", 45_000_000, 550), Buffer::Cells(29_187));
    }

    #[test]
    fn round_trips_become_full_packets_where_packets_travel_whole() {
        // 1.5 Mbit/s for 100 ms are 150000 bits: 18.03 packets of 1040 bytes.
        let buffer = Buffer::parse("1 BDP").unwrap();
        let round_trip = Span::from_microseconds(100_000);
        assert_eq!(buffer.settled(Rate(1_500_000), round_trip, 1, Unit::Packet, 8 * 1040), Buffer::Packets(19));
    }

    #[test]
    fn a_buffer_by_the_root_of_the_number_of_connections_is_rounded_up() {
        // 18.03 packets, rounded up to 19, by 1, 1.41, 2, 10 and 1,000.
        let round_trip = Span::from_microseconds(100_000);
        let packets = |text: &str, connections| {
            let buffer = Buffer::parse(text).unwrap();
            buffer.settled(Rate(1_500_000), round_trip, connections, Unit::Packet, 8 * 1040)
        };
        for (connections, expected) in [(0, 19), (1, 19), (2, 14), (4, 10), (100, 2), (1_000_000, 1)] {
            assert_eq!(packets("1 BDP/sqrt(n)", connections), Buffer::Packets(expected), "{connections}");
        }
        assert_eq!(packets("2 RTT/sqrt(n)", 4), Buffer::Packets(19), "36.06 packets, rounded up to 37, by 2");
    }

    #[test]
    fn a_size_needs_no_blank_before_its_unit() {
        for (close, apart) in
            [("1.5BDP", "1.5 BDP"), ("20packets", "20 packets"), ("150kB", "150 kB"), ("1cell", "1 cell")]
        {
            assert_eq!(Buffer::parse(close), Buffer::parse(apart));
            assert!(Buffer::parse(close).is_ok(), "{close}");
        }
    }

    #[test]
    fn what_is_no_size_is_refused() {
        for text in [
            "12000",
            "12000 cell s",
            "-1 cells",
            "1.5 cells",
            "RTT",
            "5000 RTT",
            "lots",
            "2.5 packets",
            "BDP/sqrt(n)",
            "1 BDP/sqrt(m)",
            "5000 BDP/sqrt(n)",
        ] {
            assert!(Buffer::parse(text).is_err(), "{text}");
        }
    }
}
