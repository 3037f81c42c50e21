//! The ledgers of a run, while it goes on: of the bottleneck's capacity, and of other managed lines that the scenario names.
//!
//! They work with packets, never with cells. What end systems do is entered once, for all lines; each line keeps its idle time
//! ([`LineLedger`]). A packet is charged when it arrives whole, on all lines of its circuit. All else that a port has sent, and that is not
//! under way at the end (`settlement`), belongs to packets that never arrive whole. Idle time of a line is charged to the limit of the
//! most advanced sender.
//!
//! Entries are made in order of time. Under conservative lookahead, where only the bottleneck has a ledger, it is ahead of the senders, or
//! they of it: each then keeps its own entries, which are merged once both have passed their time. Entries of one instant may be merged in
//! any order, because no time passes between them.

use longfat_foundation::measure::{ByCause, Cause, SendLimit};
use longfat_foundation::row::Row;
use longfat_foundation::units::Time;
use longfat_hosts::end_system::Waiting;
use longfat_hosts::transport::ReceivedBytes;
use longfat_network::framing::Cell;
use longfat_network::topology::Graph;

use super::line_ledger::LineLedger;
use super::{Drive, Network};
use crate::observer::Observer;
use crate::scenario::Scenario;

/// An act of an end system that decides to which cause idle time of a line is charged.
#[derive(Clone, Copy, Debug)]
enum Entry {
    /// The change of the number of a flow's packets under way, data and acknowledgments: those sent less those that have arrived whole.
    UnderWay(usize, i32),
    /// One of them will never arrive.
    GivenUp(usize),
    /// The receiver of a flow begins to delay an acknowledgment, or ends to.
    Delays(usize, bool),
    /// The sender of a flow has acted, which has changed the number of its packets under way.
    Acts(usize, i32, Hindrance),
}

/// Limit that keeps a sender from sending more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hindrance {
    /// The limit, as far as the sender knows.
    limit: SendLimit,
    /// Whether its retransmission timer is what it waits for if nothing is under way.
    has_timer: bool,
}

impl Hindrance {
    /// Of a sender that has acted.
    #[inline]
    pub fn of(waiting: &Waiting) -> Self {
        Self { limit: waiting.limit, has_timer: waiting.has_timer }
    }

    /// Hindrance by a limit. The sender has a timer as long as it has something to send.
    pub fn of_limit(limit: SendLimit) -> Self {
        Self { limit, has_timer: limit != SendLimit::NoData }
    }
}

/// The account of a flow.
#[derive(Clone)]
struct Account {
    /// Packets of both directions that are whole and on their way: what could make the sender send.
    hopes: u32,
    /// The number of the same packets now, entries included that are not merged yet.
    under_way: i32,
    /// Whether its receiver delays an acknowledgment.
    delays: bool,
    hindrance: Hindrance,
    limit: SendLimit,
    /// Limit of its sender when it acted last, if it sent something then and nothing else was entered since.
    steady: Option<Hindrance>,
    /// Bits of packets that have arrived on the way of its data: by what they brought the receiver.
    new_bits: u64,
    duplicate_bits: u64,
    beyond_hole_bits: u64,
    opening_bits: u64,
    /// Bits of packets that have come back to the sender.
    control_bits: u64,
}

impl Account {
    const NEW: Self = Self {
        hopes: 0,
        under_way: 0,
        delays: false,
        hindrance: Hindrance { limit: SendLimit::NoData, has_timer: false },
        limit: SendLimit::NoData,
        steady: None,
        new_bits: 0,
        duplicate_bits: 0,
        beyond_hole_bits: 0,
        opening_bits: 0,
        control_bits: 0,
    };

    fn add_hopes(&mut self, more: i32) {
        self.hopes = self.hopes.checked_add_signed(more).expect("what arrives was under way");
    }

    /// Charges the bits of a packet that has brought not only new bytes.
    #[inline(never)]
    fn charge(&mut self, brought: ReceivedBytes, bits: u64) {
        if brought.sum() == 0 {
            self.opening_bits += bits;
            return;
        }
        let share = |bytes: u64| bits * bytes / brought.sum();
        let (duplicate, beyond_hole) = (share(brought.duplicate), share(brought.beyond_hole));
        self.duplicate_bits += duplicate;
        self.beyond_hole_bits += beyond_hole;
        self.new_bits += bits - duplicate - beyond_hole;
    }
}

