//! Messages at regular intervals.

use longfat_foundation::config::{Bytes, Node, Parameter, PositiveSpan, Reader, Shape, Value, VariantShape};
use longfat_foundation::random::RandomSpan;
use longfat_foundation::units::{Span, Time};
use serde_json::Value as Json;

use super::{Source, Wake, Writes};

longfat_foundation::model! {
    /// Writes a message of constant size at the start and after every interval: an application that is often idle.
    #[name = "messages"]
    #[source = "RFC 896; RFC 2861 section 2"]
    pub struct Messages: dyn Source {
        /// Bytes of each message.
        size: Bytes,
        /// Time from one message to the next.
        interval: PositiveSpan,
        /// How many messages.
        count: Count = "unlimited",
        /// When a connection starts; "uniform(0 ms, 1 ms)" draws a time for each.
        start: RandomSpan = "0 s",
        /// Each connection starts this much later than the one before.
        stagger: Span = "0 s",
    }
    build(config, context) {
        Box::new(Writer {
            size: config.size.0,
            interval: config.interval.0,
            total: config.count.0,
            written: 0,
            start: context.start(&config.start, config.stagger),
        })
    }
}

/// A count; `None` for unlimited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count(pub Option<u64>);

impl Parameter for Count {
    fn shape() -> Shape {
        let unlimited = VariantShape { name: "unlimited", doc: "No end of them." };
        Shape::Either(vec![Shape::Integer { minimum: 1, maximum: u64::MAX }, Shape::Choice(vec![unlimited])])
    }

    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        match &node.value {
            Value::Integer(number @ 1..) => Some(Self(Some(number.unsigned_abs()))),
            Value::Text(text) if text == "unlimited" => Some(Self(None)),
            _ => {
                let found = node.describe();
                reader.reject(node, format!("expected a whole number of at least 1, or \"unlimited\", found {found}"));
                None
            }
        }
    }

    fn resolved(&self) -> Json {
        self.0.map_or_else(|| "unlimited".into(), Json::from)
    }
}

struct Writer {
    size: u64,
    interval: Span,
    total: Option<u64>,
    written: u64,
    start: Time,
}

impl Source for Writer {
    fn start(&self) -> Time {
        self.start
    }

    fn wake(&mut self, now: Time) -> Wake {
        self.written += 1;
        let next = (Some(self.written) != self.total).then(|| now + self.interval);
        Wake { bytes: self.size, next }
    }

    fn writes(&self, until: Time) -> Option<Writes> {
        let all = Writes::regular(self.start, until, self.size, self.interval);
        Some(Writes { number: all.number.min(self.total.unwrap_or(u64::MAX)), ..all })
    }

    fn size(&self) -> Option<u64> {
        self.total?.checked_mul(self.size)
    }
}
