//! How long a queue is, in packets or in bytes.

use longfat_foundation::config::{Fraction, Node, Parameter, Reader, SIZE, Shape, Value, parse_in};
use serde_json::Value as Json;

use super::{PacketQueue, QueueContext};

/// A length of a queue.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Level {
    /// So many packets.
    Packets(u64),
    /// So many bytes on the line.
    Bytes(u64),
    /// A share of the buffer, in what it counts.
    Share(f64),
}

/// The unit of queue lengths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Measure {
    Packets,
    Bytes,
}

impl Measure {
    /// How long a queue is.
    #[expect(clippy::cast_precision_loss, reason = "queues are far below 2^53 bytes")]
    pub(super) fn of(self, queue: &PacketQueue) -> f64 {
        match self {
            Self::Packets => queue.len() as f64,
            Self::Bytes => queue.bytes() as f64,
        }
    }
}

impl Level {
    /// In which measure, and how much; `None` for a share of a buffer without limit.
    #[expect(clippy::cast_precision_loss, reason = "queues are far below 2^53 bytes")]
    pub(super) fn settled(self, context: &QueueContext) -> Option<(Measure, f64)> {
        let room = context.room;
        match self {
            Self::Packets(packets) => Some((Measure::Packets, packets as f64)),
            Self::Bytes(bytes) => Some((Measure::Bytes, bytes as f64)),
            Self::Share(share) => match (room.packets, room.bytes) {
                (Some(packets), _) => Some((Measure::Packets, share * packets as f64)),
                (None, Some(bytes)) => Some((Measure::Bytes, share * bytes as f64)),
                (None, None) => None,
            },
        }
    }

    fn parse(text: &str) -> Option<Self> {
        if let Some(number) = text.trim().strip_suffix("packets") {
            return number.trim().parse().ok().map(Self::Packets);
        }
        parse_in(&SIZE, text).ok().map(Self::Bytes)
    }
}

const EXPECTED: Shape =
    Shape::Quantity { expected: "packets or a size with its unit", examples: &["5 packets", "15 kB"] };

impl Parameter for Level {
    fn shape() -> Shape {
        Shape::Either(vec![Fraction::shape(), EXPECTED])
    }

    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        let found = match &node.value {
            Value::Text(text) => Self::parse(text),
            _ => Fraction::written(node).map(|share| Self::Share(share.0)),
        };
        if found.is_none() {
            let advice = "expected a share of the buffer above 0, at most 1 (0.3), or \"5 packets\" or \"15 kB\"";
            reader.reject(node, format!("{advice}, found {}", node.describe()));
        }
        found
    }

    fn resolved(&self) -> Json {
        match self {
            Self::Share(share) => (*share).into(),
            Self::Packets(packets) => format!("{packets} packets").into(),
            Self::Bytes(bytes) => format!("{bytes} B").into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use longfat_foundation::config::parse_fragment;

    use super::super::Room;
    use super::super::test_support::context;
    use super::*;

    #[test]
    fn a_share_is_of_what_the_buffer_counts() {
        let settled = |level: Level, packets, bytes| level.settled(&context(Room { packets, bytes }));
        assert_eq!(settled(Level::Share(0.25), Some(40), Some(6000)), Some((Measure::Packets, 10.0)));
        assert_eq!(settled(Level::Share(0.25), None, Some(6000)), Some((Measure::Bytes, 1500.0)));
        assert_eq!(settled(Level::Share(0.25), None, None), None);
        assert_eq!(settled(Level::Packets(5), None, Some(6000)), Some((Measure::Packets, 5.0)));
        assert_eq!(settled(Level::Bytes(500), Some(40), None), Some((Measure::Bytes, 500.0)));
    }

    #[test]
    fn a_share_is_above_nothing_and_at_most_all() {
        let read = |text: &str| Level::read(&parse_fragment(text), &mut Reader::default());
        assert_eq!(
            [read("0.3"), read("1.0"), read("1")],
            [Some(Level::Share(0.3)), Some(Level::Share(1.0)), Some(Level::Share(1.0))]
        );
        assert_eq!([read("0.0"), read("-0.5"), read("1.01"), read("0"), read("2")], [None; 5]);
        assert_eq!([read("\"7 packets\""), read("\"15 kB\"")], [Some(Level::Packets(7)), Some(Level::Bytes(15_000))]);
    }
}
