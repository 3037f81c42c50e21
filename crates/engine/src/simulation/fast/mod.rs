//! The fast driver: conservative lookahead and batch service over the same models.
//!
//! By events, every cell is an event on every line. Here the network is three logical processes, in the words of conservative parallel
//! simulation (Chandy and Misra 1979; Bryant 1977): the bottleneck's port, the switch where acknowledgments meet, and the end systems. Each
//! link between them takes at least a known time, its *lookahead*. So the port and the switch may be simulated ahead of the end systems,
//! up to a *horizon* before which no end system can send anything that reaches them. Ahead of the others, the port serves whole batches
//! of slots (`slotted`), or packets in advance (`whole`); hops on which nothing can wait or get lost are computed; and only arrivals at
//! senders and receivers, timers and wakes are simulated one by one.
//!
//! Results are those of events, to the byte. Where they would not be, or where the order of two events of one instant is not known, the
//! run is simulated by events (`scope`, and [`Tie`]).

mod arrivals;
mod backward;
mod exit;
mod fan;
mod forward;
mod order;
mod scope;
mod shares;
mod slotted;
mod whole;

pub use order::Tie;
pub use scope::Scope;

use backward::Backward;
use forward::Forward;
use longfat_foundation::calendar::Slot;
use longfat_foundation::units::Time;
use longfat_network::framing::{Cell, Continuity, Packets};
use longfat_network::switch::PortCounts;
use order::Moment;
use scope::Path;

use super::network::{AnyPort, AtRest, Drive, Driver, Event, Links, Network, Reports, Served, Train, WithEvents};
use crate::observer::Observer;

/// The state of the three processes besides the network.
pub struct Fast {
    forward: Forward,
    backward: Backward,
    /// When each event of the calendar was put there, and the number of the event of an end system during which it was.
    scheduled: Vec<(Time, u64)>,
    /// Lookahead horizon: before this time nothing reaches an end system but what is queued for it already.
    horizon: Time,
    /// The time of the next event of the calendar, or the present.
    next_event: Time,
    /// Two packets that reached a process at one instant, in an order that is not known.
    tie: Option<Tie>,
    /// Events of the end systems so far: packets delivered to them, and events of the calendar.
    events_of_ends: u64,
    /// The run pauses after so many events of the end systems; and whether it has.
    pause: u64,
    is_paused: bool,
    /// Events of the end systems, and events that were counted, when the work done was counted last.
    settled: (u64, u64),
    /// Arrivals and services of the port that are counted as events already.
    cells_in: u64,
    services: u64,
}

/// Work of lines: events that the event driver would have had, and cells that have reached a host.
#[derive(Clone, Copy, Debug, Default)]
struct Carried {
    events: u64,
    delivered: u64,
}

/// The process whose next event is first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum First {
    Data,
    Acknowledgment,
    Event,
}

impl Drive for Fast {
    const DRIVER: Driver = Driver::Fast;
    const FOLLOWS_ALL_CELLS: bool = false;

    // Always: every packet passes here twice.
    #[inline(always)]
    fn send<O: Observer>(network: &mut Network<O, Self>, now: Time, line: usize, first: Cell, cells: u32, bits: u64) {
        network.driver.send_over(now, line, &mut network.links, first, cells, bits);
    }

    /// Ports and lines have no events here.
    #[inline(always)]
    fn act<O: Observer>(_network: &mut Network<O, Self>, _now: Time, _event: Event) {}

    #[inline(always)]
    fn note_scheduled(&mut self, slot: Slot, now: Time) {
        self.scheduled[slot.0 as usize] = (now, self.events_of_ends);
    }

    fn make_room(&mut self, slots: usize) {
        self.scheduled.resize(slots, (Time::ZERO, 0));
    }

    fn ports(&self) -> impl Iterator<Item = &AnyPort> {
        std::iter::once(self.forward.port())
    }

