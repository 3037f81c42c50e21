//! Which slot of the calendar belongs to which entity.

use super::Event;
use crate::calendar::Slot;

/// The events of all entities, in the order of their slots.
///
/// The first port and its line have the calendar's seats, and lines that never have an event have no slot: the fewer
/// slots, the lower the tree.
pub(super) struct Agenda {
    events: Vec<Event>,
    lines: Vec<Slot>,
    ports: Vec<Slot>,
    flows: usize,
    sources: usize,
    /// Where the timers of the flows begin, followed by their late acknowledgments, the wakes of sources, and the backgrounds.
    timers: usize,
}

/// The slot of what never happens.
pub(super) const NOWHERE: Slot = Slot(u32::MAX);

impl Agenda {
    /// For ports in front of the lines `port_lines`, lines that are `watched` or not, flows and backgrounds.
    pub(super) fn new(
        port_lines: &[usize],
        watched: &[bool],
        flows: usize,
        sources: usize,
        backgrounds: usize,
    ) -> Self {
        let busiest = port_lines.first().copied();
        let mut events: Vec<_> = busiest.iter().flat_map(|&line| [Event::Service(0), Event::Arrival(line)]).collect();
        let others = (0..watched.len()).filter(|line| watched[*line] && Some(*line) != busiest);
        events.extend(others.map(Event::Arrival));
        events.extend((1..port_lines.len()).map(Event::Service));
        let mut agenda = Self {
            lines: vec![NOWHERE; watched.len()],
            ports: vec![NOWHERE; port_lines.len()],
            flows,
            sources,
            timers: events.len(),
            events,
        };
        for (index, event) in agenda.events.iter().enumerate() {
            match *event {
                Event::Arrival(line) => agenda.lines[line] = slot(index),
                Event::Service(port) => agenda.ports[port] = slot(index),
                _ => {}
            }
        }
        agenda.events.extend((0..flows).map(Event::Timeout));
        agenda.events.extend((0..flows).map(Event::LateAcknowledgment));
        agenda.events.extend((0..sources).map(Event::Wake));
        agenda.events.extend((0..backgrounds).map(Event::Background));
        agenda
    }

    /// How many slots there are.
    pub(super) fn len(&self) -> usize {
        self.events.len()
    }

    /// What happens at the time of a slot.
    #[inline]
    pub(super) fn event(&self, slot: Slot) -> Event {
        self.events[slot.0 as usize]
    }

    pub(super) fn line(&self, line: usize) -> Slot {
        self.lines[line]
    }

    #[inline]
    pub(super) fn port(&self, port: usize) -> Slot {
        self.ports[port]
    }

    pub(super) fn timer(&self, flow: usize) -> Slot {
        slot(self.timers + flow)
    }

    pub(super) fn late_acknowledgment(&self, flow: usize) -> Slot {
        slot(self.timers + self.flows + flow)
    }

    pub(super) fn wake(&self, connection: usize) -> Slot {
        slot(self.timers + 2 * self.flows + connection)
    }

    pub(super) fn background(&self, number: usize) -> Slot {
        slot(self.timers + 2 * self.flows + self.sources + number)
    }
}

#[expect(clippy::cast_possible_truncation, reason = "a scenario is refused long before it has 2^32 entities")]
fn slot(index: usize) -> Slot {
    Slot(index as u32)
}
