//! Lines that change, lose packets, hold them up or have capacity on demand: each in its direction.

use std::collections::{BTreeMap, BTreeSet};

use longfat_foundation::config::{MOST_PROBLEMS, Parameter, SpansIfAny, did_you_mean, listed};
use longfat_foundation::random::SpanDistribution;
use longfat_foundation::registry::{Chosen, Family};
use longfat_network::capacity::Assignment;
use longfat_network::loss::LossModel;
use longfat_network::path::Path;
use longfat_network::reordering::{Order, Reordering};
use longfat_network::topology::Graph;

use super::Scenario;
use super::objections::Objection;

/// Most lines whose ledger a record has besides the bottleneck's.
const MOST_LEDGERS: usize = 100;

longfat_foundation::section! {
    /// A line, which is one direction of a link, and what it has of its own.
    pub struct OtherLine {
        /// Name of the line, as in results: "bottleneck" and "bottleneck back", "a to b", or the link's name and "NAME back". An asterisk stands
        /// for any text, so that one entry means several lines; later entries replace what earlier ones say of the same line.
        pub at: String,
        /// Rate, delay and losses of this line over time. By default the bottleneck and the line back are as the scenario's `path` says.
        pub path: Option<Chosen<dyn Path>> = "as-others",
        /// Losses of packets, data or acknowledgments, as they enter this line, before its buffer; of a host's line, as they leave it. By
        /// default the bottleneck and the line back are as the scenario's `loss` and `acknowledgment_loss` say.
        pub loss: Option<Chosen<dyn LossModel>> = "as-others",
        /// Assignment of this line's capacity to the switch before it, whose port is then managed. By default the bottleneck is as the
        /// scenario's `capacity` says.
        pub capacity: Option<Chosen<dyn Assignment>> = "as-others",
        /// Extra delay at the end of this line, drawn for each packet, in addition to the jitter of its path.
        pub jitter: SpansIfAny = "0 s",
        /// Order of packets that jitter, or a path whose delay changes, would let overtake others.
        pub order: Order = "fifo",
        /// Packets held up at the end of this line, after its jitter, where others pass them.
        pub reordering: Chosen<dyn Reordering> = "none",
    }
}

/// A model that acts on a line, and the key of the scenario that says so.
pub struct Placed<'s, M: ?Sized + Family> {
    /// Dotted path of the key.
    pub key: String,
    /// The model.
    pub model: &'s Chosen<M>,
}

/// Models that act on one line; none that stands for "none".
pub struct LineSettings<'s> {
    /// Index of the line in the graph.
    pub number: usize,
    /// How it changes over time.
    pub path: Option<Placed<'s, dyn Path>>,
    /// True if `path` changes the line's rate too; false on the line back of the scenario's `path`, which keeps its own rate.
    pub has_rate: bool,
    /// True of the bottleneck if it is a carrier: groups of connections have rates of their own on it.
    pub is_carrier: bool,
    /// Losses.
    pub loss: Option<Placed<'s, dyn LossModel>>,
    /// Assignment of capacity.
    pub capacity: Option<Placed<'s, dyn Assignment>>,
    /// Extra delay of each packet at the end, if it has any, with the key that says so.
    pub jitter: Option<(String, &'s SpanDistribution)>,
    /// Order of packets with different delays.
    pub order: Order,
    /// Packets held up at the end.
    pub reordering: Option<Placed<'s, dyn Reordering>>,
}

impl<'s, M: ?Sized + Family> Placed<'s, M> {
    fn of(key: impl Into<String>, model: &'s Chosen<M>) -> Option<Self> {
        (!model.is_absent()).then(|| Self { key: key.into(), model })
    }

    /// Objections of the model itself.
    pub(super) fn objections(&self, context: &M::Context) -> Vec<Objection> {
        let own = self.model.objections(context);
        own.into_iter().map(|(key, message)| (format!("{}.{key}", self.key), message)).collect()
    }
}

