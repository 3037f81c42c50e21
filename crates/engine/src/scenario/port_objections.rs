//! Consistency of the parts of a port, with each other and with the framing.

use longfat_foundation::config::Parameter;
use longfat_network::framing::{Framing, Unit};
use longfat_network::switch::{Buffer, PortConfig};
use longfat_network::topology::Graph;

use super::Scenario;
use super::objections::Objection;

impl Scenario {
    /// Errors of `port`, and of the ports that differ, after completion from `port`.
    pub(super) fn object_to_ports(&self, graph: &Graph) -> Vec<Objection> {
        let Some(bottleneck) = graph.bottleneck_number() else { return Vec::new() };
        let mut objections = self.object_to_port(graph, &self.port, bottleneck, "port");
        for number in graph.managed() {
            let name = graph.link_name(number);
            let Some(place) = self.ports.iter().position(|other| other.at == name) else { continue };
            let own = self.object_to_port(graph, &self.port_at(&name), number, &format!("ports[{place}]"));
            // Errors that all ports share are reported once.
            let new = own.into_iter().filter(|(_, message)| objections.iter().all(|(_, known)| known != message));
            let new: Vec<_> = new.collect();
            objections.extend(new);
        }
        objections
    }

    /// Errors of the port of a link, configured at `path` of the scenario.
    fn object_to_port(&self, graph: &Graph, port: &PortConfig, link: usize, path: &str) -> Vec<Objection> {
        let objections = self.object_to_buffer(graph, port, link);
        objections.into_iter().map(|(key, message)| (format!("{path}.{key}"), message)).collect()
    }

    fn object_to_buffer(&self, graph: &Graph, port: &PortConfig, link: usize) -> Vec<Objection> {
        let (capacity, framing) = (port.buffer.capacity(), self.framing.build(&()));
        if let Some(message) = self.object_to_unit_of_buffer(port.buffer, framing.as_ref()) {
            return vec![("buffer".into(), message)];
        }
        let mut objections = Vec::new();
        let segment = self.largest_segment(graph.senders());
        let (mss, packet, units) = (segment.mss, segment.cells(framing.as_ref()), framing.unit().plural());
        if let Some(capacity) = capacity.filter(|capacity| *capacity < packet) {
            let of_segment = match framing.unit() {
                Unit::Cell => format!(": a segment of {mss} B takes {packet} cells"),
                Unit::Packet => "; at least \"1 packet\"".into(),
            };
            objections.push(("buffer".into(), format!("{capacity} {units} cannot hold one packet{of_segment}")));
        }
        if let Some(bytes) =
            port.buffer.bytes().filter(|bytes| bytes.saturating_mul(8) < segment.bits(framing.as_ref()))
        {
            let message = format!("{bytes} B cannot hold one packet with a segment of {mss} B");
            objections.push(("buffer".into(), message));
        }
        objections.extend(self.object_to_queue(graph, port, link, framing.unit()));
        if !port.queue.is_absent() {
            return objections;
        }
        let context = self.buffer_context(graph, port, &graph.link_name(link));
        let of_policy = port.policy.objections(&context);
        objections.extend(of_policy.into_iter().map(|(key, message)| (format!("policy.{key}"), message)));
        let of_scheduler = port.scheduler.objections(&context);
        objections.extend(of_scheduler.into_iter().map(|(key, message)| (format!("scheduler.{key}"), message)));
        objections
    }

    /// A queue discipline stores whole packets, and replaces the policy and the scheduler.
    fn object_to_queue(&self, graph: &Graph, port: &PortConfig, link: usize, unit: Unit) -> Vec<Objection> {
        let name = port.queue.name();
        if port.queue.is_absent() {
            let message =
                "bytes are counted by queue disciplines only; add port.queue = \"tail-drop\", or write \"20 packets\"";
            return port.buffer.bytes().map(|_| ("buffer".into(), message.into())).into_iter().collect();
        }
        if unit == Unit::Cell {
            let framing = self.framing.name();
            let message = format!(
                "\"{name}\" keeps packets that travel whole, and framing \"{framing}\" has cells; write framing = \"packet\" or \"ethernet\""
            );
            return vec![("queue".into(), message)];
        }
        let beside = |path: &str, other: &str| {
            let message = format!("queue \"{name}\" takes the place of \"{other}\"; leave one of them out");
            (path.to_owned(), message)
        };
        let mut objections = Vec::new();
        if port.policy.name() != "tail-drop" {
            objections.push(beside("policy", port.policy.name()));
        }
        if !port.scheduler.is_absent() {
            objections.push(beside("scheduler", port.scheduler.name()));
        }
        if port.counts_cell_in_service {
            let message = format!("queue \"{name}\" counts packets that wait; leave it out, or false");
            objections.push(("counts_cell_in_service".into(), message));
        }
        let own = port.queue.objections(&self.queue_context(graph, port, link));
        objections.extend(own.into_iter().map(|(key, message)| (format!("queue.{key}"), message)));
        objections
    }

    /// The buffer's unit must be that of the framing.
    fn object_to_unit_of_buffer(&self, buffer: Buffer, framing: &dyn Framing) -> Option<String> {
        let (unit, name) = (framing.unit(), self.framing.name());
        match buffer {
            Buffer::Cells(cells) if unit == Unit::Packet => Some(format!(
                "{cells} cells under framing \"{name}\", where packets travel whole; write \"20 packets\", \"1 BDP\" or \"unlimited\""
            )),
            Buffer::Bytes(bytes) if unit == Unit::Cell => Some(format!(
                "{bytes} B under framing \"{name}\", which counts cells; write \"12000 cells\", \"1 BDP\" or \"unlimited\""
            )),
            Buffer::Packets(packets) if unit == Unit::Cell => {
                let mss = self.tcp.mss.0;
                let cells = framing.cells(mss, self.tcp.option_bytes());
                Some(format!(
                    "{packets} packets under framing \"{name}\", which counts cells; a segment of {mss} B takes {cells}, so write \"{} cells\"",
                    packets.saturating_mul(cells)
                ))
            }
            _ => None,
        }
    }
}