    fn count_ports_anew(&mut self, now: Time) -> Vec<PortCounts> {
        vec![self.forward.port_mut().count_anew(now)]
    }

    fn forget_dropped(packets: &mut Packets, cell: Cell) {
        if cell.is_last() {
            packets.take_out(cell.packet);
        }
    }

    fn trains(&self) -> Vec<(usize, Train)> {
        self.forward.trains()
    }

    fn cells_under_way(&self) -> u64 {
        self.forward.cells_under_way() + self.backward.cells_under_way()
    }

    fn next_arrival(&self) -> Time {
        self.forward.next_time().min(self.backward.next_time())
    }

    fn memory_bytes(&self) -> usize {
        let scheduled = self.scheduled.capacity() * size_of::<(Time, u64)>();
        scheduled + self.forward.memory_bytes() + self.backward.memory_bytes()
    }

    /// Every packet that was delivered has had an event at least, and the calendar's events are counted as they happen.
    fn events_not_counted(&self, counted: u64) -> u64 {
        let (of_ends, before) = self.settled;
        (self.events_of_ends - of_ends) - (counted - before)
    }
}

impl Fast {
    /// A network whose sources are about to start, and which is within the scope of this driver.
    pub fn start<O: Observer>(mut rest: AtRest, scope: Scope, observer: O) -> Network<O, Self> {
        let Scope { forward, backward } = scope;
        let port = rest.ports.remove(0);
        let continuity = Continuity::new(rest.framing.lost_last_cell(), rest.graph.circuits());
        let (watched, first_service) = (observer.interests().anything, rest.first_vbr);
        let driver = Self {
            forward: Forward::new(&forward, port, continuity, watched, &rest.links, first_service),
            backward: Backward::new(&backward),
            scheduled: Vec::new(),
            horizon: Time::ZERO,
            next_event: Time::ZERO,
            tie: None,
            events_of_ends: 0,
            pause: u64::MAX,
            is_paused: false,
            settled: (0, 0),
            cells_in: 0,
            services: 0,
        };
        let mut network = Network::start(rest, observer, driver, &WithEvents::default());
        // The way back is inspected even if nothing is ever sent there.
        network.links.make(backward.line, network.agenda.line(backward.line));
        if let Some(time) = first_service {
            network.ledger.bottleneck_will_send(time);
        }
        network.ledger.put_in_order();
        network.begin_connections_from_outside();
        network
    }

    /// An end system hands a packet to the line with that number.
    #[inline(always)]
    fn send_over(&mut self, now: Time, number: usize, links: &mut Links, first: Cell, cells: u32, bits: u64) {
        // The circuits with even numbers lead to the port.
        let sent = if first.circuit().is_multiple_of(2) {
            let sent = self.forward.send(now, number, &mut links[number], first, cells, bits);
            if self.forward.rests() {
                self.horizon = self.horizon.min(self.forward.bound(Time::NEVER));
            }
            sent
        } else {
            let others = self.next_event.min(self.forward.next_time()).min(self.horizon);
            let sent = self.backward.send(now, others, number, links, first, cells, bits);
            self.horizon = self.horizon.min(self.backward.bound());
            sent
        };
        if let Err(tie) = sent {
            (self.tie, self.horizon) = (Some(tie), Time::ZERO);
        }
    }

    /// State need not be complete before `until`.
    fn proceed(&mut self, until: Time) {
        self.horizon = Time::ZERO;
        self.forward.proceed(until);
        self.backward.proceed(until);
    }