/// Entries that may wait to be merged: few enough for the processor's first cache.
const MANY: usize = 100;

/// The ledgers of a run in progress.
pub struct Ledgers {
    accounts: Vec<Account>,
    /// Change of the number of packets under way of the flow that acts now, not entered yet.
    more_under_way: i32,
    bottleneck_port: usize,
    bottleneck: LineLedger,
    /// With the numbers of their ports.
    others: Vec<(usize, LineLedger)>,
    /// Bits of background traffic that has crossed the bottleneck.
    background_bits: u64,
    /// Entries that wait to be merged: packets given up at the bottleneck, and acts of senders and receivers.
    at_bottleneck: Row<(Time, Entry)>,
    at_ends: Vec<(Time, Entry)>,
    /// Whether entries are merged, as under lookahead, and not made in order.
    is_put_in_order: bool,
}

impl Ledgers {
    /// Of a network with `flows` flows.
    pub fn open(scenario: &Scenario, graph: &Graph, bottleneck_port: usize, flows: usize) -> Self {
        let lines = scenario.lines_with_ledgers(graph);
        let others =
            graph.managed().enumerate().filter(|(port, line)| *port != bottleneck_port && lines.contains(line));
        Self {
            accounts: vec![Account::NEW; flows],
            more_under_way: 0,
            bottleneck_port,
            bottleneck: LineLedger::open(graph, graph.bottleneck_number(), flows),
            others: others.map(|(port, line)| (port, LineLedger::open(graph, Some(line), flows))).collect(),
            background_bits: 0,
            at_bottleneck: Row::default(),
            at_ends: Vec::new(),
            is_put_in_order: false,
        }
    }

    /// From now on entries of the bottleneck and of the end systems are kept apart and merged.
    pub fn put_in_order(&mut self) {
        debug_assert!(self.others.is_empty(), "the entries of one line are merged");
        self.is_put_in_order = true;
    }

    /// Packets of a flow under way, of both directions: sent, and neither arrived nor lost.
    pub fn under_way(&self, number: usize) -> i32 {
        self.accounts[number].under_way
    }

    /// Numbers of the ports that have one, the bottleneck's first.
    pub fn ports(&self) -> impl Iterator<Item = usize> {
        std::iter::once(self.bottleneck_port).chain(self.others.iter().map(|(port, _)| *port))
    }

    /// The ledger of the line of a port, if it has one.
    pub fn of_port(&self, port: usize) -> Option<&LineLedger> {
        let other = || self.others.iter().find(|(other, _)| *other == port).map(|(_, ledger)| ledger);
        if port == self.bottleneck_port { Some(&self.bottleneck) } else { other() }
    }

    /// [`of_port`](Self::of_port), to be changed where entries are made in order.
    fn of_port_mut(&mut self, port: usize) -> Option<&mut LineLedger> {
        if port == self.bottleneck_port {
            return Some(&mut self.bottleneck);
        }
        self.others.iter_mut().find(|(other, _)| *other == port).map(|(_, ledger)| ledger)
    }

    /// Bytes that are allocated.
    pub fn memory_bytes(&self) -> usize {
        let waiting = self.at_ends.capacity() * size_of::<(Time, Entry)>() + self.at_bottleneck.memory_bytes();
        let lines = self.others.iter().map(|(_, ledger)| ledger.memory_bytes()).sum::<usize>();
        waiting + self.accounts.capacity() * size_of::<Account>() + self.bottleneck.memory_bytes() + lines
    }

    /// A port whose line is idle sends from `time` on.
    #[inline]
    pub fn port_will_send(&mut self, port: usize, time: Time) {
        if let Some(line) = self.of_port_mut(port) {
            line.will_send(time);
        }
    }

    /// A port becomes idle until, perhaps, some time that is known.
    #[inline]
    pub fn port_rests(&mut self, port: usize, now: Time, until: Option<Time>) {
        if let Some(line) = self.of_port_mut(port) {
            line.charge(now);
            line.rests(now, until);
        }
    }

    /// The bottleneck, which may be ahead of the end systems, sends from `time` on.
    #[inline]
    pub fn bottleneck_will_send(&mut self, time: Time) {
        self.bottleneck.will_send(time);
    }

