//! Which slot of the calendar belongs to which entity.

use longfat_foundation::calendar::{SEATS, Slot};
use longfat_hosts::end_system::End;

use super::Event;

/// The events of all entities, in the order of their slots.
///
/// The first port and its line have the calendar's seats. Lines that never have an event have no slot, and flows have theirs only while
/// they are at work: the fewer slots, the lower the tree. Where a heap keeps the events nothing has a seat, and each cell on a line is one.
pub struct Agenda {
    in_heap: bool,
    /// Event of each slot that lines, ports, starts, backgrounds and waiting rooms have. The slots of flows follow.
    of_network: Vec<Event>,
    lines: Vec<Slot>,
    ports: Vec<Slot>,
    /// Slot of the connection that begins next; the slots of backgrounds follow.
    starts: Slot,
    /// Slot of the next frame of the first ports that ask for capacity; those of the others follow.
    frames: Slot,
    /// Slot of the first waiting room at the end of a line; those of the others follow.
    rooms: Slot,
    /// The events of a flow, and the flow at each place; no flow is at those that are free.
    of_flow: Vec<fn(usize) -> Event>,
    tenants: Vec<u32>,
    free: Vec<Place>,
}

/// Entities besides hosts and ports of which a driver has events in the calendar.
#[derive(Default)]
pub struct WithEvents {
    /// Lines, each with events or without; empty if none has.
    pub watched: Vec<bool>,
    /// Number of sources of background traffic.
    pub backgrounds: usize,
    /// Number of ports, or of groups of them, that ask for capacity in the same frames.
    pub frames: usize,
    /// Number of lines with a waiting room at the end.
    pub rooms: usize,
}

/// Where a flow at work has its slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place(u32);

impl Place {
    /// Of a flow that is not at work.
    pub const NONE: Self = Self(u32::MAX);
}

/// The slot of events that are never scheduled.
pub const NOWHERE: Slot = Slot(u32::MAX);

/// The events of every flow; flows whose receivers may delay acknowledgments have a third one.
const OF_EVERY_FLOW: [fn(usize) -> Event; 2] = [Event::NearTimer, Event::Wake];

impl Agenda {
    /// For ports in front of the lines `port_lines`, lines and what else the driver has that have events, and flows whose receivers may delay
    /// acknowledgments or not; with events in a heap or in the usual calendar.
    pub fn new(port_lines: &[usize], with_events: &WithEvents, delays: bool, in_heap: bool) -> Self {
        let WithEvents { watched, backgrounds, frames, rooms } = with_events;
        let busiest = port_lines.first().copied();
        let mut of_network = if in_heap { vec![Event::Start; SEATS] } else { Vec::new() };
        of_network.extend(busiest.iter().flat_map(|&line| [Event::Service(0), Event::Arrival(line)]));
        let others = (0..watched.len()).filter(|line| watched[*line] && Some(*line) != busiest);
        of_network.extend(others.map(Event::Arrival));
        of_network.extend((1..port_lines.len()).map(Event::Service));
        let starts = slot(of_network.len());
        of_network.push(Event::Start);
        of_network.extend((0..*backgrounds).map(Event::Background));
        let first_frame = slot(of_network.len());
        of_network.extend((0..*frames).map(Event::Frame));
        let first_room = slot(of_network.len());
        of_network.extend((0..*rooms).map(Event::Release));
        let (mut lines, mut ports) = (vec![NOWHERE; watched.len()], vec![NOWHERE; port_lines.len()]);
        for (index, event) in of_network.iter().enumerate() {
            match *event {
                Event::Arrival(line) if !watched.is_empty() => lines[line] = slot(index),
                Event::Service(port) => ports[port] = slot(index),
                _ => {}
            }
        }
        if in_heap {
            of_network.iter_mut().for_each(|event| {
                if let Event::Service(port) = *event {
                    *event = Event::Turn(port);
                }
            });
        }
        let late: Option<fn(usize) -> Event> = delays.then_some(Event::FarTimer);
        let of_flow = OF_EVERY_FLOW.into_iter().chain(late).collect();
        Self {
            in_heap,
            of_network,
            lines,
            ports,
            starts,
            of_flow,
            frames: first_frame,
            rooms: first_room,
            tenants: Vec::new(),
            free: Vec::new(),
        }
    }

    /// How many slots there are.
    pub fn slots(&self) -> usize {
        self.slots_with(self.tenants.len())
    }

    /// The number of slots with `flows` flows at work.
    pub fn slots_with(&self, flows: usize) -> usize {
        self.of_network.len() + flows * self.of_flow.len()
    }

    /// A place for a flow that begins to work.
    #[expect(clippy::cast_possible_truncation, reason = "a scenario is refused long before it has 2^32 flows")]
    pub fn move_in(&mut self, flow: usize) -> Place {
        let place = self.free.pop().unwrap_or(Place(self.tenants.len() as u32));
        self.tenants.resize(self.tenants.len().max(place.0 as usize + 1), 0);
        self.tenants[place.0 as usize] = flow as u32;
        place
    }

    /// A flow is over, and nothing of it is in the calendar.
    pub fn move_out(&mut self, place: Place) {
        self.free.push(place);
    }

    /// The event of a slot.
    #[inline]
    pub fn event(&self, slot: Slot) -> Event {
        let index = slot.0 as usize;
        self.of_network.get(index).copied().unwrap_or_else(|| self.event_of_flow(index - self.of_network.len()))
    }

    fn event_of_flow(&self, index: usize) -> Event {
        let (place, which) = (index / self.of_flow.len(), index % self.of_flow.len());
        self.of_flow[which](self.tenants[place] as usize)
    }

    /// Slot of the next arrival on a line; nowhere for a line without events, or if every cell is one.
    pub fn line(&self, line: usize) -> Slot {
        if self.in_heap { NOWHERE } else { self.cells(line) }
    }

    /// Slot of all arrivals on a line.
    pub fn cells(&self, line: usize) -> Slot {
        self.lines.get(line).copied().unwrap_or(NOWHERE)
    }

    #[inline]
    pub fn port(&self, port: usize) -> Slot {
        self.ports[port]
    }

    /// Slot of the connection that begins next.
    pub fn starts(&self) -> Slot {
        self.starts
    }

    pub fn background(&self, number: usize) -> Slot {
        slot(self.starts.0 as usize + 1 + number)
    }

    /// Slot of the next frame of ports that ask for capacity.
    pub fn frames(&self, number: usize) -> Slot {
        slot(self.frames.0 as usize + number)
    }

    /// Slot of a waiting room at the end of a line.
    pub fn room(&self, number: usize) -> Slot {
        slot(self.rooms.0 as usize + number)
    }

    /// Timer of an end of a flow; of the far end only where receivers may delay acknowledgments.
    #[inline(always)]
    pub fn timer(&self, place: Place, end: End) -> Slot {
        match end {
            End::Near => self.of_flow_at(place, 0),
            End::Far if self.of_flow.len() > OF_EVERY_FLOW.len() => self.of_flow_at(place, 2),
            End::Far => NOWHERE,
        }
    }

    pub fn wake(&self, place: Place) -> Slot {
        self.of_flow_at(place, 1)
    }

    fn of_flow_at(&self, place: Place, which: usize) -> Slot {
        slot(self.of_network.len() + place.0 as usize * self.of_flow.len() + which)
    }
}

#[expect(clippy::cast_possible_truncation, reason = "a scenario is refused long before it has 2^32 entities")]
fn slot(index: usize) -> Slot {
    Slot(index as u32)
}
