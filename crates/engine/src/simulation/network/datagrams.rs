//! Connections over UDP: plain datagrams, or a stack with an end system at each end ([`EndSystem`]).
//!
//! A connection has two circuits there and back, as every other. The second carries what the far end sends: acknowledgments, or answers. Where
//! proxies split connections, a datagram passes them whole, from one leg to the next.

mod outside;

use longfat_foundation::measure::{Fingerprint, RoundTrips};
use longfat_foundation::units::Time;
use longfat_hosts::datagrams::{Reception, plain};
use longfat_hosts::end_system::{Direction, EndSystem, Parcel, Progress};
use longfat_hosts::traffic::Source;
use longfat_hosts::transport::ReceivedBytes;
use longfat_hosts::transport::resume::Resumption;
use longfat_network::framing::{Cell, Content};
use longfat_stacks::proxies::udp::Relayed;

use super::agenda::Place;
use super::audit::{Violation, equal};
use super::datagram_relays::Proxied;
use super::ledger::Hindrance;
use super::{Drive, Network};
use crate::observer::Observer;
use crate::scenario::Scenario;

/// An end of a connection over UDP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The end with the source of the connection.
    Near,
    /// The end that takes its data.
    Far,
}

/// The state of one connection over UDP.
pub struct DatagramFlow {
    ends: [Box<dyn EndSystem>; 2],
    /// True if each write of the source is a datagram: results are then of datagrams, and not of a stream of bytes.
    is_plain: bool,
    /// True if programs outside send the packets.
    is_outside: bool,
    /// Where it is in the calendar, once it has begun.
    place: Option<Place>,
    /// When the timer of each end is due in the calendar.
    timers: [Option<Time>; 2],
    counts: DatagramCounts,
    /// The proxies in its way, if its packets do not pass them.
    proxied: Option<Box<Proxied>>,
    started: Option<Time>,
    /// All bytes that the source will ever hand over, if there is an end, and when the last of them was delivered.
    size: Option<u64>,
    finished: Option<Time>,
    fingerprint: Fingerprint,
}

/// Counts of a connection over UDP: datagrams sent, and those that have arrived.
#[derive(Clone)]
pub struct DatagramCounts {
    /// Datagrams sent there, and their bytes of data.
    pub sent: u64,
    pub sent_bytes: u64,
    /// Datagrams sent back.
    pub sent_back: u64,
    /// Datagrams at the far end.
    pub there: Reception,
    /// Those sent back, at the near end, if any are: of answers the delays are round trips.
    pub back: Option<Reception>,
    /// Datagrams that were lost on their way, or their answers on theirs.
    pub lost: u64,
}

impl DatagramCounts {
    /// The difference to `earlier`.
    pub fn since(&self, earlier: &Self) -> Self {
        let back = self.back.as_ref().zip(earlier.back.as_ref());
        Self {
            sent: self.sent - earlier.sent,
            sent_bytes: self.sent_bytes - earlier.sent_bytes,
            sent_back: self.sent_back - earlier.sent_back,
            there: self.there.since(&earlier.there),
            back: back.map(|(now, earlier)| now.since(earlier)),
            lost: self.lost - earlier.lost,
        }
    }

    /// Datagrams that have done all that they were sent for.
    pub fn arrived(&self) -> u64 {
        self.back.as_ref().map_or(self.there.received, |answers| answers.received)
    }

    /// Round trips of answered datagrams.
    pub fn round_trips(&self) -> RoundTrips {
        self.back.as_ref().map_or_else(RoundTrips::default, |answers| answers.delay)
    }
}

impl DatagramFlow {
    fn planned(ends: [Box<dyn EndSystem>; 2], is_plain: bool, sends_back: bool, size: Option<u64>) -> Self {
        Self {
            ends,
            is_plain,
            is_outside: false,
            place: None,
            timers: [None; 2],
            counts: DatagramCounts {
                sent: 0,
                sent_bytes: 0,
                sent_back: 0,
                there: Reception::default(),
                back: sends_back.then(Reception::default),
                lost: 0,
            },
            proxied: None,
            started: None,
            size,
            finished: None,
            fingerprint: Fingerprint::default(),
        }
    }

