//! Flows that arrive over time, each with a size drawn at random.

mod classes;
mod schedule;

pub use classes::SizeClasses;

use std::collections::VecDeque;
use std::sync::Arc;

use longfat_foundation::config::PositiveSpan;
use longfat_foundation::random::RandomSpan;
use longfat_foundation::registry::Chosen;
use longfat_foundation::units::{Span, Time};
use schedule::{Flow, Schedule};

use super::messages::Count;
use super::size::SizeDistribution;
use super::{Completions, Source, SourceContext, Wake};

longfat_foundation::choice! {
    /// Distribution of the times between flows.
    pub enum Arrivals {
        /// Exponentially distributed times, including the first: independent users.
        Poisson = "poisson",
        /// Constant times; the first flow begins at the start.
        EvenlySpaced = "evenly-spaced",
    }
}

longfat_foundation::choice! {
    /// Whether flows share a connection.
    pub enum FlowConnections {
        /// A new connection for each flow: a new window, a new timer, and a handshake if connections have one.
        OneEach = "one-each",
        /// One connection for all flows of a sender, one after another; `tcp.idle_restart` says what it does after pauses.
        Persistent = "persistent",
    }
}

/// Upper bound of the flows in a run; more are taken for a mistake.
const MOST_FLOWS: u64 = 1_000_000;

longfat_foundation::model! {
    /// Flows of drawn sizes that arrive after drawn times, whether or not earlier ones have finished, as independent users start them. Each
    /// has a connection of its own, and shares its sender's line with the sender's other flows. Completion times are reported by class of
    /// size.
    #[name = "flows"]
    #[source = "RFC 5166 section 2.1.3; Paxson and Floyd 1995: sessions come as a Poisson process"]
    pub struct Flows: dyn Source {
        /// The distribution of flow sizes.
        size: Chosen<dyn SizeDistribution>,
        /// Mean time from one flow of a sender to its next.
        interval: PositiveSpan,
        /// The distribution of the times between flows.
        arrivals: Arrivals = "poisson",
        /// How many flows each sender has.
        count: Count = "unlimited",
        /// Whether flows share a connection.
        connections: FlowConnections = "one-each",
        /// The upper bounds of the size classes, ascending; larger flows form one more class.
        classes: SizeClasses = "['10 kB', '100 kB', '1 MB']",
        /// When a sender begins; "uniform(0 ms, 1 ms)" draws a time for each.
        start: RandomSpan = "0 s",
        /// Each sender begins this much later than the one before.
        stagger: Span = "0 s",
    }
    build(config, context) { Box::new(config.user(context)) }
    objections(config, context) { config.objections(context) }
}

impl Flows {
    fn user(&self, context: &SourceContext) -> User {
        let start = context.start(&self.start, self.stagger);
        let schedule = Schedule {
            size: self.size.build(&()),
            interval: self.interval.0,
            arrivals: self.arrivals,
            count: self.count.0,
            chance: context.chance.clone(),
        };
        User {
            start,
            next: schedule.first(start),
            schedule,
            shares: self.connections == FlowConnections::Persistent,
            classes: Arc::new(self.classes.clone()),
            offered: 0,
            under_way: VecDeque::new(),
            all: Completions::default(),
        }
    }

    fn objections(&self, context: &SourceContext) -> Vec<(&'static str, String)> {
        let of_size = self.size.objections(&()).into_iter().map(|(key, message)| ("size", format!("{key}: {message}")));
        let each = self.count.0.unwrap_or(u64::MAX).min(context.until.0 / self.interval.0.0);
        let flows = each.saturating_mul(context.senders);
        let too_many = (self.connections == FlowConnections::OneEach && flows > MOST_FLOWS).then(|| {
            let message =
                format!("about {flows} flows, each a connection; at most {MOST_FLOWS}: longer, or give a count");
            ("interval", message)
        });
        of_size.chain(too_many).collect()
    }
}

/// The user who starts the flows of one sender.
struct User {
    start: Time,
    schedule: Schedule,
    shares: bool,
    classes: Arc<SizeClasses>,
    /// Next flow to begin.
    next: Option<Flow>,
    /// On a shared connection: bytes handed over, the flows in progress with the byte at which each ends, and the completion times of
    /// finished ones.
    offered: u64,
    under_way: VecDeque<(Flow, u64)>,
    all: Completions,
}

