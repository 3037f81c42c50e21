//! Paths of a scenario's lines over time.

use longfat_foundation::config::format_span;
use longfat_foundation::random::Chance;
use longfat_foundation::units::{Span, Time};
use longfat_network::framing::Unit;
use longfat_network::path::{Conditions, PathContext, Step};
use longfat_network::topology::Graph;

use super::objections::Objection;
use super::{LineSettings, Scenario};

/// Maximum of changes of all lines; more are taken for a mistake.
const MOST_CHANGES: usize = 1_000_000;

impl Scenario {
    /// Conditions of the bottleneck over time; `None` if they are constant.
    #[must_use]
    pub fn conditions(&self, graph: &Graph) -> Option<Conditions> {
        self.conditions_at(graph, graph.bottleneck_number()?)
    }

    /// Conditions of the line with that index over time; `None` if they are constant.
    #[must_use]
    pub fn conditions_at(&self, graph: &Graph, number: usize) -> Option<Conditions> {
        let lines = self.lines_with_settings(graph);
        self.conditions_of(graph, lines.iter().find(|line| line.number == number)?)
    }

    /// Conditions of a line over time; `None` if they are constant.
    #[must_use]
    pub fn conditions_of(&self, graph: &Graph, line: &LineSettings) -> Option<Conditions> {
        let context = self.path_context(graph, line.number);
        let conditions = Conditions::of(line.path.as_ref()?.model.build(&context).as_ref(), &context);
        Some(if line.has_rate { conditions } else { conditions.at_rate(context.rate) })
    }

    /// Steps of the bottleneck's conditions, constant or not; empty without a bottleneck.
    #[must_use]
    pub fn path_over_time(&self, graph: &Graph) -> Vec<Step> {
        let Some(bottleneck) = graph.bottleneck_number() else { return Vec::new() };
        match self.conditions(graph) {
            Some(conditions) => conditions.before(Time::ZERO + self.duration.0),
            None => vec![self.path_context(graph, bottleneck).nominal(Time::ZERO)],
        }
    }

    fn path_context(&self, graph: &Graph, number: usize) -> PathContext {
        let chance = Chance { seed: self.seed, replication: self.replication };
        let is_of_bottleneck = graph
            .bottleneck_number()
            .is_some_and(|bottleneck| number == bottleneck || graph.opposite(bottleneck) == Some(number));
        let link = &graph.links[number];
        PathContext {
            chance,
            link: (!is_of_bottleneck).then(|| graph.link_name(graph.first_of_link(number))),
            duration: self.duration.0,
            rate: link.rate,
            delay: link.delay,
        }
    }

    /// Changing paths require whole packets, and values within the limits of a topology.
    pub(super) fn object_to_paths(&self, graph: &Graph, lines: &[LineSettings], longest_delay: Span) -> Vec<Objection> {
        let mut changes = 0;
        // Without a rate it is the line back of the scenario's `path`, which is checked on the bottleneck.
        let lines = lines.iter().filter(|line| line.has_rate);
        lines.flat_map(|line| self.object_to_path(graph, line, longest_delay, &mut changes)).collect()
    }

    fn object_to_path(
        &self,
        graph: &Graph,
        line: &LineSettings,
        longest_delay: Span,
        changes: &mut usize,
    ) -> Vec<Objection> {
        let Some(path) = &line.path else { return Vec::new() };
        let whole = |message: String| vec![(path.key.clone(), message)];
        if self.framing.build(&()).unit() == Unit::Cell {
            let (name, framing) = (path.model.name(), self.framing.name());
            return whole(format!(
                "\"{name}\" is for packets that travel whole, and framing \"{framing}\" has cells; write framing = \"packet\" or \"ethernet\""
            ));
        }
        let context = self.path_context(graph, line.number);
        let own = path.objections(&context);
        if !own.is_empty() {
            return own;
        }
        let steps = path.model.build(&context).steps();
        *changes += steps.len();
        if *changes > MOST_CHANGES {
            return whole(format!("{changes} changes are too many; at most {MOST_CHANGES}"));
        }
        for (what, of_step) in [("delay", (|step| step.delay) as fn(&Step) -> Span), ("jitter", |step| step.jitter)] {
            if let Some(span) = steps.iter().map(of_step).find(|span| *span > longest_delay) {
                return whole(format!("a {what} of {} is too long; at most 60 s", format_span(span)));
            }
        }
        Vec::new()
    }
}
