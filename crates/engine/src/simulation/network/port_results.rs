//! Record of the managed ports: counts, use of their lines, ledgers, service classes.

use longfat_foundation::measure::{ClassRecord, Ledger, LineRecord, PortRecord, QueueRecord};
use longfat_foundation::units::{Span, Time};
use longfat_network::framing::{Class, Unit};
use longfat_network::switch::{PortCounts, PortStatistics};
use longfat_network::topology::Graph;

use super::{AnyPort, Drive, Network};
use crate::observer::Observer;

#[expect(clippy::cast_precision_loss, reason = "reports need no more than 53 bits")]
impl<O: Observer, D: Drive> Network<O, D> {
    pub(super) fn port_records(&self, graph: &Graph, goodputs: &[f64], ledgers: &[(usize, Ledger)]) -> Vec<PortRecord> {
        let named = self.scenario.lines_with_ledgers(graph);
        let record = |(number, port): (usize, &AnyPort)| {
            let name = graph.link_name(port.state().line);
            let config = self.scenario.port_at(&name);
            let counts = self.port_counts(number, port);
            let (statistics, discipline) = (&counts.ubr, port.discipline_counts());
            let line = &self.links[port.state().line].line;
            let is_named = named.contains(&port.state().line);
            let line_use = self.use_of_line(graph, number, goodputs).filter(|_| is_named);
            let ledger = ledgers.iter().find(|(port, _)| is_named && *port == number);
            PortRecord {
                name,
                policy: if discipline.is_some() { config.queue.name() } else { config.policy.name() },
                max_queue_cells: statistics.max_queue_cells,
                mean_queue_cells: statistics.mean_queue_cells(self.measured()),
                cells_in: statistics.cells_in,
                cells_out: statistics.cells_out,
                cells_dropped: statistics.cells_dropped,
                packets_dropped: statistics.packets_dropped,
                utilization: self.busy_share(number, port) * line.busy_per_share(self.measured_from(), self.end),
                queue: discipline.map(|of_discipline| QueueRecord {
                    discipline: config.queue.name(),
                    packets_marked: counts.packets_marked,
                    acknowledgments_superseded: counts.acknowledgments_superseded,
                    delays: of_discipline.delays.clone(),
                }),
                line: line_use.zip(ledger).map(|(line_use, (_, ledger))| LineRecord {
                    line_use,
                    mean_queueing_delay_s: match &discipline {
                        Some(of_discipline) => of_discipline.delays.mean_seconds(),
                        None => statistics.mean_wait_s(),
                    },
                    ledger: *ledger,
                }),
                classes: self.class_records(&counts),
            }
        };
        self.driver.ports().enumerate().map(record).collect()
    }

    /// Counts of a port since measuring began.
    fn port_counts(&self, number: usize, port: &AnyPort) -> PortCounts {
        let so_far = port.counts(self.end);
        match &self.before {
            Some(before) => so_far.since(&before.ports[number]),
            None => so_far,
        }
    }

    /// For which share of the measured time a port's line has been sending.
    pub(super) fn busy_share(&self, number: usize, port: &AnyPort) -> f64 {
        let before = self.before.as_ref().map_or(0.0, |before| before.busy_seconds[number]);
        // Where capacity is granted, bits that are still to be sent are rounded up.
        (self.busy_seconds(port, self.end) - before).max(0.0) / self.seconds()
    }

    /// For how long a port's line has been sending by `now`, since the beginning.
    pub fn busy_seconds(&self, port: &AnyPort, now: Time) -> f64 {
        let state = port.state();
        let vbr_cells_out = state.vbr().map_or(0, |vbr| vbr.statistics().cells_out);
        let line = &self.links[state.line].line;
        let bits_out = line.bits_of(state.statistics().cells_out + vbr_cells_out);
        if let Some(grants) = line.grants() {
            // A packet may be sent over many frames, with pauses.
            return line.busy_seconds(bits_out.saturating_sub(grants.bits_being_sent(now)));
        }
        line.busy_seconds(bits_out) - self.still_to_send(port, now).as_seconds()
    }

    /// How long after `now` a packet is still being sent that travels whole; a cell counts with the slot before it.
    fn still_to_send(&self, port: &AnyPort, now: Time) -> Span {
        let is_sending = self.sizes.framing().unit() == Unit::Packet && port.state().sends().is_some();
        if is_sending { Span(port.free_at().0.saturating_sub(now.0)) } else { Span::ZERO }
    }

    /// Bits of capacity that were granted at the bottleneck by `now`, since the beginning, if they had to be.
    pub fn granted_bits(&self, now: Time) -> Option<f64> {
        let port = self.bottleneck()?;
        Some(self.links[port.state().line].line.grants()?.granted_bits(now))
    }

    /// Bits of capacity that were granted at the bottleneck since measuring began, if they had to be.
    pub fn granted_bits_measured(&self) -> Option<f64> {
        let before = self.before.as_ref().and_then(|before| before.granted_bits);
        Some(self.granted_bits(self.end)? - before.unwrap_or(0.0))
    }

    /// The share of the granted capacity that was used.
    pub fn granted_capacity_used(&self, graph: &Graph) -> Option<f64> {
        let granted = self.granted_bits_measured().filter(|bits| *bits > 0.0)?;
        let rate = graph.bottleneck()?.rate.0 as f64;
        Some(self.busy_share(self.bottleneck_port, self.bottleneck()?) * self.seconds() * rate / granted)
    }

    fn class_records(&self, counts: &PortCounts) -> Vec<ClassRecord> {
        let Some(vbr) = &counts.vbr else { return Vec::new() };
        let record = |class: Class, statistics: &PortStatistics| ClassRecord {
            name: class.name(),
            cells_in: statistics.cells_in,
            cells_out: statistics.cells_out,
            cells_dropped: statistics.cells_dropped,
            max_queue_cells: statistics.max_queue_cells,
            mean_queue_cells: statistics.mean_queue_cells(self.measured()),
        };
        vec![record(Class::Ubr, &counts.ubr), record(Class::Vbr, vbr)]
    }
}