    /// State of each connection over UDP, `None` for those over TCP; an empty list if all use TCP.
    ///
    /// `senders` are the senders of the connections with these sources.
    pub fn of_sources(scenario: &Scenario, sources: &[Box<dyn Source>], senders: &[usize]) -> Vec<Option<Box<Self>>> {
        let planned = |connection: usize| {
            let source = &sources[connection];
            if let Some(datagrams) = source.datagrams() {
                let flow = Self::planned(plain(datagrams), true, datagrams.are_answered, None);
                return Some(flow.with_proxies(scenario.relayed(senders[connection], connection, Some(datagrams))));
            }
            let mut ends = scenario.ends_of_stack(senders[connection], connection)?;
            if ends.iter_mut().any(|end| end.outside().is_some()) {
                // Proxies let the packets of programs pass.
                return Some(Self { is_outside: true, ..Self::planned(ends, false, true, None) });
            }
            let flow = Self::planned(ends, false, true, source.size());
            Some(flow.with_proxies(scenario.relayed(senders[connection], connection, None)))
        };
        let all: Vec<_> = (0..sources.len()).map(|connection| planned(connection).map(Box::new)).collect();
        if all.iter().all(Option::is_none) { Vec::new() } else { all }
    }

    fn with_proxies(mut self, relayed: Option<Relayed>) -> Self {
        if let Some(Relayed { ends, relays }) = relayed {
            self.ends = ends.unwrap_or(self.ends);
            self.proxied = Some(Box::new(Proxied::new(relays)));
        }
        self
    }

    /// The proxies in its way, if its packets do not pass them.
    pub fn proxied_mut(&mut self) -> Option<&mut Proxied> {
        self.proxied.as_deref_mut()
    }

    /// Bytes that are allocated.
    pub fn memory_bytes(&self) -> usize {
        let DatagramCounts { there, back, .. } = &self.counts;
        let proxied = self.proxied.as_ref().map_or(0, |proxied| proxied.memory_bytes());
        let ends: usize = proxied + self.ends.iter().map(|end| end.memory_bytes()).sum::<usize>();
        size_of::<Self>() + ends + there.memory_bytes() + back.as_ref().map_or(0, Reception::memory_bytes)
    }

    /// Counts of its datagrams.
    pub fn counts(&self) -> &DatagramCounts {
        &self.counts
    }

    /// True if each write of the source is a datagram.
    pub fn is_plain(&self) -> bool {
        self.is_plain
    }

    /// Name of the transport, and of its congestion control.
    pub fn name(&self) -> String {
        self.ends[0].name()
    }

    /// Bytes that the sending end has sent, and that the other has delivered.
    pub fn progress(&self) -> Progress {
        let (near, far) = (self.ends[0].progress(), self.ends[1].progress());
        Progress { offered: near.offered, sent: near.sent, ..far }
    }

    /// The account of the far end, of what it asks for.
    pub fn requests(&self) -> Progress {
        self.ends[1].progress()
    }

    /// Bytes of requests that have been delivered to the sending end.
    pub fn requested(&self) -> u64 {
        self.ends[0].progress().delivered
    }

    /// Where it is in the calendar, once it has begun.
    pub fn place(&self) -> Option<Place> {
        self.place
    }

    pub fn started(&self) -> Option<Time> {
        self.started
    }

    pub fn finished(&self) -> Option<Time> {
        self.finished
    }

    /// True if all data that there will ever be have been delivered.
    pub fn is_over(&self) -> bool {
        self.finished.is_some()
    }

    pub fn fingerprint(&self) -> Fingerprint {
        self.fingerprint
    }

    pub fn fingerprint_mut(&mut self) -> &mut Fingerprint {
        &mut self.fingerprint
    }

    /// The rule of resumption of what an end sends.
    pub fn resumption(&mut self, end: End) -> Option<&mut dyn Resumption> {
        self.ends[end as usize].resumption()
    }

    /// Restarts peaks and distributions.
    pub fn count_anew(&mut self) {
        self.counts.there.count_anew();
        self.counts.back.iter_mut().for_each(Reception::count_anew);
        self.ends.iter_mut().for_each(|end| end.count_anew());
    }

    /// Counts a datagram that leaves.
    fn note_sent(&mut self, end: End, length: u64) {
        match end {
            End::Near => {
                self.counts.sent += 1;
                self.counts.sent_bytes += length;
            }
            End::Far => self.counts.sent_back += 1,
        }
    }
}

