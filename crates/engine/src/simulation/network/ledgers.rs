//! The ledgers of a run: of the bottleneck, and of other managed lines that the scenario names.

use longfat_foundation::units::Time;
use longfat_hosts::transport::ReceivedBytes;
use longfat_network::topology::Graph;

use super::ledger::{Entry, Hindrance, RunningLedger};
use crate::scenario::Scenario;

/// Ledgers that are told the same of the end systems, and each of its own port. Only the bottleneck's may be ahead of the end systems.
pub struct Ledgers {
    bottleneck: RunningLedger,
    bottleneck_port: usize,
    /// With the numbers of their ports.
    others: Vec<(usize, RunningLedger)>,
}

impl Ledgers {
    /// Of a network with `flows` flows.
    pub fn open(scenario: &Scenario, graph: &Graph, bottleneck_port: usize, flows: usize) -> Self {
        let lines = scenario.lines_with_ledgers(graph);
        let others =
            graph.managed().enumerate().filter(|(port, line)| *port != bottleneck_port && lines.contains(line));
        Self {
            bottleneck: RunningLedger::open(graph, graph.bottleneck_number(), flows),
            bottleneck_port,
            others: others.map(|(port, line)| (port, RunningLedger::open(graph, Some(line), flows))).collect(),
        }
    }

    /// The bottleneck's.
    pub fn of_bottleneck(&mut self) -> &mut RunningLedger {
        &mut self.bottleneck
    }

    /// The ledger of a port, if it has one.
    pub fn of_port(&self, port: usize) -> Option<&RunningLedger> {
        let other = || self.others.iter().find(|(other, _)| *other == port).map(|(_, ledger)| ledger);
        if port == self.bottleneck_port { Some(&self.bottleneck) } else { other() }
    }

    /// [`of_port`](Self::of_port), to be changed.
    pub fn of_port_mut(&mut self, port: usize) -> Option<&mut RunningLedger> {
        if port == self.bottleneck_port {
            return Some(&mut self.bottleneck);
        }
        self.others.iter_mut().find(|(other, _)| *other == port).map(|(_, ledger)| ledger)
    }

    /// Numbers of the ports that have one, the bottleneck's first.
    pub fn ports(&self) -> impl Iterator<Item = usize> {
        std::iter::once(self.bottleneck_port).chain(self.others.iter().map(|(port, _)| *port))
    }

    /// Bytes that are allocated.
    pub fn memory_bytes(&self) -> usize {
        self.bottleneck.memory_bytes() + self.others.iter().map(|(_, ledger)| ledger.memory_bytes()).sum::<usize>()
    }

    #[inline(always)]
    fn each(&mut self, tell: impl Fn(&mut RunningLedger)) {
        tell(&mut self.bottleneck);
        if !self.others.is_empty() {
            self.each_other(tell);
        }
    }

    #[cold]
    #[inline(never)]
    fn each_other(&mut self, tell: impl Fn(&mut RunningLedger)) {
        self.others.iter_mut().for_each(|(_, ledger)| tell(ledger));
    }

    /// Enters an act of a port.
    #[inline]
    pub fn note_at(&mut self, port: usize, now: Time, what: Entry) {
        if let Some(ledger) = self.of_port_mut(port) {
            ledger.note(now, what);
        }
    }

    /// A packet of a flow will never arrive.
    pub fn packet_is_given_up(&mut self, now: Time, number: usize) {
        self.each(|ledger| ledger.packet_is_given_up(now, number));
    }

    /// A port drops a packet of a flow.
    pub fn packet_is_dropped(&mut self, now: Time, number: usize) {
        self.each(|ledger| ledger.packet_is_dropped(now, number));
    }

    /// A packet sets out, of the flow that acts now.
    #[inline(always)]
    pub fn packet_sets_out(&mut self) {
        self.each(RunningLedger::packet_sets_out);
    }

    /// The receiver of a flow has acted.
    #[inline(always)]
    pub fn receiver_acts(&mut self, now: Time, number: usize) {
        self.each(|ledger| ledger.receiver_acts(now, number));
    }

    /// The receiver of a flow begins to delay an acknowledgment, or ends to.
    pub fn receiver_delays(&mut self, now: Time, number: usize, delays: bool) {
        self.each(|ledger| ledger.receiver_delays(now, number, delays));
    }

    /// The sender of a flow has acted, and `sends` or not. Returns whether nothing of the flow is under way and nothing waits to be sent.
    #[inline(always)]
    pub fn sender_acts(&mut self, now: Time, number: usize, sends: bool, hindrance: Hindrance) -> bool {
        if !self.others.is_empty() {
            self.each_other(|ledger| _ = ledger.sender_acts(now, number, sends, hindrance));
        }
        self.bottleneck.sender_acts(now, number, sends, hindrance)
    }

    /// A packet that opens a flow has arrived whole.
    pub fn synchronize_arrives(&mut self, number: usize, bits: u64) {
        self.each(|ledger| ledger.synchronize_arrives(number, bits));
    }

    /// A packet that comes back to the sender of a flow has arrived whole.
    #[inline(always)]
    pub fn control_arrives(&mut self, number: usize, bits: u64) {
        self.each(|ledger| ledger.control_arrives(number, bits));
    }

    /// A data packet has arrived whole and brought its receiver these bytes.
    #[inline(always)]
    pub fn data_arrives(&mut self, number: usize, brought: ReceivedBytes, bits: u64) {
        self.each(|ledger| ledger.data_arrives(number, brought, bits));
    }
}
