//! The ledger of a run that is over: what was charged while it went on, what is under way, and the rest.

use longfat_foundation::measure::{ByCause, Cause, Ledger};
use longfat_foundation::units::{CELL_BITS, Time, TransmissionTime};
use longfat_network::framing::{Cell, Class, PacketId};
use longfat_network::topology::Graph;

use super::audit::equal;
use super::{AnyPort, Drive, Network, Train, Violation};
use crate::observer::Observer;

/// The transmission in progress at the end: its cause, its bits, and for how long it has been going on.
struct InService {
    cause: Cause,
    bits: u64,
    ps: u64,
}

/// Of each circuit through the line, the packet of which some cells have left the line's port and all others will, if
/// there is one.
struct CutPackets(Vec<Cut>);

#[derive(Clone, Copy)]
enum Cut {
    /// So many cells in a row that have not left the port.
    Open(u64),
    /// The packet whose last of them is the last, and how many there are.
    Found(PacketId, u64),
    /// All cells that have left were of packets that have left whole, or never will.
    None,
}

impl CutPackets {
    /// The next cells of a circuit that have not left the port, all of one packet: the first of them, and whether the last of them
    /// is the packet's.
    fn add(&mut self, cell: Cell, cells: u64, ends: bool) {
        let cut = &mut self.0[cell.circuit()];
        let Cut::Open(before) = *cut else { return };
        *cut = match (cell.is_first(), ends) {
            (true, _) => Cut::None,
            (false, true) => Cut::Found(cell.packet, before + cells),
            (false, false) => Cut::Open(before + cells),
        };
    }

    /// The packets, with the number of their cells that have not left.
    fn packets(&self) -> impl Iterator<Item = (PacketId, u64)> {
        self.0.iter().filter_map(|cut| if let Cut::Found(packet, cells) = cut { Some((*packet, *cells)) } else { None })
    }
}

/// The ledger of a port's line: an error if more has arrived than the line has sent, or the parts do not sum to the duration.
pub struct Settled {
    pub port: usize,
    pub ledger: Result<Ledger, Violation>,
}

impl Settled {
    /// Ledger of the time since `earlier`.
    ///
    /// # Errors
    /// If either did not add up.
    pub fn since(&self, earlier: &Self) -> Result<Ledger, Violation> {
        Ok(self.ledger.as_ref().map_err(Clone::clone)?.since(earlier.ledger.as_ref().map_err(Clone::clone)?))
    }
}

/// The port whose ledger is settled, and its line.
#[derive(Clone, Copy)]
struct Place {
    port: usize,
    line: Option<usize>,
}

impl<O: Observer, D: Drive> Network<O, D> {
    /// The ledgers of the run until `now`, before which all is simulated: the bottleneck's first.
    pub fn settled_ledgers(&mut self, graph: &Graph, now: Time) -> Vec<Settled> {
        let ports: Vec<_> = self.ledger.ports().collect();
        ports.into_iter().map(|port| Settled { port, ledger: self.settled_ledger(graph, port, now) }).collect()
    }

    fn settled_ledger(&mut self, graph: &Graph, port: usize, now: Time) -> Result<Ledger, Violation> {
        let place = Place { port, line: self.port(port).map(|port| port.state().line) };
        let mut ps = self.ledger.idle_ps(port, now);
        let busy = now.0 - ps.sum();
        let cut = self.cut_packets(graph, place);
        let in_service = self.in_service(&cut, place, now);
        let in_service_ps = in_service.as_ref().map_or(0, |cell| cell.ps.min(busy));
        let parts = self.bits_sent(graph, &cut, place, in_service.as_ref())?.apportion(busy - in_service_ps);
        Cause::ALL.iter().for_each(|&cause| ps.add(cause, parts.of(cause)));
        if let Some(cell) = in_service {
            // If nothing else was ever sent, this includes the remainder of the line clock's rounding.
            ps.add(cell.cause, busy - parts.sum());
        }
        equal("picoseconds in the ledger, and of the duration", ps.sum(), now.0)?;
        Ok(Ledger(ps))
    }

    fn port(&self, number: usize) -> Option<&AnyPort> {
        self.driver.ports().nth(number)
    }

    /// Bits that the port has sent until the end, in whole cells, by cause.
    fn bits_sent(
        &self,
        graph: &Graph,
        cut: &CutPackets,
        place: Place,
        in_service: Option<&InService>,
    ) -> Result<ByCause, Violation> {
        let (vbr_cells, sent) = self.port(place.port).map_or((0, 0), |port| {
            let state = port.state();
            let vbr_cells = state.vbr().map_or(0, |vbr| vbr.statistics().cells_out);
            (vbr_cells, self.links[state.line].line.bits_of(state.statistics().cells_out + vbr_cells))
        });
        let mut bits = self.ledger.bits(place.port);
        bits.add(Cause::Vbr, vbr_cells * CELL_BITS);
        for number in 0..self.flows.len() {
            let (delivered, held) = self.flows.outcome(number).map_or((0, 0), |flow| (flow.delivered, flow.held));
            let new_bits = self.ledger.new_bits(place.port, number);
            let held_bits = proportion(new_bits, held, delivered + held);
            bits.add(Cause::Useful, new_bits - held_bits);
            bits.add(Cause::UnderWay, held_bits);
        }
        self.add_bits_under_way(graph, cut, place, &mut bits);
        let accounted = bits.sum();
        let violation =
            || Violation(format!("bits arrived or under way, {accounted}, exceed the {sent} that were sent"));
        bits.add(Cause::Incomplete, sent.checked_sub(accounted).ok_or_else(violation)?);
        if let Some(cell) = in_service {
            bits.take(cell.cause, cell.bits);
        }
        Ok(bits)
    }

