//! Periodic losses.

use longfat_foundation::config::{Node, Parameter, Reader, Shape, Value};
use longfat_foundation::units::Time;
use serde_json::Value as Json;

use super::{Loses, LossModel};

longfat_foundation::model! {
    /// Loses every n-th packet or cell of each connection: the loss pattern for which response functions are derived.
    #[name = "periodic"]
    #[source = "Mathis, Semke, Mahdavi and Ott 1997 section 2; RFC 9438 section 5.1"]
    pub struct Periodic: dyn LossModel {
        /// n: the last of every n packets in a row is lost.
        period: Period,
        /// Unit of loss: a packet or a cell. No difference where packets travel whole.
        each: Loses = "packet" or ["cell"],
    }
    build(config, context) {
        Box::new(Counted { period: config.period.0, loses: config.each, come: vec![0; context.flows.len()] })
    }
}

/// A number of packets, at least one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Period(u64);

/// Upper bound of integers that TOML and JSON represent exactly.
const LONGEST_PERIOD: u64 = 1 << 53;

impl Parameter for Period {
    fn shape() -> Shape {
        Shape::Integer { minimum: 1, maximum: LONGEST_PERIOD }
    }

    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        let period = match node.value {
            Value::Integer(number) => u64::try_from(number).ok().filter(|n| (1..=LONGEST_PERIOD).contains(n)),
            _ => None,
        };
        if period.is_none() {
            reader.reject(node, format!("expected {}, found {}", Self::shape().expected(), node.describe()));
        }
        period.map(Self)
    }

    fn resolved(&self) -> Json {
        self.0.into()
    }
}

struct Counted {
    period: u64,
    loses: Loses,
    /// Number of packets or cells that have arrived, by flow.
    come: Vec<u64>,
}

impl LossModel for Counted {
    fn loses(&self) -> Loses {
        self.loses
    }

    fn loses_next(&mut self, _now: Time, flow: usize) -> bool {
        self.come[flow] += 1;
        self.come[flow].is_multiple_of(self.period)
    }
}
