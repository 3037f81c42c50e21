//! The end systems: applications, packets and timers, between the network and the ends of flows. One path for every [`Transport`].

use longfat_foundation::units::Time;
use longfat_hosts::end_system::{End, EndSystem, Packets as _};
use longfat_hosts::traffic::Source;
use longfat_hosts::transport::Codepoint;
use longfat_network::framing::{Cell, Content, PacketId};

use super::datagrams::Pair;
use super::flows::Flow;
use super::ledger::Hindrance;
use super::tcp::Tcp;
use super::transport::{Ends, Transport};
use super::{Drive, Network, OTHER_RANK, Slot, Way};
use crate::observer::Observer;

impl<O: Observer, D: Drive> Network<O, D> {
    /// A whole packet has reached the end system at the end of its circuit with its last cell, and was released; its place has not
    /// been used again.
    // Always: every packet passes here, nearly all from one of the two callers.
    #[inline(always)]
    pub fn hand_over(&mut self, now: Time, last: Cell) {
        let (circuit, connections) = (last.circuit(), self.numbers.pairs());
        match self.packets.get(last.packet).content {
            Content::Data { .. } => self.reach_far::<Tcp>(now, flow_with_data_on(circuit, connections), last),
            Content::Acknowledgment(_) => {
                self.reach_near::<Tcp>(now, flow_with_data_on(circuit ^ 1, connections), last);
            }
            _ => self.hand_over_other(now, last),
        }
    }

    /// [`hand_over`](Self::hand_over) of packets that carry neither data of TCP nor acknowledge any.
    #[inline(never)]
    fn hand_over_other(&mut self, now: Time, last: Cell) {
        let content = &self.packets.get(last.packet).content;
        let Some(number) = self.flow_on(last.circuit(), content) else { return };
        match content {
            Content::Synchronize { .. } => self.reach_far::<Tcp>(now, number, last),
            Content::Synchronized { .. } => self.reach_near::<Tcp>(now, number, last),
            Content::Datagram { .. } => self.hand_over_parcel(now, number, last),
            Content::Data { .. } | Content::Acknowledgment(_) | Content::Background => {}
        }
    }

    /// The flow that a packet on a circuit belongs to; none for background traffic.
    pub fn flow_on(&self, circuit: usize, content: &Content) -> Option<usize> {
        flow_on(circuit, content, self.numbers.pairs())
    }

    /// The number of a cell's flow, as observers are told ([`observed_flow`]).
    pub fn observed_flow_of(&self, content: &Content, cell: Cell) -> usize {
        observed_flow(cell.circuit(), content, self.numbers.pairs())
    }

    /// A packet reaches the far end of a flow.
    // Always: one of two callers is far busier than the other.
    #[inline(always)]
    pub fn reach_far<K: Transport>(&mut self, now: Time, number: usize, last: Cell) {
        let bits = self.packets.get(last.packet).bits;
        let packet = K::arriving(&mut self.packets, last);
        let mark = K::Packets::number(&packet);
        let mut flow = self.flows.take::<K>(number);
        let (brought, is_usual) = K::take(&mut self.observer, now, number, &mut flow, End::Far, packet);
        self.ledger.packet_arrives(self.numbers.leg_of_end(number, End::Far, K::PASSES_PROXIES), brought, bits);
        if let Some(mark) = mark {
            self.flows.mark(number, now, mark);
        }
        let delivered = flow.ends.ends().1.progress().delivered;
        if flow.size == Some(delivered) && brought.sum() > 0 {
            flow.finished.get_or_insert(now);
        }
        self.act_far(now, number, &mut flow, is_usual);
        let (has_stream, has_streams) = (flow.ends.has_stream(), flow.ends.has_streams());
        self.flows.put(number, flow);
        if !self.tells_of_arrivals {
            return;
        }
        let (has_data, is_split) = (brought.sum() > 0, self.proxies.is_some() && !K::PASSES_PROXIES);
        let passes_on = is_split && self.relay(now, number, delivered, has_data);
        if has_data && has_stream && !passes_on {
            self.tell_application(now, number, delivered, has_streams);
        }
    }

