//! The end systems: segments, acknowledgments and timers, between the network and the senders and receivers.

use longfat_foundation::config::Parameter;
use longfat_foundation::units::Time;
use longfat_hosts::transport::{Acknowledgment, Codepoint, Segment, option_bytes};
use longfat_network::framing::{Cell, Content, PacketId};

use super::datagrams::End;
use super::ledger::Hindrance;
use super::{Drive, Flow, Network, OTHER_RANK, Slot, Way};
use crate::observer::Observer;

impl<O: Observer, D: Drive> Network<O, D> {
    /// A whole packet has reached the end system at the end of its circuit with its last cell, and was released; its place has not
    /// been used again.
    // Always: every packet passes here, nearly all from one of the two callers.
    #[inline(always)]
    pub fn hand_over(&mut self, now: Time, last: Cell) {
        let (circuit, connections) = (last.circuit(), self.numbers.pairs());
        let content = &self.packets.get(last.packet).content;
        if matches!(content, Content::Data { .. }) {
            self.receive_segment::<false>(now, flow_with_data_on(circuit, connections), last);
        } else if matches!(content, Content::Acknowledgment(_)) {
            self.receive_acknowledgment(now, flow_with_data_on(circuit ^ 1, connections), last.packet);
        } else {
            self.hand_over_other(now, last);
        }
    }

    /// [`hand_over`](Self::hand_over) where proxies split connections. A function of its own, so that runs without proxies have no branch
    /// for them.
    #[inline(never)]
    pub fn hand_over_on_leg(&mut self, now: Time, last: Cell) {
        let content = self.packets.get(last.packet).content;
        let Some(number) = self.flow_on(last.circuit(), &content) else { return };
        match content {
            Content::Data { .. } => self.receive_segment::<true>(now, number, last),
            Content::Acknowledgment(acknowledgment) => {
                self.receive_acknowledgment_with_window(now, number, &acknowledgment, last.packet);
            }
            Content::Synchronize { .. }
            | Content::Synchronized { .. }
            | Content::Datagram { .. }
            | Content::Background => {
                self.hand_over_other(now, last);
            }
        }
    }