/// Name of a line in names of random streams: what it carries, if it is the bottleneck or the line back.
pub(super) fn place_of(graph: &Graph, number: usize) -> String {
    match graph.bottleneck_number() {
        Some(bottleneck) if bottleneck == number => "data".into(),
        Some(bottleneck) if graph.opposite(bottleneck) == Some(number) => "acknowledgments".into(),
        _ => format!("at {}", graph.link_name(number)),
    }
}

impl<'s> LineSettings<'s> {
    /// Name of the line in names of random streams.
    #[must_use]
    pub fn place(&self, graph: &Graph) -> String {
        place_of(graph, self.number)
    }

    fn none(number: usize) -> Self {
        Self {
            number,
            path: None,
            has_rate: true,
            is_carrier: false,
            loss: None,
            capacity: None,
            jitter: None,
            order: Order::Fifo,
            reordering: None,
        }
    }

    fn is_none(&self) -> bool {
        self.path.is_none() && !self.is_carrier && self.loss.is_none() && self.capacity.is_none() && !self.holds_up()
    }

    /// True if packets may be held up at the end of the line.
    #[must_use]
    pub fn holds_up(&self) -> bool {
        self.jitter.is_some() || self.reordering.is_some() || (self.path.is_some() && self.order == Order::Free)
    }

    fn replace(&mut self, place: usize, own: &'s OtherLine) {
        let key = |what: &str| format!("lines[{place}].{what}");
        if let Some(path) = &own.path {
            (self.path, self.has_rate) = (Placed::of(key("path"), path), true);
        }
        if let Some(loss) = &own.loss {
            self.loss = Placed::of(key("loss"), loss);
        }
        if let Some(capacity) = &own.capacity {
            self.capacity = Placed::of(key("capacity"), capacity);
        }
        if !own.jitter.is_absent() {
            self.jitter = Some((key("jitter"), &own.jitter.0));
        }
        if own.order != Order::Fifo {
            self.order = own.order;
        }
        if !own.reordering.is_absent() {
            self.reordering = Placed::of(key("reordering"), &own.reordering);
        }
    }
}