    /// The bottleneck, which may be ahead of the end systems, becomes idle at `time` until, perhaps, some time that is known.
    #[inline]
    pub fn bottleneck_rests(&mut self, time: Time, until: Option<Time>) {
        self.bottleneck.rests(time, until);
    }

    /// A cell of background traffic has crossed the bottleneck.
    pub fn background_crosses(&mut self, bits: u64) {
        self.background_bits += bits;
    }

    /// Enters an act of an end system, or of a port where both are simulated in order.
    #[inline]
    fn note(&mut self, now: Time, what: Entry) {
        if self.is_put_in_order {
            self.at_ends.push((now, what));
        } else {
            self.enter(now, what);
        }
    }

    /// A packet of a flow will never arrive.
    pub fn packet_is_given_up(&mut self, now: Time, number: usize) {
        self.accounts[number].under_way -= 1;
        self.note(now, Entry::GivenUp(number));
    }

    /// A port drops a packet of a flow at `time`. Where entries are put in order, it is the bottleneck's port, which may be ahead of the
    /// end systems.
    pub fn packet_is_dropped(&mut self, time: Time, number: usize) {
        self.accounts[number].under_way -= 1;
        if self.is_put_in_order {
            self.at_bottleneck.push_back((time, Entry::GivenUp(number)));
        } else {
            self.enter(time, Entry::GivenUp(number));
        }
    }

    /// Merges all entries before `until`, which are complete, if they are many.
    #[inline]
    pub fn settle(&mut self, until: Time) {
        if self.at_ends.len() + self.at_bottleneck.len() + self.bottleneck.uncharged() > MANY {
            self.settle_all(until);
        }
    }

    #[inline(never)]
    fn settle_all(&mut self, until: Time) {
        let mut at_ends = std::mem::take(&mut self.at_ends);
        let known = at_ends.partition_point(|(time, _)| *time < until);
        for (time, what) in at_ends.drain(..known) {
            self.settle_bottleneck(|at| at <= time);
            self.enter(time, what);
        }
        self.at_ends = at_ends;
        self.settle_bottleneck(|at| at < until);
        self.bottleneck.charge(until);
        self.others.iter_mut().for_each(|(_, line)| line.charge(until));
    }

    fn settle_bottleneck(&mut self, is_due: impl Fn(Time) -> bool) {
        while let Some(&(time, what)) = self.at_bottleneck.front().filter(|(time, _)| is_due(*time)) {
            self.at_bottleneck.pop_front();
            self.enter(time, what);
        }
    }

    #[inline]
    fn enter(&mut self, now: Time, what: Entry) {
        match what {
            Entry::UnderWay(number, more) => self.accounts[number].add_hopes(more),
            Entry::GivenUp(number) => self.give_up(now, number),
            Entry::Delays(number, delays) => self.accounts[number].delays = delays,
            Entry::Acts(number, more, hindrance) => {
                self.accounts[number].add_hopes(more);
                self.accounts[number].hindrance = hindrance;
                self.note_limit(now, number);
            }
        }
    }

    fn give_up(&mut self, now: Time, number: usize) {
        let account = &mut self.accounts[number];
        account.hopes -= 1;
        if account.hopes == 0 {
            self.note_limit(now, number);
        }
    }

    /// Updates the limit of a sender.
    #[inline]
    fn note_limit(&mut self, now: Time, number: usize) {
        let Account { hopes, delays, hindrance, limit: before, .. } = self.accounts[number];
        let waits = hopes == 0 && !delays && hindrance.has_timer;
        let limit = if waits { SendLimit::Timer } else { hindrance.limit };
        if limit != before {
            self.accounts[number].limit = limit;
            self.bottleneck.change_limit(now, number, before, limit);
            self.others.iter_mut().for_each(|(_, line)| line.change_limit(now, number, before, limit));
        }
    }

    /// A packet sets out, of the flow that acts now.
    #[inline]
    pub fn packet_sets_out(&mut self) {
        self.more_under_way += 1;
    }

    /// The receiver of a flow has acted.
    #[inline(always)]
    pub fn receiver_acts(&mut self, now: Time, number: usize) {
        // Nearly always an acknowledgment has set out for data that have arrived.
        let more = std::mem::take(&mut self.more_under_way);
        if more != 0 {
            let account = &mut self.accounts[number];
            account.steady = None;
            account.under_way += more;
            self.note(now, Entry::UnderWay(number, more));
        }
    }

