//! Where measuring begins after the beginning (`measure.from`): what had been counted by then, and what is left when that is
//! taken away.
//!
//! A run is simulated from its beginning in any case, and its fingerprint is of all of it. Counters run on, so that conservation can be
//! audited; of them the record shows what was added since. Peaks and distributions cannot be taken apart afterwards: they begin anew.

use std::borrow::Cow;
use std::sync::Arc;

use longfat_foundation::measure::FrameRecord;
use longfat_foundation::units::{Span, Time};
use longfat_hosts::end_system::End;
use longfat_hosts::traffic::Exchange;
use longfat_hosts::transport::SenderStatistics;
use longfat_network::capacity::Grants;
use longfat_network::switch::PortCounts;

use super::flows::Outcome;
use super::settlement::Settled;
use super::{Drive, Network};
use crate::observer::Observer;

/// Counts when measuring began.
pub struct Before {
    at: Time,
    flows: Vec<Option<Outcome>>,
    pub requests: Vec<RequestCounts>,
    /// Counters of the ends over stacks that ask, for each connection.
    pub request_senders: Vec<SenderStatistics>,
    pub frames: Vec<FrameRecord>,
    pub ports: Vec<PortCounts>,
    /// For how long each port's line had been sending.
    pub busy_seconds: Vec<f64>,
    pub packets_lost: u64,
    /// Bits of capacity that were granted at the bottleneck, if they had to be.
    pub granted_bits: Option<f64>,
    pub ledgers: Vec<Settled>,
}

/// Requests of one client.
#[derive(Clone, Copy, Debug, Default)]
pub struct RequestCounts {
    pub made: u64,
    pub answered: u64,
    pub files_delivered: u64,
    pub bytes_asked: u64,
}

impl RequestCounts {
    pub fn of(exchange: &Exchange<'_>) -> Self {
        Self {
            made: exchange.made,
            answered: exchange.answered,
            files_delivered: exchange.files_delivered,
            bytes_asked: exchange.bytes_asked,
        }
    }

    pub fn since(self, earlier: Self) -> Self {
        Self {
            made: self.made - earlier.made,
            answered: self.answered - earlier.answered,
            files_delivered: self.files_delivered - earlier.files_delivered,
            bytes_asked: self.bytes_asked - earlier.bytes_asked,
        }
    }
}

impl Outcome {
    /// The difference to `earlier`. Peaks are those of the measured time.
    fn since(&self, earlier: &Self) -> Self {
        let is_endless = self.offered == u64::MAX;
        Self {
            // Of data without end that a stop has ended, what had not been delivered.
            offered: match earlier.offered {
                _ if is_endless => u64::MAX,
                u64::MAX => self.offered - earlier.delivered,
                offered => self.offered - offered,
            },
            sent: self.sent.since(&earlier.sent),
            delivered: self.delivered - earlier.delivered,
            received_to: self.received_to - earlier.received_to,
            datagrams: self
                .datagrams
                .as_ref()
                .zip(earlier.datagrams.as_ref())
                .map(|(now, then)| Box::new(now.since(then))),
            ..self.clone()
        }
    }
}

impl<O: Observer, D: Drive> Network<O, D> {
    /// When measuring is to begin, if it has not.
    pub fn unmeasured_until(&self) -> Option<Time> {
        let from = self.scenario.measure.from.0;
        (from > Span::ZERO && self.before.is_none()).then_some(Time::ZERO + from)
    }

    /// Begins to measure at `now`, before which all is simulated.
    pub fn begin_to_measure(&mut self, now: Time) {
        let graph = Arc::clone(&self.graph);
        let ledgers = self.settled_ledgers(&graph, now);
        let busy_seconds = self.driver.ports().map(|port| self.busy_seconds(port, now)).collect();
        let exchanges = self.sources.iter().map(|source| source.exchange());
        let requests = exchanges.map(|exchange| exchange.as_ref().map(RequestCounts::of).unwrap_or_default()).collect();
        let before = Before {
            at: now,
            flows: (0..self.flows.len()).map(|number| self.outcome_so_far(number).map(Cow::into_owned)).collect(),
            requests,
            request_senders: (0..self.sources.len())
                .map(|connection| self.requests_of_stack(connection).unwrap_or_default())
                .collect(),
            frames: self.policing.as_ref().map_or_else(Vec::new, |policing| policing.frames.clone()),
            ports: self.driver.count_ports_anew(now),
            busy_seconds,
            packets_lost: self.driver.lost().packets,
            granted_bits: self.granted_bits(now),
            ledgers,
        };
        self.before = Some(Box::new(before));
        self.flows.all_mut().for_each(|flow| flow.ends.count_anew());
        self.sources.iter_mut().for_each(|source| source.forget_completions());
        self.barriers.iter_mut().for_each(|barriers| barriers.forget_completions());
        self.count_kept_anew();
        self.links.made_mut().filter_map(|(_, link)| link.line.grants_mut()).for_each(Grants::count_anew);
    }

    /// Counters of the end of a connection over a stack that sends its requests, if both ends send.
    pub fn requests_of_stack(&self, connection: usize) -> Option<SenderStatistics> {
        let flow = self.flows.get(connection).filter(|_| self.flows.passes_proxies(connection));
        flow.map(|flow| flow.ends.progress_of(End::Far).sent)
    }

    /// When measuring began.
    pub fn measured_from(&self) -> Time {
        self.before.as_ref().map_or(Time::ZERO, |before| before.at)
    }

    /// How long has been measured when the run is over.
    pub fn measured(&self) -> Span {
        self.end - self.measured_from()
    }

    /// The outcome of the flow with that number since the beginning, if it has begun.
    fn outcome_so_far(&self, number: usize) -> Option<Cow<'_, Outcome>> {
        let mut outcome = self.flows.outcome(number)?;
        if let Some(counts) = &outcome.datagrams {
            let counts = self.with_losses(self.numbers.connection(number), counts);
            outcome.to_mut().datagrams = Some(Box::new(counts));
        }
        Some(outcome)
    }

    /// The outcome of the flow with that number in the measured time, if it has begun.
    pub fn outcome(&self, number: usize) -> Option<Cow<'_, Outcome>> {
        let outcome = self.outcome_so_far(number)?;
        match self.flow_before(number) {
            Some(before) => Some(Cow::Owned(outcome.since(before))),
            None => Some(outcome),
        }
    }

    /// Bytes of a connection that its application had handed over, and that the other had not, when measuring began.
    pub fn backlog(&self, connection: usize) -> u64 {
        // Datagrams are sent at once.
        if self.flows.passes_proxies(connection) {
            return 0;
        }
        let before = self.flow_before(self.numbers.first(connection, false));
        let offered = before.map_or(0, |flow| flow.offered % u64::MAX);
        let delivered = self.flow_before(self.numbers.last(connection, false)).map_or(0, |flow| flow.delivered);
        offered.saturating_sub(delivered)
    }

    fn flow_before(&self, number: usize) -> Option<&Outcome> {
        self.before.as_ref()?.flows[number].as_ref()
    }
}
