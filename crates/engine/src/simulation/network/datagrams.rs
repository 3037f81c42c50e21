//! Connections over UDP: what a source writes is sent at once, and nothing is sent again.
//!
//! A connection has two circuits there and back, as every other. The second carries answers, if the far end gives any. Where proxies split
//! connections, a datagram passes them whole, from one leg to the next.

use longfat_foundation::measure::{Fingerprint, RoundTrips};
use longfat_foundation::units::Time;
use longfat_hosts::datagrams::Reception;
use longfat_hosts::traffic::{Datagrams, Source};
use longfat_hosts::transport::{Codepoint, ReceivedBytes};
use longfat_network::framing::{Cell, Content};

use super::agenda::Place;
use super::audit::{Violation, equal};
use super::{Drive, Network};
use crate::observer::Observer;

/// The state of one connection over UDP.
pub struct DatagramFlow {
    are_answered: bool,
    /// Where its wake is in the calendar, once it has begun.
    place: Option<Place>,
    counts: DatagramCounts,
    started: Option<Time>,
    fingerprint: Fingerprint,
}

/// Counts of a connection over UDP: datagrams sent, and those that have arrived.
#[derive(Clone)]
pub struct DatagramCounts {
    /// Datagrams sent, answers not counted, and their bytes of data.
    pub sent: u64,
    pub sent_bytes: u64,
    /// Datagrams at the far end.
    pub there: Reception,
    /// Answers at the sender, if there are any: their delays are round trips.
    pub answers: Option<Reception>,
    /// Datagrams that were lost on their way, or their answers on theirs.
    pub lost: u64,
}

impl DatagramCounts {
    /// The difference to `earlier`.
    pub fn since(&self, earlier: &Self) -> Self {
        let answers = self.answers.as_ref().zip(earlier.answers.as_ref());
        Self {
            sent: self.sent - earlier.sent,
            sent_bytes: self.sent_bytes - earlier.sent_bytes,
            there: self.there.since(&earlier.there),
            answers: answers.map(|(now, earlier)| now.since(earlier)),
            lost: self.lost - earlier.lost,
        }
    }

    /// Datagrams that have done all that they were sent for.
    pub fn arrived(&self) -> u64 {
        self.answers.as_ref().map_or(self.there.received, |answers| answers.received)
    }

    /// Round trips of answered datagrams.
    pub fn round_trips(&self) -> RoundTrips {
        self.answers.as_ref().map_or_else(RoundTrips::default, |answers| answers.delay)
    }
}

impl DatagramFlow {
    fn planned(datagrams: Datagrams) -> Self {
        Self {
            are_answered: datagrams.are_answered,
            place: None,
            counts: DatagramCounts {
                sent: 0,
                sent_bytes: 0,
                there: Reception::default(),
                answers: datagrams.are_answered.then(Reception::default),
                lost: 0,
            },
            started: None,
            fingerprint: Fingerprint::default(),
        }
    }

    /// State of each connection over UDP, `None` for those over TCP; an empty list if all use TCP.
    pub fn of_sources(sources: &[Box<dyn Source>]) -> Vec<Option<Box<Self>>> {
        if sources.iter().all(|source| source.datagrams().is_none()) {
            return Vec::new();
        }
        let planned = |datagrams| Box::new(Self::planned(datagrams));
        sources.iter().map(|source| source.datagrams().map(planned)).collect()
    }

    /// Bytes that are allocated.
    pub fn memory_bytes(&self) -> usize {
        let DatagramCounts { there, answers, .. } = &self.counts;
        size_of::<Self>() + there.memory_bytes() + answers.as_ref().map_or(0, Reception::memory_bytes)
    }

    pub fn counts(&self) -> &DatagramCounts {
        &self.counts
    }

    pub fn started(&self) -> Option<Time> {
        self.started
    }

    pub fn fingerprint(&self) -> Fingerprint {
        self.fingerprint
    }

    pub fn fingerprint_mut(&mut self) -> &mut Fingerprint {
        &mut self.fingerprint
    }

    /// Restarts peaks and distributions.
    pub fn count_anew(&mut self) {
        self.counts.there.count_anew();
        self.counts.answers.iter_mut().for_each(Reception::count_anew);
    }
}

