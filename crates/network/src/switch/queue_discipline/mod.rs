//! How packets that wait are managed: which of them are dropped, or marked, before the buffer is full, and which is sent next.
//!
//! A drop policy decides about each cell when it arrives. A queue discipline keeps the packets itself, knows for how long each has
//! waited, and may also act when one is about to be sent; it takes the place of the port's policy and scheduler. To add one: a file here
//! with a [`model!`](longfat_foundation::model), and a `mod` line below.

// The registered disciplines: `build.rs` makes their list of these lines. Their order is that of `longfat models` and of the schema; rustfmt sorts
// lines only up to the next blank one.
mod by_policy;
mod tail_drop;

mod acknowledgment_filter;
mod random_early_detection;

mod codel;
mod proportional_integral;

mod airtime_fair;
mod fair_queue;
mod flow_queue_codel;
mod flow_queue_pie;
mod stochastic_fair_queue;

mod cake;
mod dual_pi2;

// Beside them.
mod active;
mod controlled_delay;
mod level;
mod packet_queue;
mod superseded;
#[cfg(test)]
mod test_support;
mod turns;

pub use active::ActiveQueue;
pub use packet_queue::{PacketQueue, Room, Waiting};

use longfat_foundation::config::{Bytes, format_span};
use longfat_foundation::random::Stream;
use longfat_foundation::registry::{Entry, Family};
use longfat_foundation::units::{Rate, Span, Time};

use super::Dropped;
use crate::framing::{Cell, Packets};
use crate::link::Terminals;

macro_rules! register {
    ($($discipline:path),+) => {
        /// Every registered queue discipline.
        pub const DISCIPLINES: &[Entry<dyn QueueDiscipline>] = &[$(Entry::of::<$discipline>()),+];
    };
}

include!(concat!(env!("OUT_DIR"), "/queue_discipline.rs"));

/// Keeps the packets that wait at a port.
///
/// Packets that are dropped, whether they had been let in or not, are added to `dropped`.
pub trait QueueDiscipline: Send {
    /// The line behind is a carrier that terminals share, each at a rate of its own. Few disciplines heed rates.
    fn know_terminals(&mut self, _terminals: &Terminals) {}
    /// Whether [`supersede`](Self::supersede) is to be called. Few disciplines look into packets.
    fn supersedes(&self) -> bool {
        false
    }
    /// A packet is about to arrive: drops queued packets that `newer` makes redundant (ACK filtering).
    fn supersede(&mut self, _newer: &Waiting, _packets: &Packets, _dropped: &mut Vec<Dropped>) {}
    /// A packet arrives.
    fn enqueue(&mut self, packet: Waiting, dropped: &mut Vec<Dropped>);
    /// The line is free: takes the packet to send. `None` only if none is left.
    fn dequeue(&mut self, now: Time, dropped: &mut Vec<Dropped>) -> Option<Waiting>;
    /// Whether packets leave in the order of their arrival, unmarked, and only those that arrive are dropped. When a packet will be sent is
    /// then known when it arrives.
    fn decides_on_arrival(&self) -> bool {
        false
    }
    /// Packets that wait.
    fn len(&self) -> usize;
    /// Shows the packets that wait, those of each circuit in the order in which they will be sent.
    fn visit(&self, visit: &mut dyn FnMut(Cell));
    /// Whether no packet waits.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The port that a discipline works at.
#[derive(Clone, Debug)]
pub struct QueueContext {
    /// How much can wait.
    pub room: Room,
    /// The ends of each circuit that shares it.
    pub circuits: Vec<Ends>,
    /// The rate of the line behind it.
    pub rate: Rate,
    /// Bytes on the line of a full segment, the largest packet of the connections.
    pub full_packet_bytes: u64,
    /// The discipline's own chance.
    pub chance: Stream,
    /// Duration of the run.
    pub duration: Span,
}

/// Most updates of a controller in a run: a second of work. All that were due since the last packet are made up for at the next.
const MOST_UPDATES: u64 = 100_000_000;

/// Least bytes that a queue may send per turn (FQ-CoDel of Linux raises smaller ones to it): a packet takes turns of all queues.
const LEAST_QUANTUM: u64 = 256;

/// Objection to the bytes that a queue may send per turn, if they are too few.
fn objection_to_quantum(quantum: Bytes) -> Option<(&'static str, String)> {
    (quantum.0 < LEAST_QUANTUM).then(|| ("quantum", format!("must be at least {LEAST_QUANTUM} B")))
}

impl QueueContext {
    /// Objection to a controller's period, if it is too short for the run.
    fn objection_to_period(&self, period: Span) -> Option<(&'static str, String)> {
        let shortest = Span(self.duration.0.div_ceil(MOST_UPDATES));
        (period < shortest).then(|| {
            let message = format!(
                "more than {MOST_UPDATES} updates in a run of {}; must be at least {}",
                format_span(self.duration),
                format_span(shortest)
            );
            ("update_period", message)
        })
    }
}

/// Between which hosts a circuit is, by their numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ends {
    /// The host that sends.
    pub source: usize,
    /// The receiving host.
    pub destination: usize,
}

impl Ends {
    /// Those of the circuit that leads the other way.
    #[must_use]
    pub fn reversed(self) -> Self {
        Self { source: self.destination, destination: self.source }
    }
}

impl Family for dyn QueueDiscipline {
    const KIND: &'static str = "queue discipline";
    type Context = QueueContext;
    const NOTHING: Option<&'static str> = Some("by-policy");
    fn models() -> &'static [Entry<Self>] {
        DISCIPLINES
    }
}
