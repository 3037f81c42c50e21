//! Paths of a scenario's lines over time.

use std::collections::BTreeSet;

use longfat_foundation::config::{Parameter, format_span};
use longfat_foundation::random::Chance;
use longfat_foundation::units::{Span, Time};
use longfat_network::framing::Unit;
use longfat_network::link::Terminals;
use longfat_network::path::{Conditions, Path, PathContext, Step};
use longfat_network::topology::{Flow, Graph};

use super::lines::Placed;
use super::objections::Objection;
use super::{LineSettings, Scenario};

/// Maximum of changes of all lines; more are taken for a mistake.
const MOST_CHANGES: u64 = 1_000_000;

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

    /// Conditions of a line over time; `None` if they are constant and the same for all packets.
    #[must_use]
    pub fn conditions_of(&self, graph: &Graph, line: &LineSettings) -> Option<Conditions> {
        let context = self.path_context(graph, line.number);
        if line.path.is_none() && line.is_carrier {
            return Some(Conditions::constant(&context));
        }
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

    /// True if a group of connections has a path of its own.
    #[must_use]
    pub fn has_terminals(&self) -> bool {
        self.terminals_of_groups().next().is_some()
    }

    /// Groups with a path of their own, each with its index.
    fn terminals_of_groups(&self) -> impl Iterator<Item = (usize, Placed<'_, dyn Path>)> {
        self.connections.iter().enumerate().filter_map(|(number, group)| {
            let model = group.path.as_ref().filter(|path| !path.is_absent())?;
            Some((number, Placed { key: format!("connections[{number}].path"), model }))
        })
    }

    /// Terminals that share the bottleneck's line.
    #[must_use]
    pub fn terminals(&self, graph: &Graph) -> Option<Terminals> {
        let bottleneck = graph.bottleneck_number()?;
        let groups: Vec<_> = self.terminals_of_groups().collect();
        let conditions = |(number, path): &(usize, Placed<dyn Path>)| {
            let context = self.terminal_context(graph, bottleneck, *number);
            Conditions::of(path.model.build(&context).as_ref(), &context)
        };
        let of_sender = self.groups_of_senders(graph.senders());
        let mut places = vec![None; self.connections.len()];
        (0..).zip(&groups).for_each(|(place, (number, _))| places[*number] = Some(place));
        let of_circuit = |circuit: usize| {
            let flow = &graph.flows[circuit / 2 % graph.flows.len()];
            of_sender.get(flow.sender).and_then(|group| places[*group])
        };
        Some(Terminals::new((0..graph.circuits()).map(of_circuit).collect(), groups.iter().map(conditions).collect()))
    }

    /// Each terminal has weather of its own.
    fn terminal_context(&self, graph: &Graph, bottleneck: usize, group: usize) -> PathContext {
        PathContext { link: Some(format!("connections[{group}]")), ..self.path_context(graph, bottleneck) }
    }

    /// Errors of paths of groups.
    pub(super) fn object_to_terminals(&self, graph: &Graph, lines: &[LineSettings]) -> Vec<Objection> {
        let Some(bottleneck) = graph.bottleneck_number().filter(|_| self.has_terminals()) else { return Vec::new() };
        let is_granted = lines.iter().any(|line| line.number == bottleneck && line.capacity.is_some());
        let (mut changes, mut objections) = (0, Vec::new());
        let of_sender = self.groups_of_senders(graph.senders());
        let crosses = |flow: &&Flow| flow.forward.contains(&bottleneck) || flow.backward.contains(&bottleneck);
        let crossing = graph.flows.iter().filter(crosses).filter_map(|flow| of_sender.get(flow.sender));
        let crossing: BTreeSet<_> = crossing.copied().collect();
        for (number, path) in self.terminals_of_groups() {
            if is_granted {
                let message = "the bottleneck's capacity is asked for by its own sender; a carrier that terminals share is \
                               always there: leave capacity out";
                objections.push((path.key, message.into()));
            } else if !crossing.contains(&number) {
                objections.push((path.key, "none of these connections' packets cross the bottleneck".into()));
            } else {
                let context = self.terminal_context(graph, bottleneck, number);
                objections.extend(self.object_to_path(&path, &context, Span(u64::MAX), &mut changes));
            }
        }
        objections
    }

    /// Changing paths require whole packets, and values within the limits of a topology.
    pub(super) fn object_to_paths(&self, graph: &Graph, lines: &[LineSettings], longest_delay: Span) -> Vec<Objection> {
        let mut changes = 0;
        // Without a rate it is the line back of the scenario's `path`, which is checked on the bottleneck.
        let lines = lines.iter().filter(|line| line.has_rate);
        let mut objections = Vec::new();
        for line in lines {
            let Some(path) = &line.path else { continue };
            let context = self.path_context(graph, line.number);
            objections.extend(self.object_to_path(path, &context, longest_delay, &mut changes));
        }
        objections
    }

    fn object_to_path(
        &self,
        path: &Placed<dyn Path>,
        context: &PathContext,
        longest_delay: Span,
        changes: &mut u64,
    ) -> Vec<Objection> {
        let whole = |message: String| vec![(path.key.clone(), message)];
        if self.framing.build(&()).unit() == Unit::Cell {
            let (name, framing) = (path.model.name(), self.framing.name());
            return whole(format!(
                "\"{name}\" is for packets that travel whole, and framing \"{framing}\" has cells; write framing = \"packet\" or \"ethernet\""
            ));
        }
        let own = path.objections(context);
        if !own.is_empty() {
            return own;
        }
        let built = path.model.build(context);
        *changes += built.samples();
        let steps = if *changes > MOST_CHANGES { Vec::new() } else { built.steps() };
        *changes += steps.len() as u64;
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
