//! Reordering as Linux's network emulator does it.

use longfat_foundation::config::{AtLeastOne, Probability};
use longfat_foundation::random::{SpanDistribution, Stream};
use longfat_foundation::units::Span;

use super::Reordering;
use crate::correlated::Correlated;

longfat_foundation::model! {
    /// `netem delay TIME reorder PERCENT CORRELATION gap N`: every packet is delayed but for the chosen ones, which go at once and so pass the
    /// delayed ones before them. The delay is beyond that of the line; with a distribution, delayed packets pass each other too. Each flow has
    /// numbers and a count of its own, as if it were alone.
    #[name = "netem"]
    #[source = "kernel 6.12, netem_enqueue of net/sched/sch_netem.c; tc-netem(8)"]
    pub struct Netem: dyn Reordering {
        /// Delay of packets that are not chosen.
        delay: SpanDistribution,
        /// The probability that a packet is chosen; one at most of each `gap` packets in a row.
        share: Probability = "1.0",
        /// The weight of the random number before.
        correlation: Probability = "0.0",
        /// Number of packets of which at most one is chosen: of `gap` packets the last may be. With a `share` of 1 it is each time.
        gap: AtLeastOne = "1",
    }
    build(config, context) {
        let chosen = context.streams("reordering").map(|stream| Correlated::new(stream, config.correlation.0));
        let flows = chosen.zip(context.streams("reordering/delay"));
        Box::new(Emulator {
            config: config.clone(),
            flows: flows.map(|(chosen, delays)| Flow { chosen, delays, delayed: 0 }).collect(),
        })
    }
}

struct Emulator {
    config: Netem,
    flows: Vec<Flow>,
}

struct Flow {
    chosen: Correlated,
    delays: Stream,
    /// Packets delayed since the latest that was chosen.
    delayed: u64,
}

impl Reordering for Emulator {
    fn holds_next(&mut self, flow: usize) -> Span {
        let Flow { chosen, delays, delayed } = &mut self.flows[flow];
        // A number is drawn only where a packet may be chosen, as in the kernel.
        if *delayed + 1 >= self.config.gap.0 && chosen.happens(self.config.share.0) {
            *delayed = 0;
            return Span::ZERO;
        }
        *delayed += 1;
        self.config.delay.draw(delays)
    }
}
