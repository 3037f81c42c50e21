//! Which slot of the calendar belongs to which entity.

use super::Event;
use crate::calendar::Slot;

/// How many of each kind have events besides lines and ports.
#[derive(Clone, Copy, Default)]
pub(super) struct Numbers {
    pub flows: usize,
    /// Flows whose receivers may delay an acknowledgment: all, or none.
    pub delaying: usize,
    pub sources: usize,
    pub backgrounds: usize,
}

/// The events of all entities, in the order of their slots.
///
/// The first port and its line have the calendar's seats, and lines that never have an event have no slot: the fewer
/// slots, the lower the tree.
#[derive(Default)]
pub(super) struct Agenda {
    /// Of lines and ports. Behind them come the timers of the flows, their late acknowledgments, the wakes of sources, and the backgrounds.
    of_network: Vec<Event>,
    lines: Vec<Slot>,
    ports: Vec<Slot>,
    numbers: Numbers,
}

/// The slot of what never happens.
pub(super) const NOWHERE: Slot = Slot(u32::MAX);

impl Agenda {
    /// For ports in front of the lines `port_lines`, lines that are `watched` or not, or none at all, and so many of all else.
    pub(super) fn new(port_lines: &[usize], watched: &[bool], numbers: Numbers) -> Self {
        let busiest = port_lines.first().copied();
        let mut of_network: Vec<_> =
            busiest.iter().flat_map(|&line| [Event::Service(0), Event::Arrival(line)]).collect();
        let others = (0..watched.len()).filter(|line| watched[*line] && Some(*line) != busiest);
        of_network.extend(others.map(Event::Arrival));
        of_network.extend((1..port_lines.len()).map(Event::Service));
        let mut agenda =
            Self { lines: vec![NOWHERE; watched.len()], ports: vec![NOWHERE; port_lines.len()], numbers, of_network };
        for (index, event) in agenda.of_network.iter().enumerate() {
            match *event {
                Event::Arrival(line) if !watched.is_empty() => agenda.lines[line] = slot(index),
                Event::Service(port) => agenda.ports[port] = slot(index),
                _ => {}
            }
        }
        agenda
    }

    /// How many slots there are.
    pub(super) fn len(&self) -> usize {
        let Numbers { flows, delaying, sources, backgrounds } = self.numbers;
        self.of_network.len() + flows + delaying + sources + backgrounds
    }

    /// What happens at the time of a slot.
    #[inline]
    pub(super) fn event(&self, slot: Slot) -> Event {
        let index = slot.0 as usize;
        self.of_network.get(index).copied().unwrap_or_else(|| self.event_at_ends(index - self.of_network.len()))
    }

    fn event_at_ends(&self, index: usize) -> Event {
        let Numbers { flows, delaying, sources, .. } = self.numbers;
        let late = index.checked_sub(flows);
        let wake = late.and_then(|index| index.checked_sub(delaying));
        let background = wake.and_then(|index| index.checked_sub(sources));
        match (late, wake, background) {
            (_, _, Some(background)) => Event::Background(background),
            (_, Some(wake), _) => Event::Wake(wake),
            (Some(late), ..) => Event::LateAcknowledgment(late),
            _ => Event::Timeout(index),
        }
    }

    /// Nowhere for a line without events.
    pub(super) fn line(&self, line: usize) -> Slot {
        self.lines.get(line).copied().unwrap_or(NOWHERE)
    }

    #[inline]
    pub(super) fn port(&self, port: usize) -> Slot {
        self.ports[port]
    }

    pub(super) fn timer(&self, flow: usize) -> Slot {
        slot(self.of_network.len() + flow)
    }

    pub(super) fn late_acknowledgment(&self, flow: usize) -> Slot {
        slot(self.of_network.len() + self.numbers.flows + flow)
    }

    pub(super) fn wake(&self, connection: usize) -> Slot {
        slot(self.of_network.len() + self.numbers.flows + self.numbers.delaying + connection)
    }

    pub(super) fn background(&self, number: usize) -> Slot {
        let Numbers { flows, delaying, sources, .. } = self.numbers;
        slot(self.of_network.len() + flows + delaying + sources + number)
    }
}

#[expect(clippy::cast_possible_truncation, reason = "a scenario is refused long before it has 2^32 entities")]
fn slot(index: usize) -> Slot {
    Slot(index as u32)
}