    /// [`hand_over`](Self::hand_over) of packets that carry neither data of TCP nor acknowledge any.
    #[inline(never)]
    fn hand_over_other(&mut self, now: Time, last: Cell) {
        let packet = self.packets.get(last.packet);
        let Some(number) = self.flow_on(last.circuit(), &packet.content) else { return };
        match packet.content {
            Content::Synchronize { sent } => {
                self.ledger.synchronize_arrives(number, packet.bits);
                self.observer.synchronize_received(now, number);
                self.send_opening(now, self.flows[number].acknowledgments, Content::Synchronized { sent });
                self.ledger.receiver_acts(now, number);
                self.open_next_leg(now, number);
            }
            Content::Synchronized { sent } => {
                self.ledger.control_arrives(number, packet.bits);
                self.open(now, number, sent);
            }
            Content::Datagram { .. } => self.receive_datagram(now, last),
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

    /// A segment is about to be taken, whose packet a queue may have marked.
    fn note_mark(&mut self, now: Time, number: usize, length: u64, last: Cell, reduced: bool) {
        let waiting = self.flows[number].receiver.note_mark(length, last.codepoint().is_marked(), reduced);
        if let Some(acknowledgment) = waiting {
            self.send_acknowledgment(now, number, acknowledgment);
        }
    }

    // Always: one of two callers is far busier than the other.
    #[inline(always)]
    fn receive_segment<const IS_LEG: bool>(&mut self, now: Time, number: usize, last: Cell) {
        let packet = self.packets.get(last.packet);
        let Content::Data { sequence, length, sent, reduced } = packet.content else { return };
        let bits = packet.bits;
        if !self.flows[number].ecn.is_absent() {
            self.note_mark(now, number, length, last, reduced);
        }
        let flow = &mut self.flows[number];
        // Kept apart, so that the one that nearly all segments are answered with is made in its place.
        let (mut answers_expected, mut unexpected) = (false, None);
        if flow.receiver.expects(sequence) {
            answers_expected = flow.receiver.take_expected(now, length, sent);
        } else {
            unexpected = flow.receiver.receive_unexpected(now, sequence, length, sent);
        }
        self.ledger.data_arrives(number, flow.receiver.latest(), bits);
        flow.fingerprint.add(now.0);
        flow.fingerprint.add(sequence);
        let next = flow.receiver.next();
        if flow.size == Some(next) && flow.finished.is_none() {
            flow.finished = Some(now);
        }
        let is_watched = flow.late_acknowledgment == flow.receiver.due();
        self.observer.segment_received(now, number, sequence, length, next);
        if answers_expected {
            let acknowledgment = self.flows[number].receiver.acknowledge_in_order();
            if IS_LEG {
                self.send_acknowledgment(now, number, acknowledgment);
            } else {
                self.send_acknowledgment_here(now, number, acknowledgment);
            }
        } else if let Some(acknowledgment) = unexpected {
            self.send_acknowledgment(now, number, acknowledgment);
        }
        self.ledger.receiver_acts(now, number);
        if !is_watched {
            self.watch_receiver(now, number);
        }
        if IS_LEG || self.tells_applications {
            self.tell_of_delivery(now, number, next);
        }
    }

    /// A flow has delivered `delivered` bytes since the beginning: to a proxy, which sends them on, or to an application.
    fn tell_of_delivery(&mut self, now: Time, number: usize, delivered: u64) {
        if self.proxies.is_some() && self.relay(now, number, delivered) {
            return;
        }
        let connection = self.numbers.connection(number);
        if self.numbers.is_request(number) {
            self.answer(now, connection, delivered);
        } else {
            self.sources[connection].note_delivered(now, delivered);
            if self.barriers.is_some() {
                self.pass_barriers(now, connection, number, delivered);
            }
        }
    }

    /// `delivered` bytes of requests have been delivered to a server since the beginning, which may answer.
    fn answer(&mut self, now: Time, connection: usize, delivered: u64) {
        let answer = self.sources[connection].answer(delivered);
        if answer > 0 {
            let number = self.numbers.first(connection, false);
            let flow = &mut self.flows[number];
            flow.started = flow.started.or(Some(now));
            flow.sender.offer(now, answer, &mut self.segments);
            self.send_segments(now, number);
        }
    }

    /// A delayed acknowledgment is due.
    pub fn acknowledge_late(&mut self, now: Time, number: usize) {
        if self.flows.is_over_udp(number) {
            return self.expire_datagrams(now, number, End::Far);
        }
        let acknowledgment = self.flows[number].receiver.acknowledge_late();
        self.send_acknowledgment(now, number, acknowledgment);
        self.ledger.receiver_acts(now, number);
        self.watch_receiver(now, number);
    }

    /// Sets the receiver's timer in the calendar.
    #[inline(never)]
    fn watch_receiver(&mut self, now: Time, number: usize) {
        let flow = &mut self.flows[number];
        let due = flow.receiver.due();
        if flow.late_acknowledgment != due {
            flow.late_acknowledgment = due;
            self.ledger.receiver_delays(now, number, due.is_some());
            self.schedule_or_cancel(now, self.agenda.late_acknowledgment(self.flows[number].place), due);
        }
    }

    #[inline(never)]
    fn send_acknowledgment(&mut self, now: Time, number: usize, acknowledgment: Acknowledgment) {
        let packet = self.send_acknowledgment_here(now, number, acknowledgment);
        if self.proxies.is_some() {
            self.advertise(number, packet);
        }
    }

    /// Sends an acknowledgment, without saying what a proxy has room for.
    #[inline(always)]
    fn send_acknowledgment_here(&mut self, now: Time, number: usize, acknowledgment: Acknowledgment) -> PacketId {
        self.observer.acknowledgment_sent(now, number, &acknowledgment);
        let Flow { acknowledgments, option_bytes, .. } = self.flows[number];
        let mut options = option_bytes.acknowledgment;
        if !acknowledgment.blocks.is_empty() {
            options += option_bytes.blocks.bytes(acknowledgment.blocks.as_slice().len());
        }
        let content = Content::Acknowledgment(acknowledgment);
        let size = self.sizes.of(0, options);
        self.send_packet(now, acknowledgments, content, Codepoint::NotCapable, size)
    }

    /// Sends what opens a connection, or the answer to it.
    #[inline(never)]
    fn send_opening(&mut self, now: Time, way: Way, content: Content) {
        let size = self.sizes.of(0, option_bytes::SYNCHRONIZE);
        self.send_packet(now, way, content, Codepoint::NotCapable, size);
    }

    #[inline(always)]
    fn receive_acknowledgment(&mut self, now: Time, number: usize, packet: PacketId) {
        let packet = self.packets.get(packet);
        let Content::Acknowledgment(acknowledgment) = &packet.content else { return };
        self.ledger.control_arrives(number, packet.bits);
        let flow = &mut self.flows[number];
        flow.fingerprint.add(now.0);
        flow.fingerprint.add(acknowledgment.next);
        self.observer.acknowledgment_received(now, number, acknowledgment, flow.sender.window());
        flow.sender.take_acknowledgment(now, acknowledgment, &mut self.segments);
        self.send_segments_here(now, number);
    }

    /// [`receive_acknowledgment`](Self::receive_acknowledgment) where proxies advertise windows that change.
    #[inline(never)]
    fn receive_acknowledgment_with_window(
        &mut self,
        now: Time,
        number: usize,
        acknowledgment: &Acknowledgment,
        id: PacketId,
    ) {
        let packet = self.packets.get(id);
        self.ledger.control_arrives(number, packet.bits);
        if self.numbers.next(number).is_some() {
            self.observer.window_advertised(number, packet.window());
        }
        let flow = &mut self.flows[number];
        flow.fingerprint.add(now.0);
        flow.fingerprint.add(acknowledgment.next);
        self.observer.acknowledgment_received(now, number, acknowledgment, flow.sender.window());
        if !self.learn_window(now, number, acknowledgment.next, id) {
            self.flows[number].sender.acknowledge(now, *acknowledgment, &mut self.segments);
        }
        self.flows[number].sender.mind_closed_window();
        self.send_segments(now, number);
        self.tell_of_room(now, number);
    }

    /// The answer to a synchronizing segment that was sent at `sent` has arrived.
    fn open(&mut self, now: Time, number: usize, sent: Time) {
        self.observer.synchronized(now, number);
        self.flows[number].sender.synchronized(now, sent, &mut self.segments);
        self.send_segments(now, number);
    }

    pub fn time_out(&mut self, now: Time, number: usize) {
        if self.flows.is_over_udp(number) {
            return self.expire_datagrams(now, number, End::Near);
        }
        let flow = &mut self.flows[number];
        flow.fingerprint.add(now.0);
        flow.timer = None;
        if flow.sender.times_out_next() {
            self.observer.timed_out(now, number, flow.sender.window());
        }
        flow.sender.expire(now, &mut self.segments);
        self.calendar.cancel(self.agenda.timer(self.flows[number].place));
        self.send_segments(now, number);
    }

    /// The source of a connection wakes; `is_first` for the first time, which has no slot of its own in the calendar.
    pub fn wake(&mut self, now: Time, connection: usize, is_first: bool) {
        if self.flows.datagrams(connection).is_some() {
            return self.wake_datagrams(now, connection, is_first);
        }
        self.begin_connection(connection);
        if is_first {
            self.remember_paths(connection);
        }
        let source = &mut self.sources[connection];
        let wake = source.wake(now);
        let (is_stopped, number) = (source.is_stopped(), self.numbers.first(connection, source.asks()));
        let flow = &mut self.flows[number];
        flow.source_wakes = wake.next.is_some();
        if is_stopped {
            self.stop(now, connection, number);
            return;
        }
        flow.started = flow.started.or(Some(now).filter(|_| wake.bytes > 0));
        flow.sender.offer(now, wake.bytes, &mut self.segments);
        if self.barriers.is_some() {
            self.note_round(now, connection);
        }
        let flow = &self.flows[number];
        if !(is_first && wake.next.is_none()) {
            self.schedule_or_cancel(now, self.agenda.wake(flow.place), wake.next);
        }
        self.send_segments(now, number);
    }

    /// The application of a connection stops: what it has handed over is all that there will ever be.
    #[cold]
    fn stop(&mut self, now: Time, connection: usize, number: usize) {
        let flow = &mut self.flows[number];
        flow.sender.withdraw();
        let size = flow.sender.offered();
        // Of requests it is not known what they will be answered with.
        let legs: Vec<_> = if self.numbers.is_request(number) {
            Vec::new()
        } else {
            self.numbers.in_turn(connection, false).collect()
        };
        for &leg in &legs {
            if self.flows.is_at_work(leg) {
                self.flows[leg].end_with(now, size);
            }
        }
        self.schedule_or_cancel(now, self.agenda.wake(self.flows[number].place), None);
        if let Some(last) = legs.last().filter(|last| self.barriers.is_some() && self.flows.is_at_work(**last)) {
            let delivered = self.flows[*last].receiver.next();
            self.pass_barriers(now, connection, *last, delivered);
        }
        self.send_segments(now, number);
    }

    /// Sends what the sender of a flow has decided to send, and sets its timer in the calendar.
    #[inline(never)]
    pub fn send_segments(&mut self, now: Time, number: usize) {
        self.send_segments_here(now, number);
    }

    // Always: acknowledgments are the cause of nearly all segments.
    #[inline(always)]
    fn send_segments_here(&mut self, now: Time, number: usize) {
        let flow = &mut self.flows[number];
        let (way, ecn, option_bytes) = (flow.data, flow.ecn, flow.option_bytes.data);
        let waiting = flow.sender.waits_for();
        let is_watched = std::mem::replace(&mut flow.timer, waiting.expires) == waiting.expires;
        let sends = !self.segments.is_empty();
        let mut index = 0;
        while let Some(&segment) = self.segments.get(index) {
            index += 1;
            if self.observer.interests().anything {
                self.observer.segment_sent(now, number, segment, self.flows[number].sender.window());
            }
            let Segment { sequence, length, again, reduced, .. } = segment;
            if segment.synchronize {
                self.send_opening(now, way, Content::Synchronize { sent: now });
            } else {
                let content = Content::Data { sequence, length, sent: now, reduced };
                let is_capable = !again || self.flows[number].sender.learns_share_of_marks();
                let codepoint = if is_capable { ecn.codepoint() } else { Codepoint::NotCapable };
                let size = self.sizes.of(length, option_bytes);
                self.send_packet(now, way, content, codepoint, size);
            }
        }
        self.segments.clear();
        if !is_watched {
            self.schedule_or_cancel(now, self.agenda.timer(self.flows[number].place), waiting.expires);
        }
        if self.observer.interests().anything {
            self.observer.sender_acted(now, number, &self.flows[number].sender);
        }
        if self.ledger.sender_acts(now, number, sends, Hindrance::of(&waiting)) {
            self.end_if_over(number);
        }
    }

    pub fn schedule_or_cancel(&mut self, now: Time, slot: Slot, time: Option<Time>) {
        self.driver.note_scheduled(slot, now);
        match time {
            Some(time) => {
                assert!(time >= now, "a timer is set for {time:?}, and it is {now:?}");
                self.calendar.schedule(slot, time, OTHER_RANK);
            }
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
