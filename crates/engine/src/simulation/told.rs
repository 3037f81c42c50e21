//! Runs with an observer whose type is not known: the loop is compiled once for all of them, and calls it through a table.
//!
//! A [`Simulation`](super::Simulation) with an observer of its own type is faster and takes the compiler as long as one without. Laws and
//! tests, which watch small networks, need no more than this.

use longfat_foundation::measure::RunRecord;
use longfat_foundation::units::{Span, Time};
use longfat_hosts::end_system::{Direction, Vitals};
use longfat_hosts::quic::{Kind, Packet};
use longfat_hosts::transport::{Acknowledgment, Segment, Sender, SenderStatistics, Window};
use longfat_network::capacity::Award;
use longfat_network::framing::{Cell, Class, Content};
use longfat_network::switch::drop_policy::Verdict;
use longfat_network::switch::{Leaving, PortState};

use super::events::{Events, Impairments};
use super::network::{AtRest, Network, Violation};
use crate::observer::{Arriving, Interests, Observer, SlotRun};
use crate::scenario::Scenario;

/// Simulates a scenario from beginning to end, by events, and tells the observer of each.
///
/// # Errors
/// If a conservation law does not hold at the end, which would be a mistake of the engine.
pub fn run_told(scenario: &Scenario, observer: &mut dyn Observer) -> Result<RunRecord, Violation> {
    let mut rest = AtRest::of(scenario);
    let impairments = Impairments::place(&mut rest);
    let reason = Some(super::TOLD_OF_EVERY_EVENT.into());
    let mut network: Network<Told<'_>, Events> = Events::start(rest, impairments, reason, Told(observer));
    network.advance(network.end, u64::MAX);
    network.finish().map(|(record, _)| record)
}

struct Told<'o>(&'o mut dyn Observer);

/// Passes a callback on.
macro_rules! tells {
    ($($name:ident($($argument:ident: $of:ty),*);)*) => {
        $(fn $name(&mut self, $($argument: $of),*) {
            self.0.$name($($argument),*);
        })*
    };
}

// A callback that is missing here would be told to nobody.
#[warn(clippy::missing_trait_methods)]
impl Observer for Told<'_> {
    fn interests(&self) -> Interests {
        Interests { one_order: true, ..self.0.interests() }
    }

    fn again(&mut self) -> Option<Self> {
        None
    }

    fn memory_bytes(&self) -> usize {
        self.0.memory_bytes()
    }

    tells! {
        segment_sent(now: Time, flow: usize, segment: Segment, window: &Window);
        segment_received(now: Time, flow: usize, sequence: u64, length: u64, next: u64);
        acknowledgment_sent(now: Time, flow: usize, acknowledgment: &Acknowledgment);
        window_advertised(flow: usize, field: u16);
        acknowledgment_received(now: Time, flow: usize, acknowledgment: &Acknowledgment, window: &Window);
        timed_out(now: Time, flow: usize, window: &Window);
        synchronize_received(now: Time, flow: usize);
        synchronized(now: Time, flow: usize);
        sender_acted(now: Time, flow: usize, sender: &Sender);
        datagram_sent(now: Time, connection: usize, sequence: u64, length: u64);
        datagram_received(now: Time, connection: usize, sequence: u64, length: u64, delay: Span);
        answer_received(now: Time, connection: usize, sequence: u64, length: u64, round_trip: Option<Span>);
        stack_acted(now: Time, connection: usize, vitals: &Vitals, counted: &SenderStatistics);
        quic_packet(now: Time, connection: usize, direction: Direction, packet: &Packet, size: u64);
        quic_packet_lost(now: Time, connection: usize, kind: Kind, number: u64);
        packet_lost(now: Time, flow: usize, content: &Content);
        cell_served(now: Time, port: usize, class: Class, bits: u64);
        cells_served(port: usize, run: &SlotRun);
        granted(now: Time, port: usize, award: &Award);
        queue_changed(now: Time, port: usize, state: &PortState);
        queue_moved(now: Time, port: usize, cells: u64);
        queue_moved_by_counts(port: usize, run: &SlotRun, before: u64, counts: &[u32]);
        queue_moved_by_rounds(port: usize, run: &SlotRun, before: u64, members: u64);
        shares_changed(now: Time, port: usize, state: &PortState, circuits: Option<&[usize]>);
        shares_moved(port: usize, run: &SlotRun, arriving: Arriving<'_>, leaving: Leaving<'_>);
        packet_dropped(now: Time, port: usize, flow: usize, cell: Cell, content: &Content, reason: Verdict);
        cell_dropped(now: Time, port: usize, cell: Cell, reason: Verdict);
    }
}
