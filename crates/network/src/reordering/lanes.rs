//! Parallel lanes of different delays.

use longfat_foundation::random::{SpanDistribution, Stream};
use longfat_foundation::units::Span;

use super::Reordering;

longfat_foundation::choice! {
    /// Choice of a packet's lane.
    pub enum Choice {
        /// One after the other, in turn, whichever flow a packet is of.
        RoundRobin = "round-robin",
        /// Each with the same probability.
        Random = "random",
        /// By the number of the flow: all packets of a flow take the same lane and keep their order.
        ByFlow = "by-flow",
    }
}

longfat_foundation::model! {
    /// Parallel lanes behind the line, which differ in their delay: links of a bundle, processors of a router, radio and wire. A lane whose
    /// delay is fixed keeps the order of its own packets.
    #[name = "lanes"]
    #[source = "Bennett, Partridge and Shectman 1999 (parallelism within routers)"]
    pub struct Lanes: dyn Reordering {
        /// Delay of each lane, beyond that of the line; by default the lengths of two differ by a millisecond.
        delays: Vec<SpanDistribution> = "['0 ms', '1 ms']",
        /// Choice of the lane of each packet.
        choice: Choice = "round-robin",
    }
    build(config, context) {
        Box::new(Spread {
            config: config.clone(),
            next: 0,
            chance: context.streams("reordering").collect(),
        })
    }
    objections(config, _context) {
        let lanes = config.delays.len();
        if !(1..=MOST_LANES).contains(&lanes) {
            return vec![("delays", format!("{lanes} lanes; expected the delays of 1 to {MOST_LANES}, such as [\"0 ms\", \"2 ms\"]"))];
        }
        Vec::new()
    }
}

/// Maximum of lanes.
const MOST_LANES: usize = 1000;

struct Spread {
    config: Lanes,
    /// Lane of the next packet in turn.
    next: usize,
    chance: Vec<Stream>,
}

impl Reordering for Spread {
    fn holds_next(&mut self, flow: usize) -> Span {
        let Lanes { delays, choice } = &self.config;
        let lane = match choice {
            Choice::RoundRobin => {
                let lane = self.next;
                self.next = (lane + 1) % delays.len();
                lane
            }
            Choice::Random => self.chance[flow].below(delays.len()),
            Choice::ByFlow => flow % delays.len(),
        };
        delays[lane].draw(&mut self.chance[flow])
    }
}
