//! Random packets that come late.

use longfat_foundation::config::Probability;
use longfat_foundation::random::{SpanDistribution, Stream};
use longfat_foundation::units::Span;

use super::Reordering;
use crate::correlated::Correlated;

longfat_foundation::model! {
    /// Holds some packets up, and all others pass them: a route that a few take, retransmission below TCP. With `extra` fixed, a late packet
    /// is overtaken by those that come within that time and are not late themselves.
    #[name = "random"]
    #[source = "RFC 4737 section 3 (late packets); correlation: kernel 6.12, get_crandom of net/sched/sch_netem.c"]
    pub struct Random: dyn Reordering {
        /// The probability that a packet is late.
        share: Probability,
        /// Span by which it is late.
        extra: SpanDistribution,
        /// The weight of the random number before, which makes late packets come in groups and changes their share, as of `correlated` losses.
        correlation: Probability = "0.0",
    }
    build(config, context) {
        let chosen = context.streams("reordering").map(|stream| Correlated::new(stream, config.correlation.0));
        Box::new(Late {
            share: config.share.0,
            extra: config.extra.clone(),
            flows: chosen.zip(context.streams("reordering/extra")).collect(),
        })
    }
}

struct Late {
    share: f64,
    extra: SpanDistribution,
    /// By flow: which packets are late, and for how long.
    flows: Vec<(Correlated, Stream)>,
}

impl Reordering for Late {
    fn holds_next(&mut self, flow: usize) -> Span {
        let (chosen, chance) = &mut self.flows[flow];
        if chosen.happens(self.share) { self.extra.draw(chance) } else { Span::ZERO }
    }
}