impl<O: Observer, D: Drive> Network<O, D> {
    /// The source of a connection over UDP wakes and sends a datagram.
    #[inline(never)]
    pub fn wake_datagrams(&mut self, now: Time, connection: usize, is_first: bool) {
        if is_first {
            self.begin_datagrams(connection);
        }
        let wake = self.sources[connection].wake(now);
        let number = self.numbers.first(connection, false);
        let place = self.flows.datagrams(connection).and_then(|flow| flow.place);
        if let Some(place) = place {
            self.schedule_or_cancel(now, self.agenda.wake(place), wake.next);
        }
        // It stops.
        if wake.bytes == 0 {
            return;
        }
        let Some(flow) = self.flows.datagrams_mut(connection) else { return };
        let sequence = flow.counts.sent;
        flow.counts.sent += 1;
        flow.counts.sent_bytes += wake.bytes;
        flow.started = flow.started.or(Some(now));
        self.observer.datagram_sent(now, connection, sequence, wake.bytes);
        self.send_datagram(
            now,
            number,
            Content::Datagram { sequence, length: wake.bytes, sent: now, is_answer: false },
        );
    }

    /// From now on the connection has a place in the calendar, and the lines that it takes are kept.
    fn begin_datagrams(&mut self, connection: usize) {
        let numbers: Vec<_> = self.numbers.in_turn(connection, false).collect();
        let place = self.agenda.move_in(connection);
        self.make_room();
        if let Some(flow) = self.flows.datagrams_mut(connection) {
            flow.place = Some(place);
        }
        numbers.into_iter().for_each(|number| self.make_lines(number));
    }

    /// Sends a datagram, or an answer, over the leg of a connection with that flow number.
    fn send_datagram(&mut self, now: Time, number: usize, content: Content) {
        let Content::Datagram { length, is_answer, .. } = content else { return };
        let (there, back) = self.numbers.circuits(number);
        let way = self.way(if is_answer { back } else { there });
        let size = self.sizes.of_datagram(length);
        self.send_packet(now, way, content, Codepoint::NotCapable, size);
        self.ledger.receiver_acts(now, number);
    }

    /// A whole datagram has reached the end of its leg.
    #[inline(never)]
    pub fn receive_datagram(&mut self, now: Time, last: Cell) {
        let packet = self.packets.get(last.packet);
        let content = packet.content;
        let Content::Datagram { sequence, length, sent, is_answer } = content else { return };
        let (number, bits) = (last.circuit() / 2, packet.bits);
        if is_answer {
            self.ledger.control_arrives(number, bits);
        } else {
            self.ledger.data_arrives(number, ReceivedBytes { new: length, ..ReceivedBytes::default() }, bits);
        }
        self.ledger.receiver_acts(now, number);
        let onward = if is_answer { self.numbers.before(number) } else { self.numbers.next(number) };
        if let Some(next) = onward {
            return self.send_datagram(now, next, content);
        }
        let connection = self.numbers.connection(number);
        let Some(flow) = self.flows.datagrams_mut(connection) else { return };
        flow.fingerprint.add(now.0);
        flow.fingerprint.add(sequence);
        let DatagramCounts { there, answers, .. } = &mut flow.counts;
        let reception = if is_answer { answers.as_mut().unwrap_or(there) } else { there };
        let is_new = reception.receive(sequence, length, now - sent);
        let is_answered = flow.are_answered && !is_answer && is_new;
        if is_answer {
            self.observer.answer_received(now, connection, sequence, length, now - sent);
        } else {
            self.observer.datagram_received(now, connection, sequence, length, now - sent);
        }
        if is_answered {
            self.send_datagram(now, number, Content::Datagram { sequence, length, sent, is_answer: true });
        }
    }

    /// Datagrams of a connection that will not arrive, or not be answered: those sent that have neither arrived nor are under way.
    ///
    /// # Errors
    /// If more have arrived than were sent.
    fn datagrams_lost(&self, connection: usize, counts: &DatagramCounts) -> Result<u64, Violation> {
        let under_way: i64 =
            self.numbers.in_turn(connection, false).map(|number| i64::from(self.ledger.under_way(number))).sum();
        let rest = counts.sent.checked_sub(counts.arrived()).and_then(|rest| rest.checked_add_signed(-under_way));
        rest.ok_or_else(|| {
            let (sent, arrived) = (counts.sent, counts.arrived());
            Violation(format!("{sent} datagrams sent, {arrived} arrived and {under_way} under way"))
        })
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
        self.datagrams_lost(connection, counts)?;
        equal("datagrams measured, and received", counts.there.delay.count, counts.there.received)?;
        let order = [counts.arrived(), counts.there.received, counts.sent];
        if order.is_sorted() && counts.there.bytes <= counts.sent_bytes {
            return Ok(());
        }
        Err(Violation(format!("datagrams answered, received and sent out of order: {order:?}")))
    }
}