    /// A packet reaches the near end of a flow.
    #[inline(always)]
    pub fn reach_near<K: Transport>(&mut self, now: Time, number: usize, last: Cell) {
        let bits = self.packets.get(last.packet).bits;
        let packet = K::arriving(&mut self.packets, last);
        let mark = K::Packets::number(&packet);
        let mut flow = self.flows.take::<K>(number);
        let (brought, _) = K::take(&mut self.observer, now, number, &mut flow, End::Near, packet);
        self.ledger.control_arrives(self.numbers.leg_of_end(number, End::Near, K::PASSES_PROXIES), bits);
        if let Some(mark) = mark {
            self.flows.mark(number, now, mark);
        }
        if brought.sum() > 0 && flow.ends.has_stream() {
            let delivered = flow.ends.progress_of(End::Near).delivered;
            answer(&mut *self.sources[self.numbers.connection(number)], now, delivered, &mut *flow);
        }
        let is_at_rest = self.act_near(now, number, &mut flow);
        self.put_away(number, flow, is_at_rest);
        if self.proxies.is_some() && !K::PASSES_PROXIES && mark.is_some() {
            self.tell_of_room(now, number);
        }
    }

    /// `delivered` bytes have been delivered since the beginning to the application at the far end of a flow, whose messages may have streams.
    #[inline(never)]
    fn tell_application(&mut self, now: Time, number: usize, delivered: u64, has_streams: bool) {
        let connection = self.numbers.connection(number);
        if self.numbers.is_request(number) {
            let answers = self.numbers.first(connection, false);
            if answer(&mut *self.sources[connection], now, delivered, &mut self.flows[answers]) {
                self.act(now, answers, End::Near);
            }
        } else {
            let source = &mut *self.sources[connection];
            if !has_streams || !hear(source, now, &mut self.flows[number].ends, End::Far) {
                source.note_delivered(now, delivered);
            }
            if source.is_ready() {
                self.wake(now, connection, false);
            }
            if self.barriers.is_some() {
                self.pass_barriers(now, connection, number, delivered);
            }
        }
    }

    /// The timer of an end of a flow is due. A connection that passes proxies is one flow: the numbers of its other legs have the timers of
    /// its proxies.
    pub fn expire(&mut self, now: Time, number: usize, end: End) {
        if !self.flows.passes_proxies(number) {
            self.expire_end::<Tcp>(now, number, end);
        } else if number == self.numbers.connection(number) {
            self.expire_end::<Pair>(now, number, end);
        } else {
            self.expire_at_proxy(now, self.numbers.connection(number), end as usize);
        }
    }

    fn expire_end<K: Transport>(&mut self, now: Time, number: usize, end: End) {
        let mut flow = self.flows.take::<K>(number);
        if end == End::Near || !K::ACKNOWLEDGES_LATE {
            self.flows.fingerprint_mut(number).add(now.0);
            flow.timers[end as usize] = None;
            self.calendar.cancel(self.agenda.timer(flow.place, end));
        }
        K::expire(&mut self.observer, now, number, &mut flow, end);
        self.act_with(now, number, flow, end);
    }

    /// The source of a connection wakes; `is_first` for the first time, which has no slot of its own in the calendar.
    pub fn wake(&mut self, now: Time, connection: usize, is_first: bool) {
        if is_first {
            self.begin_connection(now, connection);
        }
        if self.is_outside(connection) {
            return;
        }
        let source = &mut self.sources[connection];
        let (wake, is_stopped, asks) = (source.wake(now), source.is_stopped(), source.asks());
        // Over TCP, requests have a flow of their own. Over UDP and stacks, the far end of the connection's only flow sends them.
        let (number, end) = match self.flows.passes_proxies(connection) {
            true if asks => (connection, End::Far),
            true => (connection, End::Near),
            false => (self.numbers.first(connection, asks), End::Near),
        };
        let flow = &mut self.flows[number];
        flow.source_wakes = wake.next.is_some();
        if is_stopped {
            return self.stop(now, connection, number, end);
        }
        flow.started = flow.started.or(Some(now).filter(|_| wake.bytes > 0 && end == End::Near));
        if self.barriers.is_some() {
            self.note_round(now, connection);
        }
        let slot = self.agenda.wake(self.flows[number].place);
        if !(is_first && wake.next.is_none()) {
            self.schedule_or_cancel(now, slot, wake.next);
        }
        if say(&mut *self.sources[connection], now, &mut self.flows[number].ends, end).is_some() {
            return self.act(now, number, end);
        }
        self.offer(now, number, end, wake.bytes);
    }

