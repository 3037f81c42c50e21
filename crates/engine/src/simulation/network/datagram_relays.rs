//! Proxies in the way of a connection over UDP: machines that take its packets from one leg and give packets to the next.

use longfat_foundation::units::Time;
use longfat_hosts::end_system::{End, Parcel};
use longfat_stacks::proxies::udp::{Relay, Side};

use super::agenda::Place;
use super::audit::Violation;
use super::ledger::Hindrance;
use super::{Drive, Network};
use crate::observer::Observer;

/// The proxies of a connection, that of the near host first.
pub struct Proxied {
    relays: [Box<dyn Relay>; 2],
    /// Where their timers are in the calendar, once the connection has begun, and when they are due.
    place: Option<Place>,
    timers: [Option<Time>; 2],
}

impl Proxied {
    pub fn new(relays: [Box<dyn Relay>; 2]) -> Self {
        Self { relays, place: None, timers: [None; 2] }
    }

    /// Bytes that are allocated.
    pub fn memory_bytes(&self) -> usize {
        size_of::<Self>() + self.relays.iter().map(|relay| relay.memory_bytes()).sum::<usize>()
    }

    /// Datagrams within.
    pub fn datagrams_inside(&self) -> i64 {
        self.relays.iter().map(|relay| relay.datagrams_inside()).sum()
    }

    /// The most bytes that either has kept; nothing if they keep none.
    pub fn most_kept(&self) -> Option<u64> {
        self.relays.iter().filter_map(|relay| relay.most_kept()).max()
    }

    /// Checks that neither has kept more than it has room for.
    ///
    /// # Errors
    /// If one has.
    pub fn audit(&self, buffer: u64) -> Result<(), Violation> {
        match self.most_kept().filter(|most| *most > buffer) {
            Some(most) => Err(Violation(format!("a proxy with room for {buffer} B kept {most} B"))),
            None => Ok(()),
        }
    }
}

/// The proxy that a packet on leg `place` (0, 1 or 2) reaches, and the side that it comes from.
fn reached(place: usize, is_answer: bool) -> (usize, Side) {
    let side = if place == 1 { Side::Line } else { Side::Host };
    (place - usize::from(is_answer), side)
}

/// The leg on a side of a proxy, and the end of the leg at which the proxy is.
fn leg_of(proxy: usize, side: Side) -> (usize, End) {
    match (proxy, side) {
        (0, Side::Host) => (0, End::Far),
        (0, Side::Line) => (1, End::Near),
        (_, Side::Line) => (1, End::Far),
        (_, Side::Host) => (2, End::Near),
    }
}

impl<O: Observer, D: Drive> Network<O, D> {
    /// The connection begins: its proxies get a place in the calendar.
    pub fn place_proxies(&mut self, connection: usize) {
        if self.proxied(connection).is_none() {
            return;
        }
        let place = self.agenda.move_in(self.numbers.first(connection, false));
        if let Some(proxied) = self.proxied(connection) {
            proxied.place = Some(place);
        }
    }

    /// A packet has reached a proxy, which takes it in place of the next leg. Returns it if there is none of that kind.
    pub fn receive_at_proxy(
        &mut self,
        now: Time,
        number: usize,
        is_answer: bool,
        bits: u64,
        parcel: Parcel,
    ) -> Option<Parcel> {
        let connection = self.numbers.connection(number);
        let legs = self.numbers.legs_in_turn(connection);
        let Some(proxied) = self.proxied(connection) else { return Some(parcel) };
        let place = legs.iter().position(|leg| *leg == number)?;
        let (proxy, side) = reached(place, is_answer);
        let brought = proxied.relays[proxy].receive(now, side, parcel);
        self.enter_arrival(number, is_answer, brought, bits);
        self.ledger.receiver_acts(now, number);
        self.act_at_proxy(now, connection, proxy);
        None
    }

    /// The timer of a proxy is due.
    pub fn expire_at_proxy(&mut self, now: Time, connection: usize, proxy: usize) {
        let Some(proxied) = self.proxied(connection) else { return };
        proxied.timers[proxy] = None;
        proxied.relays[proxy].expire(now);
        if let Some(place) = proxied.place {
            self.schedule_or_cancel(now, self.agenda.timer(place, [End::Near, End::Far][proxy]), None);
        }
        self.act_at_proxy(now, connection, proxy);
    }

    /// Sends what a proxy has to send, and sets its timer in the calendar.
    fn act_at_proxy(&mut self, now: Time, connection: usize, proxy: usize) {
        let legs = self.numbers.legs_in_turn(connection);
        while let Some((side, parcel)) = self.proxied(connection).and_then(|it| it.relays[proxy].transmit(now)) {
            let (leg, end) = leg_of(proxy, side);
            self.send_parcel(now, legs[leg], end, parcel);
            self.note_act(now, connection, proxy, side, true);
        }
        [Side::Host, Side::Line].into_iter().for_each(|side| self.note_act(now, connection, proxy, side, false));
        let Some(proxied) = self.proxied(connection) else { return };
        let due = proxied.relays[proxy].expires();
        if std::mem::replace(&mut proxied.timers[proxy], due) != due
            && let Some(place) = proxied.place
        {
            let slot = self.agenda.timer(place, [End::Near, End::Far][proxy]);
            self.schedule_or_cancel(now, slot, due);
        }
    }

    /// Enters into the ledger what a proxy has done to the leg on a side.
    fn note_act(&mut self, now: Time, connection: usize, proxy: usize, side: Side, sends: bool) {
        let (leg, end) = leg_of(proxy, side);
        let number = self.numbers.legs_in_turn(connection)[leg];
        let Some(limit) = self.proxied(connection).map(|it| it.relays[proxy].limit(side)) else { return };
        match end {
            End::Near => _ = self.ledger.sender_acts(now, number, sends, Hindrance::of_limit(limit)),
            End::Far => self.ledger.receiver_acts(now, number),
        }
    }

    fn proxied(&mut self, connection: usize) -> Option<&mut Proxied> {
        self.flows.stack_mut(connection)?.ends.proxied.as_deref_mut()
    }
}
