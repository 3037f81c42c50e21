//! The ledger of the bottleneck's capacity, during the run.
//!
//! It works with packets, never with cells. A packet is charged when it arrives whole. All else that the port has sent, and that is not
//! under way at the end (`settlement`), belongs to packets that never arrive whole. Idle time of the line is charged to the limit of the
//! most advanced sender.
//!
//! Entries are made in order of time. Under conservative lookahead the bottleneck is ahead of the senders, or they of it: each then
//! keeps its own entries, which are merged once both have passed their time. Entries of one instant may be merged in any order, because
//! no time passes between them.

use longfat_foundation::measure::{ByCause, Cause, SendLimit};
use longfat_foundation::row::Row;
use longfat_foundation::units::Time;
use longfat_hosts::transport::{ReceivedBytes, Waiting};
use longfat_network::framing::Cell;
use longfat_network::topology::Graph;

use super::legs::Numbers;
use super::{Drive, Network};
use crate::observer::Observer;

/// An entry that decides to which cause idle time of the line is charged.
#[derive(Clone, Copy, Debug)]
pub enum Entry {
    /// The change of the number of a flow's packets under way, data and acknowledgments: those sent less those that have arrived whole.
    UnderWay(usize, i32),
    /// One of them will never arrive.
    GivenUp(usize),
    /// The receiver of a flow begins to delay an acknowledgment, or ends to.
    Delays(usize, bool),
    /// The sender of a flow has acted, which has changed the number of its packets under way.
    Acts(usize, i32, Hindrance),
    /// The line becomes idle until, perhaps, some time that is known.
    Rests(Option<Time>),
    /// The line, which is idle, sends from that time on.
    WillSend(Time),
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
}

/// The account of a flow.
struct Account {
    /// Whether its data, and its acknowledgments, cross the bottleneck.
    data_crosses: bool,
    acknowledgments_cross: bool,
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
    /// Bits of the packets that brought new bytes.
    new_bits: u64,
}

impl Account {
    fn add_hopes(&mut self, more: i32) {
        self.hopes = self.hopes.checked_add_signed(more).expect("what arrives was under way");
    }
}

/// Entries that may wait to be merged: few enough for the processor's first cache.
const MANY: usize = 100;

/// The ledger of a run in progress.
pub struct RunningLedger {
    accounts: Vec<Account>,
    /// How many senders whose data crosses the bottleneck have each limit, and the most advanced limit of any.
    senders: [usize; SendLimit::ALL.len()],
    most_advanced: SendLimit,
    /// The line is idle between these times. All idle time before is charged, but for that in `idle_before`.
    idle_since: Time,
    idle_until: Time,
    /// Earlier idle times that are not charged yet, in order.
    idle_before: Vec<(Time, Time)>,
    idle_ps: ByCause,
    /// Bits of packets that have arrived; those with new bytes are with their connections.
    bits: ByCause,
    /// Change of the number of packets under way of the flow that acts now, not entered yet.
    more_under_way: i32,
    /// Entries that wait to be merged: packets given up at the bottleneck, and acts of senders and receivers.
    at_bottleneck: Row<(Time, Entry)>,
    at_ends: Vec<(Time, Entry)>,
    /// Whether entries are merged, as under lookahead, and not made in order.
    is_put_in_order: bool,
}

impl RunningLedger {
    /// Opens the ledger of `line`, with an account for each of `flows` flows: the data of a connection or of one of its legs, or its requests.
    pub fn open(graph: &Graph, line: Option<usize>, flows: usize) -> Self {
        let crosses = |path: &[usize]| path.iter().any(|&link| Some(link) == line);
        let account = |there: &[usize], back: &[usize]| Account {
            data_crosses: crosses(there),
            acknowledgments_cross: crosses(back),
            hopes: 0,
            under_way: 0,
            delays: false,
            hindrance: Hindrance { limit: SendLimit::NoData, has_timer: false },
            limit: SendLimit::NoData,
            steady: None,
            new_bits: 0,
        };
        let numbers = Numbers::of(graph);
        let links = |circuit| graph.links_of_circuit(circuit).unwrap_or_default();
        let of_flow = |number| {
            let (data, acknowledgments) = numbers.circuits(number);
            account(links(data), links(acknowledgments))
        };
        let accounts: Vec<_> = (0..flows).map(of_flow).collect();
        let mut senders = [0; SendLimit::ALL.len()];
        senders[SendLimit::NoData as usize] = accounts.iter().filter(|account| account.data_crosses).count();
        Self {
            accounts,
            senders,
            most_advanced: SendLimit::NoData,
            idle_since: Time::ZERO,
            idle_until: Time::NEVER,
            idle_before: Vec::new(),
            idle_ps: ByCause::default(),
            bits: ByCause::default(),
            more_under_way: 0,
            at_bottleneck: Row::default(),
            at_ends: Vec::new(),
            is_put_in_order: false,
        }
    }

    /// From now on entries of the bottleneck and of the end systems are kept apart and merged.
    pub fn put_in_order(&mut self) {
        self.is_put_in_order = true;
    }

    /// Whether the data of each flow cross the bottleneck.
    pub fn cross(&self) -> impl Iterator<Item = bool> {
        self.accounts.iter().map(|account| account.data_crosses)
    }

    /// Enters an act of an end system, or of the bottleneck where both are simulated in order.
    #[inline]
    pub fn note(&mut self, now: Time, what: Entry) {
        if self.is_put_in_order {
            self.at_ends.push((now, what));
        } else {
            self.enter(now, what);
        }
    }

