//! Where packets get lost outside of ports, or are held up: as they enter a line, and at its end.

use longfat_foundation::random::{Chance, Stream};
use longfat_foundation::registry::Chosen;
use longfat_foundation::units::Time;
use longfat_network::framing::Cell;
use longfat_network::link::Terminals;
use longfat_network::loss::{Loses, LossContext, LossModel};
use longfat_network::path::Conditions;
use longfat_network::switch::{Port, Queue};
use longfat_network::topology::Graph;

use super::Events;
use super::holding::HoldingEnd;
use crate::observer::Observer;
use crate::scenario::{LineSettings, Scenario};
use crate::simulation::network::{AtRest, Entrance, LineEnd, Links, Lost, NOWHERE, Network, OTHER_RANK};

/// Losses and changing conditions outside of ports.
#[derive(Default)]
pub struct Impairments {
    entrances: Vec<LossyEntrance>,
    ends: Vec<ImpairedEnd>,
    rooms: Vec<HoldingEnd>,
}

/// The entrance of a line, where packets get lost, and what is behind it: a managed port, or nothing.
struct LossyEntrance {
    losses: Losses,
    behind: Entrance,
}

/// The end of a line where packets are held up, or turn out to be lost when they leave it, and what is behind it.
struct ImpairedEnd {
    /// Index of the waiting room.
    room: Option<usize>,
    weather: Option<Weather>,
    /// Loss model of a line that begins at a host: it acts at the line's far end, as a host has no port before the line.
    losses: Option<Losses>,
    behind: LineEnd,
}

/// The conditions of a line that changes.
struct Weather {
    conditions: Conditions,
    /// If terminals share the line.
    terminals: Option<Terminals>,
    chance: Stream,
    packets_lost: u64,
}

/// Losses by a model.
struct Losses {
    model: Box<dyn LossModel>,
    connections: usize,
    /// By circuit, true while the cells of a lost packet pass.
    is_losing: Vec<bool>,
    lost: Lost,
}

impl Losses {
    fn new(model: &Chosen<dyn LossModel>, context: &LossContext, circuits: usize) -> Self {
        Self {
            model: model.build(context),
            connections: context.flows.len(),
            is_losing: vec![false; circuits],
            lost: Lost::default(),
        }
    }

    /// Decides whether the loss model drops a cell. Cells of background traffic are not subject to it.
    fn loses(&mut self, now: Time, cell: Cell) -> bool {
        let circuit = cell.circuit();
        let Some(is_losing) = self.is_losing.get_mut(circuit) else { return false };
        if self.model.loses() == Loses::Cells || cell.is_first() {
            *is_losing = self.model.loses_next(now, circuit / 2 % self.connections);
        }
        *is_losing
    }

    fn count(&mut self, was_whole: bool) {
        self.lost.cells += 1;
        self.lost.packets += u64::from(was_whole);
    }
}

impl Weather {
    /// Decides whether the loss probability of the path, or of the terminal that a packet is for, drops one that arrives at `now`, and counts
    /// it.
    fn loses(&mut self, now: Time, circuit: usize) -> bool {
        let of_terminal = self.terminals.as_ref().map_or(0.0, |terminals| terminals.loss(circuit, now));
        let is_lost =
            [self.conditions.at(now).loss, of_terminal].iter().any(|&loss| loss > 0.0 && self.chance.happens(loss));
        self.packets_lost += u64::from(is_lost);
        is_lost
    }
}

impl Impairments {
    /// Puts a scenario's loss models before its lines, and changing conditions on them.
    pub fn place(rest: &mut AtRest) -> Self {
        let AtRest { scenario, graph, links, ports, .. } = rest;
        let mut impairments = Self::default();
        for line in scenario.lines_with_settings(graph) {
            impairments.place_on(&line, scenario, graph, links, ports);
        }
        impairments
    }

    fn place_on(
        &mut self,
        line: &LineSettings,
        scenario: &Scenario,
        graph: &Graph,
        links: &mut Links,
        ports: &mut [Port<Queue>],
    ) {
        let chance = Chance { seed: scenario.seed, replication: scenario.replication };
        let link = links.make(line.number, NOWHERE);
        let place = line.place(graph);
        let weather = scenario.conditions_of(graph, line).map(|conditions| {
            let jitter = chance.stream(&format!("path/{place}/jitter"));
            link.line.follow(conditions.clone(), jitter, line.order);
            let terminals = line.is_carrier.then(|| scenario.terminals(graph)).flatten();
            if let Some(terminals) = &terminals {
                link.line.share(terminals);
                ports
                    .iter_mut()
                    .filter(|port| port.state().line == line.number)
                    .for_each(|port| port.know_terminals(terminals));
            }
            Weather { conditions, terminals, chance: chance.stream(&format!("path/{place}")), packets_lost: 0 }
        });
        let losses = line
            .loss
            .as_ref()
            .map(|loss| Losses::new(loss.model, &scenario.loss_context(graph, line.number), graph.circuits()));
        let (at_entrance, at_end) = match losses {
            Some(losses) if !graph.begins_at_host(line.number) => (Some(losses), None),
            losses => (None, losses),
        };
        if let Some(losses) = at_entrance {
            self.entrances.push(LossyEntrance { losses, behind: link.entrance });
            link.entrance = Entrance::Lossy(self.entrances.len() - 1);
        }
        if line.holds_up() || weather.is_some() || at_end.is_some() {
            let number = self.ends.len();
            let room = line.holds_up().then_some(self.rooms.len());
            self.rooms.extend(room.map(|_| HoldingEnd::of(line, number, scenario, graph)));
            self.ends.push(ImpairedEnd { room, weather, losses: at_end, behind: link.end });
            link.end = LineEnd::Impaired(number);
        }
    }

