//! The path of a scenario over time.

use longfat_foundation::config::{Parameter, format_span};
use longfat_foundation::random::Chance;
use longfat_foundation::units::{Span, Time};
use longfat_network::framing::Unit;
use longfat_network::path::{Conditions, PathContext, Step};
use longfat_network::topology::Graph;

use super::Scenario;

/// Maximum of changes; more are taken for a mistake.
const MOST_CHANGES: usize = 1_000_000;

impl Scenario {
    /// Conditions of the bottleneck over time; `None` if they are constant.
    #[must_use]
    pub fn conditions(&self, graph: &Graph) -> Option<Conditions> {
        let context = self.path_context(graph)?;
        Some(Conditions::of(self.path.build(&context).as_ref(), &context))
    }

    /// Steps of the bottleneck's conditions, constant or not; empty without a bottleneck.
    #[must_use]
    pub fn path_over_time(&self, graph: &Graph) -> Vec<Step> {
        let conditions = |context| Conditions::of(self.path.build(&context).as_ref(), &context);
        self.bottleneck_context(graph)
            .map_or_else(Vec::new, |context| conditions(context).before(Time::ZERO + self.duration.0))
    }

    fn path_context(&self, graph: &Graph) -> Option<PathContext> {
        self.bottleneck_context(graph).filter(|_| !self.path.is_absent())
    }

    fn bottleneck_context(&self, graph: &Graph) -> Option<PathContext> {
        let link = graph.bottleneck()?;
        let chance = Chance { seed: self.seed, replication: self.replication };
        Some(PathContext { chance, duration: self.duration.0, rate: link.rate, delay: link.delay })
    }

    /// A changing path requires whole packets, and values within the limits of a topology.
    pub(super) fn object_to_path(&self, graph: &Graph, longest_delay: Span) -> Vec<(String, String)> {
        let Some(context) = self.path_context(graph) else { return Vec::new() };
        let whole = |message: String| vec![("path".to_owned(), message)];
        if self.framing.build(&()).unit() == Unit::Cell {
            let (path, framing) = (self.path.name(), self.framing.name());
            return whole(format!(
                "\"{path}\" is for packets that travel whole, and framing \"{framing}\" has cells; write framing = \"packet\" or \"ethernet\""
            ));
        }
        let own = self.path.objections(&context);
        if !own.is_empty() {
            return own.into_iter().map(|(key, message)| (format!("path.{key}"), message)).collect();
        }
        let steps = self.path.build(&context).steps();
        if steps.len() > MOST_CHANGES {
            return whole(format!("{} changes are too many; at most {MOST_CHANGES}", steps.len()));
        }
        for (what, of_step) in [("delay", (|step| step.delay) as fn(&Step) -> Span), ("jitter", |step| step.jitter)] {
            if let Some(span) = steps.iter().map(of_step).find(|span| *span > longest_delay) {
                return whole(format!("a {what} of {} is too long; at most 60 s", format_span(span)));
            }
        }
        Vec::new()
    }
}