    /// The application at an end of a flow hands over so many bytes; over TCP, zero bytes send a SYN if the connection needs one.
    pub fn offer(&mut self, now: Time, number: usize, end: End, bytes: u64) {
        if bytes > 0 || !self.flows.passes_proxies(number) {
            self.flows[number].ends.offer(now, end, bytes);
        }
        self.act(now, number, end);
    }

    /// The application at an end stops: what it has handed over is all that there will ever be.
    #[cold]
    fn stop(&mut self, now: Time, connection: usize, number: usize, end: End) {
        let flow = &mut self.flows[number];
        flow.ends.withdraw(now, end);
        let size = flow.ends.progress_of(end).offered;
        // The final size is known of a stream of data: not of answers, which requests determine, and not of datagrams, which may be lost.
        let is_known = !self.numbers.is_request(number) && end == End::Near && flow.ends.has_stream();
        let legs: Vec<_> = match is_known {
            true if self.flows.passes_proxies(number) => vec![number],
            true => self.numbers.in_turn(connection, false).collect(),
            false => Vec::new(),
        };
        for &leg in &legs {
            if self.flows.is_at_work(leg) {
                self.flows[leg].end_with(now, size);
            }
        }
        self.schedule_or_cancel(now, self.agenda.wake(self.flows[number].place), None);
        if let Some(last) = legs.last().filter(|last| self.barriers.is_some() && self.flows.is_at_work(**last)) {
            let delivered = self.flows[*last].ends.progress().delivered;
            self.pass_barriers(now, connection, *last, delivered);
        }
        self.act(now, number, end);
    }

    /// Sends what an end of a flow has to send, and sets its timer in the calendar.
    #[inline(never)]
    pub fn act(&mut self, now: Time, number: usize, end: End) {
        if self.flows.passes_proxies(number) {
            let flow = self.flows.take::<Pair>(number);
            self.act_with(now, number, flow, end);
        } else {
            let flow = self.flows.take::<Tcp>(number);
            self.act_with(now, number, flow, end);
        }
    }

    #[inline(never)]
    fn act_with<K: Transport>(&mut self, now: Time, number: usize, mut flow: Box<Flow<K>>, end: End) {
        let is_at_rest = match end {
            End::Near => self.act_near(now, number, &mut flow),
            End::Far => {
                self.act_far(now, number, &mut flow, false);
                false
            }
        };
        self.put_away(number, flow, is_at_rest);
    }

    /// A flow has acted; it may be over if it is at rest.
    #[inline(always)]
    fn put_away<K: Transport>(&mut self, number: usize, flow: Box<Flow<K>>, is_at_rest: bool) {
        self.flows.put(number, flow);
        if is_at_rest {
            self.end_if_over(number);
        }
    }

    /// The near end of a flow, which is in hand, sends what it has to send. Returns true if then nothing is in flight and nothing waits to be
    /// sent.
    // Always: acknowledgments are the cause of nearly all segments.
    #[inline(always)]
    fn act_near<K: Transport>(&mut self, now: Time, number: usize, flow: &mut Flow<K>) -> bool {
        let sends = K::send_all(self, now, number, flow, End::Near, false);
        let waits = flow.ends.ends_mut().0.waits();
        if std::mem::replace(&mut flow.timers[End::Near as usize], waits.expires) != waits.expires {
            self.schedule_or_cancel(now, self.agenda.timer(flow.place, End::Near), waits.expires);
        }
        K::note_act(&mut self.observer, now, number, flow);
        let leg = self.numbers.leg_of_end(number, End::Near, K::PASSES_PROXIES);
        self.ledger.sender_acts(now, leg, sends, Hindrance::of(&waits))
    }

    /// The far end of a flow, which is in hand, sends what it has to send, with the usual answer or without.
    #[inline(always)]
    fn act_far<K: Transport>(&mut self, now: Time, number: usize, flow: &mut Flow<K>, is_usual: bool) {
        K::send_all(self, now, number, flow, End::Far, is_usual);
        let leg = self.numbers.leg_of_end(number, End::Far, K::PASSES_PROXIES);
        self.ledger.receiver_acts(now, leg);
        let due = flow.ends.ends_mut().1.expires();
        if flow.timers[End::Far as usize] != due {
            flow.timers[End::Far as usize] = due;
            if K::ACKNOWLEDGES_LATE {
                self.ledger.receiver_delays(now, leg, due.is_some());
            }
            self.schedule_or_cancel(now, self.agenda.timer(flow.place, End::Far), due);
        }
    }

