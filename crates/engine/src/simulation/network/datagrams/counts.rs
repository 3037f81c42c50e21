//! Counts of the datagrams of connections over UDP: those sent, arrived and lost.

use longfat_foundation::measure::RoundTrips;
use longfat_hosts::datagrams::Reception;
use longfat_hosts::end_system::{End, Progress};
use longfat_hosts::transport::SenderStatistics;

use super::super::audit::{Violation, equal};
use super::super::transport::Ends;
use super::super::{Drive, Network};
use super::Pair;
use crate::observer::Observer;

/// Counts of a connection over UDP: datagrams sent, and those that have arrived.
#[derive(Clone)]
pub struct DatagramCounts {
    /// Datagrams sent there, and their bytes of data.
    pub sent: u64,
    pub sent_bytes: u64,
    /// Datagrams sent back.
    pub sent_back: u64,
    /// Datagrams at the far end.
    pub there: Reception,
    /// Those sent back, at the near end, if any are: of answers the delays are round trips.
    pub back: Option<Reception>,
    /// Datagrams that were lost on their way, or their answers on theirs.
    pub lost: u64,
}

impl DatagramCounts {
    /// Counts before the first datagram; `back` is counted only if the far end sends datagrams back (`sends_back`).
    pub fn none(sends_back: bool) -> Self {
        Self {
            sent: 0,
            sent_bytes: 0,
            sent_back: 0,
            there: Reception::default(),
            back: sends_back.then(Reception::default),
            lost: 0,
        }
    }

    /// An account in bytes of datagrams.
    pub fn progress(&self) -> Progress {
        Progress {
            offered: self.sent_bytes,
            sent: SenderStatistics { segments_sent: self.sent, ..SenderStatistics::default() },
            delivered: self.there.bytes,
            received_to: self.there.bytes,
            held: 0,
        }
    }

    /// Restarts peaks and distributions.
    pub fn count_anew(&mut self) {
        self.there.count_anew();
        self.back.iter_mut().for_each(Reception::count_anew);
    }

    /// Bytes that are allocated.
    pub fn memory_bytes(&self) -> usize {
        self.there.memory_bytes() + self.back.as_ref().map_or(0, Reception::memory_bytes)
    }

    /// A datagram leaves an end.
    pub fn note_sent(&mut self, from: End, length: u64) {
        match from {
            End::Near => {
                self.sent += 1;
                self.sent_bytes += length;
            }
            End::Far => self.sent_back += 1,
        }
    }

    /// The datagrams that reach an end.
    pub fn reception(&mut self, at: End) -> &mut Reception {
        match at {
            End::Near => self.back.as_mut().unwrap_or(&mut self.there),
            End::Far => &mut self.there,
        }
    }

    /// The difference to `earlier`.
    pub fn since(&self, earlier: &Self) -> Self {
        let back = self.back.as_ref().zip(earlier.back.as_ref());
        Self {
            sent: self.sent - earlier.sent,
            sent_bytes: self.sent_bytes - earlier.sent_bytes,
            sent_back: self.sent_back - earlier.sent_back,
            there: self.there.since(&earlier.there),
            back: back.map(|(now, earlier)| now.since(earlier)),
            lost: self.lost - earlier.lost,
        }
    }

    /// Datagrams that have done all that they were sent for.
    pub fn arrived(&self) -> u64 {
        self.back.as_ref().map_or(self.there.received, |answers| answers.received)
    }

    /// Round trips of answered datagrams.
    pub fn round_trips(&self) -> RoundTrips {
        self.back.as_ref().map_or_else(RoundTrips::default, |answers| answers.delay)
    }
}

impl<O: Observer, D: Drive> Network<O, D> {
    /// Datagrams of a connection that will not arrive, or not be answered: those sent that have neither arrived nor are under way.
    ///
    /// # Errors
    /// If more have arrived than were sent.
    fn datagrams_lost(&self, connection: usize, counts: &DatagramCounts) -> Result<u64, Violation> {
        let proxied = self.pair(connection).and_then(|pair| pair.proxied.as_ref());
        // Between proxies its packets are within others.
        let legs = self.numbers.in_turn(connection, false).filter(|number| proxied.is_none() || *number != connection);
        let inside = proxied.map_or(0, |proxied| proxied.datagrams_inside().max(0));
        let under_way = inside + legs.map(|number| i64::from(self.ledger.under_way(number))).sum::<i64>();
        let (sent, copies) = (counts.sent + counts.sent_back, |end: &Reception| end.received + end.duplicates);
        let arrived = copies(&counts.there) + counts.back.as_ref().map_or(0, copies);
        let rest = sent.checked_sub(arrived).and_then(|rest| rest.checked_add_signed(-under_way));
        rest.ok_or_else(|| Violation(format!("{sent} datagrams sent, {arrived} arrived and {under_way} under way")))
    }

    fn pair(&self, connection: usize) -> Option<&Pair> {
        Some(&self.flows.stacks.get(connection)?.as_deref()?.ends)
    }

    /// Counts with the datagrams lost by now.
    pub fn with_losses(&self, connection: usize, counts: &DatagramCounts) -> DatagramCounts {
        DatagramCounts { lost: self.datagrams_lost(connection, counts).unwrap_or(0), ..counts.clone() }
    }

    /// Checks that datagrams sent = arrived + lost + under way, in each direction of a connection over UDP.
    ///
    /// # Errors
    /// The first law that does not hold.
    pub fn audit_datagrams(&self, connection: usize) -> Result<(), Violation> {
        let Some(pair) = self.pair(connection) else { return Ok(()) };
        let counts = &pair.counts;
        if let (Some(proxied), Some(split)) = (&pair.proxied, self.scenario.split()) {
            proxied.audit(split.buffer.0)?;
        }
        // Where proxies split, packets of one leg are not those of the next.
        let is_one = pair.proxied.as_ref().is_none_or(|proxied| proxied.most_kept().is_none());
        if is_one {
            self.datagrams_lost(connection, counts)?;
        }
        equal("datagrams measured, and received", counts.there.delay.count, counts.there.received)?;
        if !pair.is_plain {
            let Progress { offered, delivered, held, received_to, .. } = pair.progress();
            let order = [delivered, received_to, offered];
            let is_kept = held <= received_to - delivered.min(received_to);
            if order.is_sorted() && is_kept && (!is_one || counts.there.bytes <= counts.sent_bytes) {
                return Ok(());
            }
            return Err(Violation(format!(
                "delivered, received and offered bytes out of order: {order:?}, {held} held"
            )));
        }
        let order = [counts.arrived(), counts.there.received, counts.sent];
        if order.is_sorted() && counts.there.bytes <= counts.sent_bytes {
            return Ok(());
        }
        Err(Violation(format!("datagrams answered, received and sent out of order: {order:?}")))
    }
}