impl<O: Observer, D: Drive> Network<O, D> {
    /// The source of a connection over UDP wakes.
    #[inline(never)]
    pub fn wake_datagrams(&mut self, now: Time, connection: usize, is_first: bool) {
        if is_first {
            self.begin_datagrams(now, connection);
        }
        if self.is_outside(connection) {
            return;
        }
        let source = &mut self.sources[connection];
        let (wake, is_stopped, asks) = (source.wake(now), source.is_stopped(), source.asks());
        if self.barriers.is_some() {
            self.note_round(now, connection);
        }
        let place = self.flows.datagrams(connection).and_then(DatagramFlow::place);
        if let Some(place) = place {
            self.schedule_or_cancel(now, self.agenda.wake(place), wake.next);
        }
        let Some(flow) = self.flows.datagrams_mut(connection) else { return };
        // The far end asks for what is sent.
        let end = if asks { End::Far } else { End::Near };
        if is_stopped {
            flow.ends[end as usize].withdraw(now);
            let offered = flow.ends[0].progress().offered;
            flow.size = flow.size.or(Some(offered).filter(|_| !flow.is_plain && !asks));
        } else if wake.bytes > 0 {
            flow.ends[end as usize].offer(now, wake.bytes);
            flow.started = flow.started.or(Some(now).filter(|_| !asks));
        }
        if asks && is_first {
            self.act(now, connection, End::Near);
        }
        self.act(now, connection, end);
    }

    /// From now on the connection has a place in the calendar, and the lines that it takes are kept.
    fn begin_datagrams(&mut self, now: Time, connection: usize) {
        if self.flows.datagrams(connection).is_some_and(|flow| flow.place.is_some()) {
            return;
        }
        let numbers: Vec<_> = self.numbers.in_turn(connection, false).collect();
        let place = self.agenda.move_in(connection);
        self.make_room();
        numbers.into_iter().for_each(|number| self.make_lines(number));
        if let Some(flow) = self.flows.datagrams_mut(connection) {
            flow.place = Some(place);
            flow.ends.iter_mut().for_each(|end| end.begin(now));
        }
        self.place_proxies(connection);
        self.make_room();
        self.remember_paths(connection);
        self.act(now, connection, End::Far);
    }

    /// The timer of an end of a connection over UDP is due.
    #[inline(never)]
    pub fn expire_datagrams(&mut self, now: Time, number: usize, end: End) {
        let connection = self.numbers.connection(number);
        if number != connection {
            return self.expire_at_proxy(now, connection, end as usize);
        }
        let Some(flow) = self.flows.datagrams_mut(connection) else { return };
        flow.fingerprint.add(now.0);
        flow.timers[end as usize] = None;
        flow.ends[end as usize].expire(now);
        if let Some(place) = flow.place {
            let slot = self.agenda.timer_of(place, end);
            self.schedule_or_cancel(now, slot, None);
        }
        self.act(now, connection, end);
    }

    /// Sends what an end of a connection has to send, and sets its timer in the calendar.
    fn act(&mut self, now: Time, connection: usize, end: End) {
        let number = match end {
            End::Near => self.numbers.first(connection, false),
            End::Far => self.numbers.last(connection, false),
        };
        if end == End::Near {
            self.tell_losses(now, connection);
        }
        let mut sends = false;
        while let Some(parcel) =
            self.flows.datagrams_mut(connection).and_then(|flow| flow.ends[end as usize].transmit(now))
        {
            sends = true;
            if let Some(flow) = self.flows.datagrams_mut(connection) {
                flow.note_sent(end, parcel.length);
            }
            if end == End::Near {
                self.observer.datagram_sent(now, connection, parcel.number, parcel.length);
                self.tell_packets(now, connection, Direction::Sent, &parcel);
            }
            self.send_parcel(now, number, end, parcel);
        }
        let Some(flow) = self.flows.datagrams_mut(connection) else { return };
        if end == End::Near && !flow.is_plain && self.observer.interests().anything {
            self.observer.stack_acted(now, connection, &flow.ends[0].vitals(), &flow.ends[0].progress().sent);
        }
        let due = flow.ends[end as usize].expires();
        let limit = flow.ends[0].limit();
        if std::mem::replace(&mut flow.timers[end as usize], due) != due
            && let Some(place) = flow.place
        {
            let slot = self.agenda.timer_of(place, end);
            self.schedule_or_cancel(now, slot, due.map(|due| due.max(now)));
        }
        match end {
            End::Near => _ = self.ledger.sender_acts(now, number, sends, Hindrance::of_limit(limit)),
            End::Far => self.ledger.receiver_acts(now, number),
        }
    }