    /// The receiver of a flow begins to delay an acknowledgment, or ends to.
    pub fn receiver_delays(&mut self, now: Time, number: usize, delays: bool) {
        self.accounts[number].steady = None;
        self.note(now, Entry::Delays(number, delays));
    }

    /// The sender of a flow has acted, and `sends` or not.
    ///
    /// If it sends one packet for each acknowledgment, and its limit stays, nothing need be entered: something was under way all the time.
    /// Returns whether nothing of the flow is under way and nothing waits to be sent.
    #[inline]
    pub fn sender_acts(&mut self, now: Time, number: usize, sends: bool, hindrance: Hindrance) -> bool {
        let more = std::mem::take(&mut self.more_under_way);
        let steady = sends.then_some(hindrance);
        let account = &mut self.accounts[number];
        let before = std::mem::replace(&mut account.steady, steady);
        if more == 0 && steady.is_some() && steady == before {
            return false;
        }
        account.under_way += more;
        let is_at_rest = account.under_way == 0 && hindrance.limit == SendLimit::NoData;
        self.note(now, Entry::Acts(number, more, hindrance));
        is_at_rest
    }

    /// A packet that comes back to the sender of a flow has arrived whole.
    #[inline]
    pub fn control_arrives(&mut self, number: usize, bits: u64) {
        self.more_under_way -= 1;
        self.accounts[number].control_bits += bits;
    }

    /// A packet has arrived whole at the far end of a flow and brought it these bytes: its bits are charged in proportion. One that brings none
    /// opens the flow.
    #[inline(always)]
    pub fn packet_arrives(&mut self, number: usize, brought: ReceivedBytes, bits: u64) {
        self.more_under_way -= 1;
        let account = &mut self.accounts[number];
        if brought.new > 0 && brought.new == brought.sum() {
            account.new_bits += bits;
        } else {
            account.charge(brought, bits);
        }
    }

    /// The idle time of a port's line in a run that ends now, by cause.
    pub fn idle_ps(&mut self, port: usize, end: Time) -> ByCause {
        self.settle_all(end);
        self.of_port(port).map_or_else(ByCause::default, LineLedger::idle_ps)
    }

    /// Bits of the packets that have arrived over a port's line, but for those with new bytes.
    pub fn bits(&self, port: usize) -> ByCause {
        let mut bits = ByCause::default();
        let crosses = self.of_port(port).map_or(&[][..], LineLedger::crosses);
        for (account, &(data_crosses, acknowledgments_cross)) in self.accounts.iter().zip(crosses) {
            if data_crosses {
                bits.add(Cause::Duplicate, account.duplicate_bits);
                bits.add(Cause::BeyondHole, account.beyond_hole_bits);
                bits.add(Cause::Control, account.opening_bits);
            }
            if acknowledgments_cross {
                bits.add(Cause::Control, account.control_bits);
            }
        }
        if port == self.bottleneck_port {
            bits.add(Cause::Background, self.background_bits);
        }
        bits
    }

    /// Bits of the packets that have brought the receiver of a flow new bytes over a port's line.
    pub fn new_bits(&self, port: usize, number: usize) -> u64 {
        let crosses = self.of_port(port).is_some_and(|line| line.crosses()[number].0);
        if crosses { self.accounts[number].new_bits } else { 0 }
    }
}

impl<O: Observer, D: Drive> Network<O, D> {
    /// A cell of a packet is dropped or lost; tells whether the packet was whole before.
    pub fn damage(&mut self, now: Time, cell: Cell) -> bool {
        let was_whole = self.packets.damage(cell.packet);
        if was_whole {
            self.give_up(now, cell);
        }
        was_whole
    }

    /// A packet that has lost no cell has been taken for a part of the one before it, whose last cell was lost.
    #[cold]
    pub fn reject(&mut self, now: Time, cell: Cell) {
        if !self.packets.get(cell.packet).damaged {
            self.give_up(now, cell);
        }
    }

    /// The packet of a cell will never arrive.
    fn give_up(&mut self, now: Time, cell: Cell) {
        if let Some(number) = self.flow_on(cell.circuit(), &self.packets.get(cell.packet).content) {
            self.ledger.packet_is_given_up(now, number);
        }
    }
}