    /// The first of several events of one instant: that which the event driver would have scheduled first.
    ///
    /// # Errors
    /// If that is not known.
    #[cold]
    fn decide(&self, slot: Slot, time: Time, links: &Links) -> Result<First, Tie> {
        let (scheduled, number) = self.scheduled[slot.0 as usize];
        let mut all = [
            (self.forward.next(), self.forward.next_follows(links), First::Data),
            (self.backward.next(), self.backward.next_follows(links), First::Acknowledgment),
            (Moment::new(time, scheduled), Some(number), First::Event),
        ];
        all.sort_by_key(|(moment, ..)| *moment);
        let [(moment, _, first), (second, ..), _] = all;
        if moment < second {
            return Ok(first);
        }
        // Both were scheduled at one instant, each during some event: a line's next arrival before anything else of that event.
        let mut decided = None;
        for &(_, follows, first) in all.iter().filter(|(other, ..)| *other == moment) {
            let turn = (follows.ok_or(Tie(moment.time))?, first == First::Event);
            if decided.is_none_or(|(before, _)| turn < before) {
                decided = Some((turn, first));
            }
        }
        decided.map(|(_, first)| first).ok_or(Tie(moment.time))
    }
}

impl<O: Observer> Network<O, Fast> {
    /// Simulates all that happens before `until`, or until there have been about `events` more events of the end systems. Returns whether
    /// all before `until` has been simulated.
    ///
    /// # Errors
    /// If the order of two events of one instant is not known; the run must then begin again, by events.
    pub fn advance(&mut self, until: Time, events: u64) -> Result<bool, Tie> {
        self.driver.pause = self.driver.events_of_ends.saturating_add(events);
        self.driver.is_paused = false;
        if let Some(from) = self.unmeasured_until().filter(|from| *from <= until) {
            self.advance_to(from)?;
            if self.driver.is_paused {
                return Ok(false);
            }
            self.begin_to_measure(from);
        }
        self.advance_to(until)?;
        Ok(!self.driver.is_paused)
    }

    /// Simulates all that happens before `until`, unless it pauses; nothing is measured anew on the way.
    ///
    /// # Errors
    /// If the order of two events of one instant is not known; the run must then begin again, by events.
    fn advance_to(&mut self, until: Time) -> Result<(), Tie> {
        self.driver.proceed(until);
        loop {
            let fast = &mut self.driver;
            let (event, slot) = self.calendar.first_beyond_seats();
            let (data, acknowledgment) = (fast.forward.next_time(), fast.backward.next_time());
            let now = data.min(acknowledgment).min(event);
            if now >= fast.horizon {
                if !self.look_ahead([data, acknowledgment, event], until)? {
                    break;
                }
                continue;
            }
            let first = if data < acknowledgment.min(event) {
                First::Data
            } else if acknowledgment < data.min(event) {
                First::Acknowledgment
            } else if self.calendar.renew(slot) {
                continue;
            } else if event < data.min(acknowledgment) {
                First::Event
            } else {
                fast.decide(slot, event, &self.links)?
            };
            fast.next_event = event;
            fast.events_of_ends += 1;
            let packets = &self.packets;
            let soon = |cell: &Cell| packets.read_soon(cell.packet);
            let last = match first {
                First::Data => fast.forward.take(fast.events_of_ends, &mut self.links, soon),
                First::Acknowledgment => fast.backward.take(fast.events_of_ends, &mut self.links, soon),
                First::Event => None,
            };
            match last {
                Some(last) => self.deliver_last(now, last),
                None => self.simulate_next(now, slot),
            }
        }
        if self.driver.is_paused {
            return Ok(());
        }
        self.settle(until)
    }

    /// Simulates the next event of the calendar. Before a horizon there may be any number of these; the packets that are delivered before it
    /// are under way already.
    #[inline(never)]
    fn simulate_next(&mut self, now: Time, slot: Slot) {
        self.events_processed += 1;
        self.simulate(now, slot);
        if self.driver.events_of_ends >= self.driver.pause {
            self.driver.horizon = Time::ZERO;
        }
    }