    /// Tells of the packets in a datagram of the sending end.
    #[inline]
    fn tell_packets(&mut self, now: Time, connection: usize, direction: Direction, parcel: &Parcel) {
        if !self.observer.interests().anything {
            return;
        }
        let Some(flow) = self.flows.datagrams_mut(connection) else { return };
        for (packet, size) in flow.ends[0].packets(parcel, direction) {
            self.observer.quic_packet(now, connection, direction, &packet, size);
        }
    }

    /// Tells of the packets that the sending end has taken for lost.
    #[inline]
    fn tell_losses(&mut self, now: Time, connection: usize) {
        if !self.observer.interests().anything {
            return;
        }
        let Some(flow) = self.flows.datagrams_mut(connection) else { return };
        for (kind, number) in flow.ends[0].take_lost() {
            self.observer.quic_packet_lost(now, connection, kind, number);
        }
    }

    /// Sends a datagram over the leg of a connection with that flow number.
    pub fn send_parcel(&mut self, now: Time, number: usize, from: End, parcel: Parcel) {
        let Parcel { length, number: sequence, sent, codepoint, contents } = parcel;
        let (there, back) = self.numbers.circuits(number);
        let is_answer = from == End::Far;
        let way = self.way(if is_answer { back } else { there });
        let size = self.sizes.of_datagram(length);
        let content = Content::Datagram { sequence, length, sent, is_answer };
        let packet = self.send_packet(now, way, content, codepoint, size);
        if !contents.is_empty() {
            self.packets.set_contents(packet, contents);
        }
    }

    /// A whole datagram has reached the end of its leg.
    #[inline(never)]
    pub fn receive_datagram(&mut self, now: Time, last: Cell) {
        let packet = self.packets.get(last.packet);
        let Content::Datagram { sequence, length, sent, is_answer } = packet.content else { return };
        let (number, bits) = (last.circuit() / 2, packet.bits);
        let (from, to) = if is_answer { (End::Far, End::Near) } else { (End::Near, End::Far) };
        let contents = self.packets.take_contents(last.packet);
        let parcel = Parcel { length, number: sequence, sent, codepoint: last.codepoint(), contents };
        if let Some(next) = if is_answer { self.numbers.before(number) } else { self.numbers.next(number) } {
            let Some(parcel) = self.receive_at_proxy(now, number, is_answer, bits, parcel) else { return };
            self.enter_arrival(number, is_answer, ReceivedBytes { new: length, ..ReceivedBytes::default() }, bits);
            self.ledger.receiver_acts(now, number);
            self.send_parcel(now, next, from, parcel);
            self.ledger.receiver_acts(now, next);
            return;
        }
        let connection = self.numbers.connection(number);
        let Some(flow) = self.flows.datagrams_mut(connection) else { return };
        flow.fingerprint.add(now.0);
        flow.fingerprint.add(sequence);
        let DatagramCounts { there, back, .. } = &mut flow.counts;
        let reception = if is_answer { back.as_mut().unwrap_or(there) } else { there };
        reception.receive(sequence, length, now - sent);
        let is_plain = flow.is_plain;
        if is_answer {
            self.tell_packets(now, connection, Direction::Received, &parcel);
        }
        let Some(flow) = self.flows.datagrams_mut(connection) else { return };
        let brought = flow.ends[to as usize].receive(now, parcel);
        self.enter_arrival(number, is_answer, brought, bits);
        if is_answer {
            self.observer.answer_received(now, connection, sequence, length, is_plain.then(|| now - sent));
        } else {
            self.observer.datagram_received(now, connection, sequence, length, now - sent);
        }
        if brought.sum() > 0 {
            match to {
                End::Far => self.note_delivered(now, connection, number),
                End::Near => self.answer_over_stack(now, connection),
            }
        }
        self.act(now, connection, to);
    }

    /// Enters an arrival into the ledger.
    pub fn enter_arrival(&mut self, number: usize, is_answer: bool, brought: ReceivedBytes, bits: u64) {
        if is_answer {
            self.ledger.control_arrives(number, bits);
        } else if brought.sum() == 0 {
            self.ledger.synchronize_arrives(number, bits);
        } else {
            self.ledger.data_arrives(number, brought, bits);
        }
    }

