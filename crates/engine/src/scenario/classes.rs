//! Service classes and promised rates: consistency of port, background and service.

use longfat_foundation::config::{Parameter, listed};
use longfat_foundation::random::Chance;
use longfat_foundation::registry::Chosen;
use longfat_network::background::{Background, BackgroundContext};
use longfat_network::framing::{Class, Unit};
use longfat_network::switch::BufferContext;
use longfat_network::switch::PortConfig;
use longfat_network::switch::queue_discipline::{Ends, QueueContext, Room};
use longfat_network::switch::scheduler::SCHEDULERS;
use longfat_network::switch::service::{Contract, ServiceContext};
use longfat_network::topology::Graph;

use super::Scenario;
use super::objections::Objection;

impl Scenario {
    /// Sources of background traffic, in the order of the scenario.
    #[must_use]
    pub fn sources_of_background(&self, graph: &Graph) -> Vec<Box<dyn Background>> {
        let Some(bottleneck) = graph.bottleneck() else { return Vec::new() };
        let build = |(number, model): (usize, &Chosen<dyn Background>)| {
            model.build(&BackgroundContext::of(number, bottleneck.rate, &self.framing, self.chance()))
        };
        self.background.iter().enumerate().map(build).collect()
    }

    /// Buffer of a managed port, with the rates promised to its circuits.
    #[must_use]
    pub fn buffer_context(&self, graph: &Graph, port: &PortConfig, name: &str) -> BufferContext {
        let circuits = graph.circuits() + self.background.len();
        BufferContext {
            capacity: port.buffer.capacity(),
            circuits,
            unit: self.framing.build(&()).unit(),
            weights: self.contract(graph).map(|contract| contract.weights(circuits)),
            chance: self.chance().stream(&format!("port/{name}/policy")),
        }
    }

    /// Context of a managed port's queue discipline.
    #[must_use]
    pub fn queue_context(&self, graph: &Graph, port: &PortConfig, link: usize) -> QueueContext {
        let framing = self.framing.build(&());
        QueueContext {
            room: Room { packets: port.buffer.capacity(), bytes: port.buffer.bytes() },
            circuits: self.ends_of_circuits(graph),
            rate: graph.links[link].rate,
            full_packet_bytes: self.largest_segment(graph.senders()).bits(framing.as_ref()) / 8,
            chance: self.chance().stream(&format!("port/{}/queue", graph.link_name(link))),
            duration: self.duration.0,
        }
    }

    /// End hosts of each circuit: two circuits per connection, and one per background source, which has hosts of its own.
    fn ends_of_circuits(&self, graph: &Graph) -> Vec<Ends> {
        let ends = |path: &[usize]| Ends {
            source: graph.links[path[0]].from,
            destination: graph.links[path[path.len() - 1]].to,
        };
        let connections = (0..graph.circuits()).filter_map(|circuit| graph.links_of_circuit(circuit)).map(ends);
        let host = |number| graph.nodes.len() + number;
        let background = (0..self.background.len())
            .map(|number| Ends { source: host(2 * number), destination: host(2 * number + 1) });
        connections.chain(background).collect()
    }

    /// Rates promised to the connections, if any.
    #[must_use]
    pub fn contract(&self, graph: &Graph) -> Option<Contract> {
        self.port.service.build(&self.service_context(graph, 1.0)?).contract()
    }

    /// Share of the bottleneck available to UBR: what VBR leaves on average, or what UBR is guaranteed (M-02).
    #[must_use]
    pub fn ubr_share(&self, graph: &Graph) -> f64 {
        let reserved: f64 = self.sources_of_background(graph).iter().map(|source| source.reserved_share()).sum();
        let port = self.bottleneck_port(graph);
        let scheduler = port.scheduler.build(&self.buffer_context(graph, &port, "bottleneck"));
        (1.0 - reserved).max(scheduler.guaranteed_share())
    }

    fn service_context(&self, graph: &Graph, share: f64) -> Option<ServiceContext> {
        let framing = self.framing.build(&());
        Some(ServiceContext {
            connections: graph.flows.len(),
            rate: graph.bottleneck()?.rate,
            share,
            cells_in_frame: (framing.unit() == Unit::Cell)
                .then(|| self.largest_segment(graph.senders()).cells(framing.as_ref())),
        })
    }

    pub(super) fn chance(&self) -> Chance {
        Chance { seed: self.seed, replication: self.replication }
    }

    /// Every class with traffic needs a queue and must leave capacity to the others; promised rates must be feasible.
    pub(super) fn object_to_classes(&self, graph: &Graph) -> Vec<Objection> {
        let objection = self.object_to_class_without_queue(graph).or_else(|| self.object_to_promises(graph));
        if let Some(objection) = objection {
            return vec![objection];
        }
        let share = self.ubr_share(graph);
        if share <= 0.0 {
            let name = self.bottleneck_port(graph).scheduler.name();
            let message = format!(
                "nothing is left: VBR takes all of the line, and scheduler \"{name}\" guarantees nothing to UBR"
            );
            return vec![("port.scheduler".into(), message)];
        }
        let Some(context) = self.service_context(graph, share) else { return Vec::new() };
        let of_service = self.port.service.objections(&context);
        of_service.into_iter().map(|(key, message)| (format!("port.service.{key}"), message)).collect()
    }

    fn object_to_class_without_queue(&self, graph: &Graph) -> Option<Objection> {
        let sources = self.sources_of_background(graph);
        let vbr = sources.iter().position(|source| source.class() == Class::Vbr)?;
        let scheduler = self.bottleneck_port(graph).scheduler;
        if !scheduler.is_absent() {
            return None;
        }
        let (model, name) = (self.background[vbr].name(), scheduler.name());
        let others = listed(SCHEDULERS.iter().map(|entry| entry.name).filter(|other| *other != name));
        let message = format!(
            "\"{model}\" is of the class VBR, and scheduler \"{name}\" has no queue for it; port.scheduler may be {others}"
        );
        Some((format!("background[{vbr}]"), message))
    }
}