    /// Number of waiting rooms.
    pub(super) fn rooms(&self) -> usize {
        self.rooms.len()
    }

    /// Packets that are held up, each with its line.
    pub(super) fn held_up(&self) -> impl Iterator<Item = (usize, Cell)> {
        self.rooms.iter().flat_map(HoldingEnd::packets)
    }

    /// Bytes that are allocated for packets that are held up.
    pub(super) fn memory_bytes(&self) -> usize {
        self.rooms.iter().map(HoldingEnd::memory_bytes).sum()
    }

    /// All losses so far.
    pub(super) fn lost(&self) -> Lost {
        let by_models = self.entrances.iter().map(|entrance| &entrance.losses);
        let by_models = by_models.chain(self.ends.iter().filter_map(|end| end.losses.as_ref()));
        let on_path = self.ends.iter().filter_map(|end| end.weather.as_ref()).map(|weather| weather.packets_lost).sum();
        let on_path = Lost { cells: on_path, packets: on_path };
        by_models.fold(on_path, |sum, Losses { lost, .. }| Lost {
            cells: sum.cells + lost.cells,
            packets: sum.packets + lost.packets,
        })
    }
}

impl<O: Observer> Network<O, Events> {
    /// A cell reaches a place where it may be lost, or marked, or both; returns the entrance behind, if it is not lost.
    #[cold]
    pub(super) fn pass_checks(
        &mut self,
        now: Time,
        mut entrance: Entrance,
        mut cell: Cell,
    ) -> Option<(Entrance, Cell)> {
        if let Entrance::Lossy(number) = entrance {
            if self.driver.impairments.entrances[number].losses.loses(now, cell) {
                let was_whole = self.lose(now, cell);
                self.driver.impairments.entrances[number].losses.count(was_whole);
                return None;
            }
            entrance = self.driver.impairments.entrances[number].behind;
        }
        if let Entrance::Police(port) = entrance {
            cell = self.policing.as_mut().map_or(cell, |policing| policing.police(now, cell));
            entrance = Entrance::Port(port);
        }
        Some((entrance, cell))
    }

    /// A cell reaches the end of a line where it may be held up, or lost.
    #[cold]
    pub(super) fn arrive_at_impaired_end(&mut self, now: Time, number: usize, cell: Cell) {
        let Some(room) = self.driver.impairments.ends[number].room else {
            return self.leave_impaired_end(now, number, cell);
        };
        let end = &mut self.driver.impairments.rooms[room];
        let rest = self.links[end.line()].line.take_rest();
        if let Some(cell) = end.take(now, rest, cell) {
            self.leave_impaired_end(now, number, cell);
        } else {
            self.watch_room(room);
        }
    }

    /// A packet leaves a waiting room.
    #[cold]
    pub(super) fn release_held_up(&mut self, now: Time, room: usize) {
        let end = &mut self.driver.impairments.rooms[room];
        let (number, packet) = (end.number(), end.release());
        self.watch_room(room);
        if let Some(packet) = packet {
            self.leave_impaired_end(now, number, packet);
        }
    }

    /// Puts into the calendar when the next packet leaves a waiting room.
    fn watch_room(&mut self, room: usize) {
        match self.driver.impairments.rooms[room].next() {
            Some(time) => self.calendar.schedule(self.agenda.room(room), time, OTHER_RANK),
            None => self.calendar.cancel(self.agenda.room(room)),
        }
    }

    /// A cell leaves the end of a line, unless it is lost there.
    fn leave_impaired_end(&mut self, now: Time, number: usize, cell: Cell) {
        let end = &mut self.driver.impairments.ends[number];
        if end.weather.as_mut().is_some_and(|weather| weather.loses(now, cell.circuit())) {
            self.lose(now, cell);
        } else if end.losses.as_mut().is_some_and(|losses| losses.loses(now, cell)) {
            let was_whole = self.lose(now, cell);
            let losses = &mut self.driver.impairments.ends[number].losses;
            losses.iter_mut().for_each(|losses| losses.count(was_whole));
        } else {
            let behind = end.behind;
            self.arrive_at(now, behind, cell);
        }
    }

    /// A cell is lost, of a flow or of a background; returns whether its packet was whole before.
    fn lose(&mut self, now: Time, cell: Cell) -> bool {
        let was_whole = self.damage(now, cell);
        if was_whole {
            // Backgrounds have circuits of their own, and no flow.
            if cell.circuit() < self.circuits() {
                self.flows.fingerprint_mut(cell.circuit() / 2).add(now.0);
            }
            let content = self.packets.get(cell.packet).content;
            self.observer.packet_lost(now, self.observed_flow_of(&content, cell), &content);
        }
        self.packets.release_cell(cell.packet);
        was_whole
    }
}