impl Source for User {
    fn start(&self) -> Time {
        self.start
    }

    fn wake(&mut self, now: Time) -> Wake {
        let Some(flow) = self.next else { return Wake { bytes: 0, next: None } };
        if now < flow.begins {
            return Wake { bytes: 0, next: Some(flow.begins) };
        }
        self.offered = self.offered.saturating_add(flow.bytes);
        self.under_way.push_back((flow, self.offered));
        self.next = self.schedule.after(flow);
        Wake { bytes: flow.bytes, next: self.next.map(|next| next.begins) }
    }

    fn connections(&self, until: Time) -> Option<Vec<Box<dyn Source>>> {
        if self.shares {
            return None;
        }
        let flows = std::iter::successors(self.next, |flow| self.schedule.after(*flow));
        // Every sender has at least one connection, because results name it.
        let in_time = flows.enumerate().take_while(|(place, flow)| *place == 0 || flow.begins < until);
        let source = |(_, flow)| -> Box<dyn Source> {
            Box::new(OneFlow {
                flow,
                is_begun: false,
                is_forgotten: false,
                finished: None,
                classes: Arc::clone(&self.classes),
            })
        };
        Some(in_time.map(source).collect())
    }

    fn number_of_connections(&self, until: Time) -> Option<usize> {
        // Every sender has at least one connection, because results name it.
        let in_time = |first: Flow| self.schedule.beginnings(first).skip(1).take_while(|begins| *begins < until);
        (!self.shares).then(|| self.next.map_or(0, |first| 1 + in_time(first).count()))
    }

    fn is_told(&self) -> bool {
        true
    }

    fn note_delivered(&mut self, now: Time, delivered: u64) {
        while let Some(&(flow, _)) = self.under_way.front().filter(|(_, ends)| *ends <= delivered) {
            count(&mut self.all, &self.classes, flow, Some(now));
            self.under_way.pop_front();
        }
    }

    fn memory_bytes(&self) -> usize {
        self.under_way.capacity() * size_of::<(Flow, u64)>()
    }

    fn add_completions(&self, all: &mut Completions) {
        name(all, &self.classes);
        self.all.clone().into_kinds().iter().for_each(|kind| all.add(kind));
        self.under_way.iter().for_each(|(flow, _)| count(all, &self.classes, *flow, None));
    }

    fn forget_completions(&mut self) {
        self.all = Completions::default();
    }
}

/// A flow with a connection of its own.
struct OneFlow {
    flow: Flow,
    is_begun: bool,
    /// True if it finished before the measurement began and is not reported.
    is_forgotten: bool,
    finished: Option<Time>,
    classes: Arc<SizeClasses>,
}

impl Source for OneFlow {
    fn start(&self) -> Time {
        self.flow.begins
    }

    fn wake(&mut self, _now: Time) -> Wake {
        self.is_begun = true;
        Wake { bytes: self.flow.bytes, next: None }
    }

    fn size(&self) -> Option<u64> {
        Some(self.flow.bytes)
    }

    fn is_told(&self) -> bool {
        true
    }

    fn note_delivered(&mut self, now: Time, delivered: u64) {
        if delivered == self.flow.bytes {
            self.finished.get_or_insert(now);
        }
    }

    fn add_completions(&self, all: &mut Completions) {
        // The first flow of a sender registers the classes for all.
        if self.flow.place == 0 {
            name(all, &self.classes);
        }
        if self.is_begun && !self.is_forgotten {
            count(all, &self.classes, self.flow, self.finished);
        }
    }

    fn forget_completions(&mut self) {
        self.is_forgotten = self.finished.is_some();
    }
}

/// Registers all classes, so that results list empty ones too.
fn name(all: &mut Completions, classes: &SizeClasses) {
    classes.names().iter().for_each(|name| _ = all.kind(name));
}

/// Counts a flow; `finished` is its delivery time, if it was delivered.
fn count(all: &mut Completions, classes: &SizeClasses, flow: Flow, finished: Option<Time>) {
    let names = classes.names();
    all.kind(&names[classes.of(flow.bytes).min(names.len() - 1)]).count(flow.begins, finished);
    if names.len() > 1 {
        all.kind(classes::ALL).count(flow.begins, finished);
    }
}