    /// Enters an act of the bottleneck at `time`, which may be ahead of the end systems.
    #[inline]
    pub fn note_at_bottleneck(&mut self, time: Time, what: Entry) {
        match what {
            // Idle time is charged later, when the most advanced sender of that time is known.
            Entry::Rests(until) => self.line_rests(time, until),
            Entry::WillSend(time) => self.line_will_send(time),
            _ => self.at_bottleneck.push_back((time, what)),
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
            self.note_at_bottleneck(time, Entry::GivenUp(number));
        } else {
            self.enter(time, Entry::GivenUp(number));
        }
    }

    /// Bytes that are allocated.
    pub fn memory_bytes(&self) -> usize {
        let waiting = self.at_ends.capacity() * size_of::<(Time, Entry)>() + self.at_bottleneck.memory_bytes();
        waiting
            + self.accounts.capacity() * size_of::<Account>()
            + self.idle_before.capacity() * size_of::<(Time, Time)>()
    }

    /// Merges all entries before `until`, which are complete, if they are many.
    #[inline]
    pub fn settle(&mut self, until: Time) {
        if self.at_ends.len() + self.at_bottleneck.len() + self.idle_before.len() > MANY {
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
        self.charge_idle(until);
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
            Entry::Rests(until) => {
                self.charge_idle(now);
                self.line_rests(now, until);
            }
            Entry::WillSend(time) => self.line_will_send(time),
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
            self.change_limit(now, number, limit);
        }
    }

    fn line_rests(&mut self, now: Time, until: Option<Time>) {
        let ended = self.idle_until.min(now);
        if self.idle_since < ended {
            self.idle_before.push((self.idle_since, ended));
        }
        (self.idle_since, self.idle_until) = (now, until.unwrap_or(Time::NEVER));
    }

    fn line_will_send(&mut self, time: Time) {
        self.idle_until = time;
    }

    /// Charges the idle time until `now`.
    fn charge_idle(&mut self, now: Time) {
        let over = self.idle_before.partition_point(|(_, until)| *until <= now);
        let mut passed = self.idle_before.drain(..over).map(|(since, until)| (until - since).0).sum();
        let first = self
            .idle_before
            .first_mut()
            .map_or((&mut self.idle_since, self.idle_until), |first| (&mut first.0, first.1));
        let until = first.1.min(now);
        if *first.0 < until {
            passed += (until - *first.0).0;
            *first.0 = until;
        }
        self.idle_ps.add(self.most_advanced.into(), passed);
    }

    /// The limit of a sender has changed.
    fn change_limit(&mut self, now: Time, number: usize, limit: SendLimit) {
        let account = &mut self.accounts[number];
        let before = std::mem::replace(&mut account.limit, limit);
        if !account.data_crosses {
            return;
        }
        self.senders[before as usize] -= 1;
        self.senders[limit as usize] += 1;
        let most_advanced = SendLimit::ALL.into_iter().rev().find(|limit| self.senders[*limit as usize] > 0);
        let most_advanced = most_advanced.unwrap_or(SendLimit::NoData);
        if most_advanced != self.most_advanced {
            self.charge_idle(now);
            self.most_advanced = most_advanced;
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

    /// A packet that opens a flow has arrived whole.
    pub fn synchronize_arrives(&mut self, number: usize, bits: u64) {
        self.more_under_way -= 1;
        if self.accounts[number].data_crosses {
            self.bits.add(Cause::Control, bits);
        }
    }

    /// A packet that comes back to the sender of a flow has arrived whole.
    #[inline]
    pub fn control_arrives(&mut self, number: usize, bits: u64) {
        self.more_under_way -= 1;
        if self.accounts[number].acknowledgments_cross {
            self.bits.add(Cause::Control, bits);
        }
    }

    /// A data packet has arrived whole and brought its receiver these bytes: its bits are charged in proportion.
    #[inline(always)]
    pub fn data_arrives(&mut self, number: usize, brought: ReceivedBytes, bits: u64) {
        self.more_under_way -= 1;
        let account = &mut self.accounts[number];
        if !account.data_crosses {
            return;
        }
        if brought.new == brought.sum() {
            account.new_bits += bits;
            return;
        }
        let share = |bytes: u64| bits * bytes / brought.sum();
        let (duplicate, beyond_hole) = (share(brought.duplicate), share(brought.beyond_hole));
        self.bits.add(Cause::Duplicate, duplicate);
        self.bits.add(Cause::BeyondHole, beyond_hole);
        account.new_bits += bits - duplicate - beyond_hole;
    }

    /// Whether the line sends at the end of the run.
    pub fn line_sends_at(&self, end: Time) -> bool {
        self.idle_until < end
    }

    /// The idle time of a run that ends now, by cause.
    pub fn idle_ps(&mut self, end: Time) -> ByCause {
        self.settle_all(end);
        self.idle_ps
    }

    /// Bits of the packets that have arrived, but for those with new bytes.
    pub fn bits(&self) -> ByCause {
        self.bits
    }

    /// Bits of the packets that have brought a receiver new bytes.
    pub fn new_bits(&self, number: usize) -> u64 {
        self.accounts[number].new_bits
    }

    /// A cell of background traffic has crossed the bottleneck.
    pub fn background_crosses(&mut self, bits: u64) {
        self.bits.add(Cause::Background, bits);
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