impl Scenario {
    /// Lines that change, lose packets or have capacity on demand, in the order of the graph: the bottleneck and the line back as the whole
    /// scenario says, and those of `lines`.
    #[must_use]
    pub fn lines_with_settings(&self, graph: &Graph) -> Vec<LineSettings<'_>> {
        let of_bottleneck =
            [self.path.is_absent(), !self.has_terminals(), self.capacity.is_absent(), self.loss.is_absent()];
        if self.lines.is_empty() && self.acknowledgment_loss.is_absent() && of_bottleneck == [true; 4] {
            return Vec::new();
        }
        let mut all: BTreeMap<_, _> =
            self.settings_of_bottleneck(graph).into_iter().map(|line| (line.number, line)).collect();
        for (place, numbers) in self.numbers_of_lines(graph).into_iter().enumerate() {
            for number in numbers {
                all.entry(number).or_insert_with(|| LineSettings::none(number)).replace(place, &self.lines[place]);
            }
        }
        all.into_values().filter(|line| !line.is_none()).collect()
    }

    /// Settings of the bottleneck and the line back by the keys of the whole scenario. Nothing is known of the rate back but that of the topology.
    fn settings_of_bottleneck(&self, graph: &Graph) -> Vec<LineSettings<'_>> {
        let path = || Placed::of("path", &self.path);
        let there = graph.bottleneck_number().map(|number| LineSettings {
            path: path(),
            is_carrier: self.has_terminals(),
            loss: Placed::of("loss", &self.loss),
            capacity: Placed::of("capacity", &self.capacity),
            ..LineSettings::none(number)
        });
        if self.path.is_absent() && self.acknowledgment_loss.is_absent() {
            return there.into_iter().collect();
        }
        let back = graph.bottleneck_number().and_then(|number| graph.opposite(number)).map(|number| LineSettings {
            path: path(),
            has_rate: false,
            loss: Placed::of("acknowledgment_loss", &self.acknowledgment_loss),
            ..LineSettings::none(number)
        });
        there.into_iter().chain(back).collect()
    }

    /// For each of `lines` the indices in the graph of the lines that it means.
    fn numbers_of_lines(&self, graph: &Graph) -> Vec<Vec<usize>> {
        graph.lines_matching(self.lines.iter().map(|line| line.at.as_str()))
    }

    /// Indices of the lines that `measure.ledgers` names.
    #[must_use]
    pub fn lines_with_ledgers(&self, graph: &Graph) -> BTreeSet<usize> {
        graph.lines_called(self.measure.ledgers.iter().map(String::as_str)).into_iter().flatten().collect()
    }

    /// Lines in `measure.ledgers` must be managed, and few: each ledger is told of every packet.
    pub(super) fn object_to_ledgers(&self, graph: &Graph) -> Vec<Objection> {
        let names = &self.measure.ledgers;
        if names.len() > MOST_LEDGERS {
            return vec![("measure.ledgers".into(), format!("{} lines; at most {MOST_LEDGERS}", names.len()))];
        }
        let numbers = graph.lines_called(names.iter().map(String::as_str));
        let is_managed = |number: usize| graph.links[number].managed;
        let wrong = numbers.into_iter().enumerate().filter(|(_, number)| !number.is_some_and(is_managed));
        let objection = |(place, number): (usize, Option<usize>)| {
            let message = match number {
                Some(_) => format!(
                    "{:?} has no managed port; known: {}",
                    names[place],
                    listed(graph.port_names().iter().map(String::as_str))
                ),
                None => no_line(&names[place], graph, is_managed),
            };
            (format!("measure.ledgers[{place}]"), message)
        };
        wrong.map(objection).collect()
    }

    /// Gives managed ports to the lines that need one: those in `ports`, and those with capacity on demand. Only switches have them.
    pub(super) fn manage_lines(&self, graph: &mut Graph) {
        let on_demand = |line: &&OtherLine| line.capacity.as_ref().is_some_and(|capacity| !capacity.is_absent());
        let ports = graph.lines_called(self.ports.iter().map(|port| port.at.as_str()));
        let asking = graph.lines_matching(self.lines.iter().filter(on_demand).map(|line| line.at.as_str()));
        for number in ports.into_iter().flatten().chain(asking.into_iter().flatten()) {
            graph.links[number].managed |= !graph.begins_at_host(number);
        }
    }

    /// Lines listed in `lines` must exist, each once.
    pub(super) fn object_to_names_of_lines(&self, graph: &Graph) -> Vec<Objection> {
        let mut objections = Vec::new();
        for (place, numbers) in self.numbers_of_lines(graph).into_iter().enumerate() {
            let at = &self.lines[place].at;
            let message = if numbers.is_empty() {
                // Problems beyond the most that are told are only counted.
                if objections.len() < MOST_PROBLEMS { no_line(at, graph, |_| true) } else { "no such line".into() }
            } else if self.lines[..place].iter().any(|line| line.at == *at) {
                format!("the line {at:?} is listed twice; merge the entries")
            } else {
                continue;
            };
            objections.push((format!("lines[{place}].at"), message));
        }
        objections
    }
}

/// The message about a name that no line has, among those whose index `is_meant`.
pub(super) fn no_line(name: &str, graph: &Graph, is_meant: impl Fn(usize) -> bool) -> String {
    let known: Vec<_> =
        (0..graph.links.len()).filter(|&number| is_meant(number)).map(|number| graph.link_name(number)).collect();
    let names = || known.iter().map(String::as_str);
    format!("no line {name:?}; known: {}{}", listed(names()), did_you_mean(name, names()))
}