    /// Sends all packets of an end. Tells whether there were any.
    #[inline(never)]
    pub fn transmit<K: Transport>(&mut self, now: Time, number: usize, flow: &mut Flow<K>, end: End) -> bool {
        let mut sends = false;
        loop {
            let (near, far) = flow.ends.ends_mut();
            let (packet, way) = match end {
                End::Near => (near.transmit(now), flow.there),
                End::Far => (far.transmit(now), flow.back),
            };
            let Some(packet) = packet else { return sends };
            sends = true;
            K::note_departure(&mut self.observer, now, number, flow, end, &packet);
            K::send(self, now, way, end, packet);
        }
    }

    /// Sets a timer of an end system in the calendar; one that should have been due already is due now.
    #[inline(never)]
    pub fn schedule_or_cancel(&mut self, now: Time, slot: Slot, time: Option<Time>) {
        self.driver.note_scheduled(slot, now);
        match time {
            Some(time) => self.calendar.schedule(slot, time.max(now), OTHER_RANK),
            None => self.calendar.cancel(slot),
        }
    }

    /// Sends a packet of so many cells and bits on the line.
    // Always: what is sent is made in its place then.
    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "circuits are numbered in 27 bits")]
    pub fn send_packet(
        &mut self,
        now: Time,
        way: Way,
        content: Content,
        codepoint: Codepoint,
        (cells, bits): (u32, u64),
    ) -> PacketId {
        let Way { circuit, line } = way;
        let packet = self.packets.insert(content, cells, bits);
        self.cells_sent += u64::from(cells);
        self.ledger.packet_sets_out();
        let first = self.mark_at_source(
            now,
            Cell::new(packet, circuit as u32, true, cells == 1).with_codepoint(codepoint),
            cells,
        );
        D::send(self, now, line, first, cells, bits);
        packet
    }
}

/// `delivered` bytes of requests have been delivered to a server since the beginning, which may answer over a flow. Tells whether it does.
fn answer<E: Ends + ?Sized>(source: &mut dyn Source, now: Time, delivered: u64, flow: &mut Flow<E>) -> bool {
    if !source.asks() {
        return false;
    }
    if hear(source, now, &mut flow.ends, End::Near) {
        let answers = say(source, now, &mut flow.ends, End::Near) == Some(true);
        flow.started = flow.started.or(Some(now).filter(|_| answers));
        return answers;
    }
    source.note_committed(flow.ends.committed());
    let answer = source.answer(delivered);
    if answer > 0 {
        flow.started = flow.started.or(Some(now));
        flow.ends.offer(now, End::Near, answer);
    }
    answer > 0
}

/// Tells a source of messages that have arrived whole at an end. Tells whether messages have streams here.
fn hear<E: Ends + ?Sized>(source: &mut dyn Source, now: Time, ends: &mut E, at: End) -> bool {
    let Some(messages) = source.messages().filter(|_| ends.has_streams()) else { return false };
    while let Some(stream) = ends.take_whole(at) {
        messages.hear(now, at, stream);
    }
    true
}

/// Sends the messages of a source from an end, and tells whether there were any; `None` if messages have no streams here.
fn say<E: Ends + ?Sized>(source: &mut dyn Source, now: Time, ends: &mut E, from: End) -> Option<bool> {
    let messages = source.messages().filter(|_| ends.has_streams())?;
    let mut says = false;
    while let Some(message) = messages.say(from) {
        ends.send_message(now, from, message);
        says = true;
    }
    Some(says)
}

/// The flow that a packet on a circuit belongs to, of `connections` connections or legs; none for background traffic.
pub fn flow_on(circuit: usize, content: &Content, connections: usize) -> Option<usize> {
    match content {
        Content::Data { .. } | Content::Synchronize { .. } => Some(flow_with_data_on(circuit, connections)),
        Content::Acknowledgment(_) | Content::Synchronized { .. } => Some(flow_with_data_on(circuit ^ 1, connections)),
        Content::Datagram { .. } => Some(circuit / 2),
        Content::Background => None,
    }
}

/// The flow that a packet on a circuit belongs to, as observers are told: of a background, its circuit, a number behind those of all flows.
pub fn observed_flow(circuit: usize, content: &Content, connections: usize) -> usize {
    flow_on(circuit, content, connections).unwrap_or(circuit)
}

/// The flow whose data is on a circuit.
pub fn flow_with_data_on(circuit: usize, connections: usize) -> usize {
    circuit / 2 + if circuit.is_multiple_of(2) { 0 } else { connections }
}
