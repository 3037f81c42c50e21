//! Losses of listed packets.

use longfat_foundation::config::{Node, Parameter, Reader, Shape, Value, format_span};
use longfat_foundation::units::Time;
use serde_json::Value as Json;

use super::{LossContext, LossModel, Passing};

longfat_foundation::model! {
    /// Loses the listed packets and no others, whenever they arrive.
    #[name = "list"]
    #[source = "Fall and Floyd 1996 section 3"]
    pub struct List: dyn LossModel {
        /// For flow 1, 2, … the numbers, from 1, of the packets to lose, in order of arrival, including retransmissions. A bare list of
        /// numbers is for flow 1.
        drops: Drops,
    }
    build(config, context) {
        let flows = context.flows.len();
        Box::new(Listed { drops: config.drops.0.clone(), come: vec![0; flows], lost: vec![0; flows] })
    }
    objections(config, context) {
        let message = config.drops.objection(context);
        message.map(|message| ("drops", message)).into_iter().collect()
    }
}

/// Numbers of the packets to lose, ascending, by flow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drops(pub Vec<Vec<u64>>);

struct Listed {
    drops: Vec<Vec<u64>>,
    /// Per flow: number of packets that have arrived, and number of those lost.
    come: Vec<u64>,
    lost: Vec<usize>,
}

impl LossModel for Listed {
    fn loses_next(&mut self, _now: Time, flow: usize) -> bool {
        self.come[flow] += 1;
        let next = self.drops.get(flow).and_then(|numbers| numbers.get(self.lost[flow]));
        let is_lost = next == Some(&self.come[flow]);
        self.lost[flow] += usize::from(is_lost);
        is_lost
    }
}

impl Drops {
    /// The error if a listed packet can never arrive.
    fn objection(&self, context: &LossContext) -> Option<String> {
        let flows = context.flows.len();
        if self.0.len() > flows {
            return Some(format!("lists for {} flows; the topology has {flows}", self.0.len()));
        }
        let of_flow = |(flow, numbers): (usize, &Vec<u64>)| {
            let passing = &context.flows[flow];
            let too_late = numbers.iter().enumerate().find_map(|(earlier, &number)| passing.object_to(number, earlier));
            too_late.map(|message| format!("flow {}: {message}", flow + 1))
        };
        self.0.iter().enumerate().find_map(of_flow)
    }
}

impl Passing {
    /// The error if packet `number` may never arrive, given that `earlier` ones are lost before it.
    fn object_to(&self, number: u64, earlier: usize) -> Option<String> {
        let (most, duration) = self.most;
        if number > most {
            let duration = format_span(duration);
            return Some(format!("packet {number} never comes; the line brings at most {most} in {duration}"));
        }
        let (certain, what) = self.certain.as_ref()?;
        let limit = certain + earlier as u64;
        let again = if earlier > 0 { format!(", and {earlier} of them again,") } else { String::new() };
        (number > limit).then(|| format!("packet {number} may never come; {what}{again} make {limit}"))
    }
}

const ONE_FLOW: &str = "numbers of packets, from 1, ascending, each once";

impl Parameter for Drops {
    fn shape() -> Shape {
        let numbers = || Shape::List(Box::new(Shape::Integer { minimum: 1, maximum: u64::MAX }));
        Shape::Either(vec![Shape::List(Box::new(numbers())), numbers()])
    }

    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        let Value::Array(items) = &node.value else {
            let expected = "expected a list for each flow, such as [[14, 28], [3]]";
            reader.reject(node, format!("{expected}, found {}", node.describe()));
            return None;
        };
        if items.first().is_some_and(|item| !matches!(item.value, Value::Array(_))) {
            return read_numbers(items, reader).map(|numbers| Self(vec![numbers]));
        }
        let read = |(flow, item): (usize, &Node)| {
            reader.below(&format!("[{flow}]"), |reader| match &item.value {
                Value::Array(numbers) => read_numbers(numbers, reader),
                _ => {
                    reader.reject(item, format!("expected a list for this flow, found {}", item.describe()));
                    None
                }
            })
        };
        let flows: Vec<_> = items.iter().enumerate().map(read).collect();
        flows.into_iter().collect::<Option<Vec<_>>>().map(Self)
    }

    fn resolved(&self) -> Json {
        Json::from(self.0.clone())
    }
}

/// Reads the numbers of one flow.
fn read_numbers(items: &[Node], reader: &mut Reader) -> Option<Vec<u64>> {
    let mut numbers: Vec<u64> = Vec::new();
    let mut all_good = true;
    for (place, item) in items.iter().enumerate() {
        let number = match item.value {
            Value::Integer(number @ 1..) => number.unsigned_abs(),
            _ => {
                let message = format!("expected {ONE_FLOW}, found {}", item.describe());
                reader.below(&format!("[{place}]"), |reader| reader.reject(item, message));
                all_good = false;
                continue;
            }
        };
        if let Some(last) = numbers.last().filter(|last| **last >= number) {
            let message = format!("expected {ONE_FLOW}, found {number} after {last}");
            reader.below(&format!("[{place}]"), |reader| reader.reject(item, message));
            all_good = false;
        }
        numbers.push(number);
    }
    all_good.then_some(numbers)
}