    /// Adds what has left the port and has not arrived: packets that have left with their last cell, the beginnings
    /// of others, and cells of backgrounds.
    fn add_bits_under_way(&self, graph: &Graph, cut: &CutPackets, place: Place, bits: &mut ByCause) {
        let path = |circuit| split_path(graph, circuit, place.line);
        let mut add = |number: usize, cell: Cell, cells: u64, ends: bool| match path(cell.circuit()) {
            None if Some(number) == place.line => bits.add(Cause::Background, self.bits_of(cell.packet, cells)),
            Some((_, behind)) if ends && behind.contains(&number) && !self.packets.get(cell.packet).damaged => {
                bits.add(Cause::UnderWay, self.packets.get(cell.packet).bits);
            }
            _ => {}
        };
        self.trains().into_iter().for_each(|(number, (cell, cells, ends))| add(number, cell, cells.into(), ends));
        for other in self.other_ports(place.port) {
            other.visit_cells(|cell, cells, ends| add(other.state().line, cell, cells, ends));
        }
        for (packet, cells_left) in cut.packets().filter(|(packet, _)| !self.packets.get(*packet).damaged) {
            bits.add(Cause::UnderWay, self.bits_of(packet, u64::from(self.packets.get(packet).cells) - cells_left));
        }
    }

    /// The trains on all lines, of each line in order. Where the driver does not follow all cells, those behind the port are known by
    /// their last cells only.
    fn trains(&self) -> Vec<(usize, Train)> {
        let mut trains = self.driver.trains();
        let known = self.links.made();
        trains.extend(known.flat_map(|(number, link)| link.line.trains().map(move |train| (number, train))));
        trains
    }

    /// The managed ports besides that one.
    fn other_ports(&self, port: usize) -> impl Iterator<Item = &AnyPort> {
        let others = self.driver.ports().enumerate().filter(move |(number, _)| *number != port);
        others.map(|(_, port)| port)
    }

    /// Bits of `cells` cells of a packet.
    pub fn bits_of(&self, packet: PacketId, cells: u64) -> u64 {
        let packet = self.packets.get(packet);
        cells * packet.bits / u64::from(packet.cells)
    }

    /// Looks through the port, and from the nearest on through the lines before it, each with the managed port at its beginning.
    fn cut_packets(&self, graph: &Graph, place: Place) -> CutPackets {
        let circuits = self.circuits();
        let mut cut = CutPackets(vec![Cut::Open(0); circuits + self.scenario.background.len()]);
        if let Some(port) = self.port(place.port) {
            port.visit_cells(|cell, cells, ends| cut.add(cell, cells, ends));
        }
        let trains = self.trains();
        let path = |circuit| split_path(graph, circuit, place.line);
        let most_before = (0..circuits).filter_map(path).map(|(before, _)| before.len());
        for hops_before in 0..most_before.max().unwrap_or(0) {
            let mut add = |number: usize, cell: Cell, cells: u64, ends: bool| {
                let is_there = |(before, _): (&[usize], _)| before.iter().rev().nth(hops_before) == Some(&number);
                if path(cell.circuit()).is_some_and(is_there) {
                    cut.add(cell, cells, ends);
                }
            };
            trains.iter().for_each(|&(number, (cell, cells, ends))| add(number, cell, cells.into(), ends));
            for other in self.other_ports(place.port) {
                other.visit_cells(|cell, cells, ends| add(other.state().line, cell, cells, ends));
            }
        }
        cut.0.truncate(circuits);
        cut
    }

    /// The transmission of the port at `now`.
    fn in_service(&self, cut: &CutPackets, place: Place, now: Time) -> Option<InService> {
        if !self.ledger.of_port(place.port)?.sends_at(now) {
            return None;
        }
        let port = self.port(place.port)?;
        let (cause, bits) = match port.state().sends()? {
            Class::Vbr => (Cause::Vbr, CELL_BITS),
            Class::Ubr => {
                let cell = port.latest()?;
                (self.cause_of(cell, cut), self.bits_of(cell.packet, 1))
            }
        };
        let still_to_send = port.free_at().0.saturating_sub(now.0);
        let transmission = TransmissionTime::of_bits(bits, self.links[port.state().line].line.rate());
        Some(InService { cause, bits, ps: transmission.rounded_down().0.saturating_sub(still_to_send) })
    }

    /// The cause to which a cell that is being sent is charged.
    fn cause_of(&self, cell: Cell, cut: &CutPackets) -> Cause {
        let is_cut = || matches!(cut.0[cell.circuit()], Cut::Found(packet, _) if packet == cell.packet);
        if cell.circuit() >= self.circuits() {
            Cause::Background
        } else if (cell.is_last() || is_cut()) && !self.packets.get(cell.packet).damaged {
            Cause::UnderWay
        } else {
            Cause::Incomplete
        }
    }
}

/// The links of a circuit before a line, and from it on; none of either if it does not cross the line, and nothing if it is no
/// connection's.
fn split_path(graph: &Graph, circuit: usize, line: Option<usize>) -> Option<(&[usize], &[usize])> {
    let path = graph.links_of_circuit(circuit)?;
    let place = path.iter().position(|&link| Some(link) == line);
    Some(place.map_or((&[][..], &[][..]), |place| path.split_at(place)))
}

/// `number * part / whole`, rounded down; 0 of nothing.
#[expect(clippy::cast_possible_truncation, reason = "a part is no more than the whole")]
fn proportion(number: u64, part: u64, whole: u64) -> u64 {
    if whole == 0 { 0 } else { (u128::from(number) * u128::from(part) / u128::from(whole)) as u64 }
}