    /// Advances the process that bounds the next known event (of data, acknowledgments and the calendar), and moves the horizon. Returns
    /// whether anything is left to simulate before `until`, and it is no time to pause.
    #[inline(never)]
    fn look_ahead(&mut self, [data, acknowledgment, event]: [Time; 3], until: Time) -> Result<bool, Tie> {
        let fast = &mut self.driver;
        if let Some(tie) = fast.tie {
            return Err(tie);
        }
        if fast.events_of_ends >= fast.pause {
            fast.is_paused = true;
            return Ok(false);
        }
        let known = data.min(acknowledgment).min(event);
        let (from_port, from_switch) = (fast.forward.bound(until), fast.backward.bound());
        let unknown = from_port.min(from_switch);
        let now = known.min(unknown);
        let is_port_behind = from_port < Time::NEVER;
        // An end system sends at an event of its own, or when a packet arrives that the other end has sent.
        let (data, acknowledgment) = (data.min(from_port), acknowledgment.min(from_switch));
        if known >= unknown.min(until) {
            if is_port_behind && (from_port == now || now >= until) {
                let sent = event.min(acknowledgment).min(data.saturating_add(fast.backward.latency()));
                let mut horizon = sent.saturating_add(fast.forward.latency_before).min(until);
                if horizon.0.saturating_sub(now.0) > fast.forward.most_ahead.0 {
                    (horizon, fast.pause) = (now + fast.forward.most_ahead, 0);
                }
                self.advance_port(now, horizon)?;
            } else if now >= until {
                return Ok(false);
            } else {
                let sent = event.min(data).min(acknowledgment.saturating_add(fast.forward.latency()));
                let horizon = sent.saturating_add(fast.backward.latency_before).min(until);
                self.advance_switch(horizon)?;
            }
        }
        let Fast { forward, backward, horizon, .. } = &mut self.driver;
        *horizon = forward.bound(until).min(backward.bound()).min(until);
        Ok(true)
    }

    /// Simulates the port up to `horizon`; what end systems do from now on is not before `now`.
    fn advance_port(&mut self, now: Time, horizon: Time) -> Result<(), Tie> {
        let around = Served {
            port: &mut (),
            links: &mut self.links,
            packets: &mut self.packets,
            dropped: &mut self.dropped,
            fingerprint: &mut self.port_fingerprints[0],
            policing: self.policing.as_mut(),
            connections: self.numbers.pairs(),
            reports: Reports { port: 0, ledger: &mut self.ledger, observer: &mut self.observer },
        };
        self.driver.forward.advance(horizon, around)?;
        // Senders and receivers act later from now on.
        self.ledger.settle(now.min(horizon));
        // Before any of them is delivered, or the place of a packet is used again.
        self.driver.forward.take_spoiled().for_each(|packet| self.packets.spoil(packet));
        Ok(())
    }

    /// Simulates the switch where acknowledgments meet up to `horizon`.
    fn advance_switch(&mut self, horizon: Time) -> Result<(), Tie> {
        self.driver.backward.advance(horizon, &mut self.links, &self.packets)
    }

    /// Delivers a packet with its last cell.
    // Always: there is one caller.
    #[inline(always)]
    fn deliver_last(&mut self, now: Time, last: Cell) {
        if self.packets.take_out(last.packet) {
            self.hand_over(now, last);
        } else {
            self.reject(now, last);
        }
    }

    /// Counts the work done before `until`, which is complete.
    fn settle(&mut self, until: Time) -> Result<(), Tie> {
        self.advance_switch(until)?;
        let fast = &mut self.driver;
        let there = fast.forward.settle(until, &mut self.links);
        let back = fast.backward.settle(until, &mut self.links);
        let (cells_in, services) = (fast.forward.port().state().statistics().cells_in, fast.forward.services());
        let at_port = cells_in - fast.cells_in + services - fast.services;
        (fast.cells_in, fast.services) = (cells_in, services);
        self.cells_delivered += there.delivered + back.delivered;
        self.events_processed += there.events + back.events + at_port;
        self.driver.settled = (self.driver.events_of_ends, self.events_processed);
        self.ledger.settle(until);
        Ok(())
    }
}