    /// Requests may have been delivered to the sending end of a stack's connection, which answers.
    fn answer_over_stack(&mut self, now: Time, connection: usize) {
        let answers = |flow: &&mut DatagramFlow| self.sources[connection].asks() && !flow.is_outside;
        let Some(flow) = self.flows.datagrams_mut(connection).filter(answers) else { return };
        let answer = self.sources[connection].answer(flow.ends[0].progress().delivered);
        if answer > 0 {
            flow.ends[0].offer(now, answer);
            flow.started = flow.started.or(Some(now));
        }
    }

    /// Tells the application of a stack's connection what has been delivered.
    fn note_delivered(&mut self, now: Time, connection: usize, number: usize) {
        let tells = |flow: &&mut DatagramFlow| !flow.is_plain && !flow.is_outside;
        let Some(flow) = self.flows.datagrams_mut(connection).filter(tells) else { return };
        let delivered = flow.ends[1].progress().delivered;
        if flow.size == Some(delivered) {
            flow.finished = flow.finished.or(Some(now));
        }
        if self.tells_applications {
            self.sources[connection].note_delivered(now, delivered);
            if self.barriers.is_some() {
                self.pass_barriers(now, connection, number, delivered);
            }
        }
    }

    /// Datagrams of a connection that will not arrive, or not be answered: those sent that have neither arrived nor are under way.
    ///
    /// # Errors
    /// If more have arrived than were sent.
    fn datagrams_lost(&self, connection: usize, counts: &DatagramCounts) -> Result<u64, Violation> {
        let proxied = self.flows.datagrams(connection).and_then(|flow| flow.proxied.as_ref());
        // Between proxies its packets are within others.
        let legs = self.numbers.in_turn(connection, false).filter(|number| proxied.is_none() || *number != connection);
        let inside = proxied.map_or(0, |proxied| proxied.datagrams_inside().max(0));
        let under_way = inside + legs.map(|number| i64::from(self.ledger.under_way(number))).sum::<i64>();
        let (sent, copies) = (counts.sent + counts.sent_back, |end: &Reception| end.received + end.duplicates);
        let arrived = copies(&counts.there) + counts.back.as_ref().map_or(0, copies);
        let rest = sent.checked_sub(arrived).and_then(|rest| rest.checked_add_signed(-under_way));
        rest.ok_or_else(|| Violation(format!("{sent} datagrams sent, {arrived} arrived and {under_way} under way")))
    }

    /// Counts with the datagrams lost by now.
    pub fn with_losses(&self, connection: usize, counts: &DatagramCounts) -> DatagramCounts {
        DatagramCounts { lost: self.datagrams_lost(connection, counts).unwrap_or(0), ..counts.clone() }
    }

    /// Whether each datagram was sent once, and has arrived, was lost or is under way.
    ///
    /// # Errors
    /// The first law that does not hold.
    pub fn audit_datagrams(&self, connection: usize) -> Result<(), Violation> {
        let Some(flow) = self.flows.datagrams(connection) else { return Ok(()) };
        let counts = &flow.counts;
        if let (Some(proxied), Some(split)) = (&flow.proxied, self.scenario.split()) {
            proxied.audit(split.buffer.0)?;
        }
        // Where proxies split, packets of one leg are not those of the next.
        let is_one = flow.proxied.as_ref().is_none_or(|proxied| proxied.most_kept().is_none());
        if is_one {
            self.datagrams_lost(connection, counts)?;
        }
        equal("datagrams measured, and received", counts.there.delay.count, counts.there.received)?;
        if !flow.is_plain {
            let Progress { offered, delivered, held, received_to, .. } = flow.progress();
            let order = [delivered, received_to, offered];
            let is_kept = held <= received_to - delivered.min(received_to);
            if order.is_sorted() && is_kept && (!is_one || counts.there.bytes <= counts.sent_bytes) {
                return Ok(());
            }
            return Err(Violation(format!(
                "delivered, received and offered bytes out of order: {order:?}, {held} held"
            )));
        }
        let order = [counts.arrived(), counts.there.received, counts.sent];
        if order.is_sorted() && counts.there.bytes <= counts.sent_bytes {
            return Ok(());
        }
        Err(Violation(format!("datagrams answered, received and sent out of order: {order:?}")))
    }
}
