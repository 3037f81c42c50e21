//! Conservation: nothing appears, vanishes or is delivered twice.

use longfat_hosts::end_system::End;

use super::{AnyPort, Drive, Network};
use crate::observer::Observer;

/// A conservation law that does not hold: a mistake of the engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation(pub(super) String);

impl std::fmt::Display for Violation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "conservation violated: {}", self.0)
    }
}

impl std::error::Error for Violation {}

pub fn equal(what: &str, left: u64, right: u64) -> Result<(), Violation> {
    if left == right { Ok(()) } else { Err(Violation(format!("{what}: {left} is not {right}"))) }
}

impl<O: Observer, D: Drive> Network<O, D> {
    /// Whether cells in = cells out + dropped + held, everywhere, and every byte was delivered once and in order.
    ///
    /// # Errors
    /// The first law that does not hold.
    pub fn audit(&self) -> Result<(), Violation> {
        for port in self.driver.ports() {
            let statistics = port.state().statistics();
            let accounted = statistics.cells_out + statistics.cells_dropped + port.cells_held();
            equal("cells into a port, and out, dropped or held", statistics.cells_in, accounted)?;
            if let Some(vbr) = port.state().vbr() {
                let accounted = vbr.statistics().cells_out + vbr.cells_held();
                equal("VBR cells into a port, and out or held", vbr.statistics().cells_in, accounted)?;
            }
        }
        let on_lines: u64 = self.links.made().map(|(_, link)| link.line.cells_under_way()).sum();
        let in_ports: u64 = self.driver.ports().map(AnyPort::cells_held).sum();
        let dropped: u64 = self.driver.ports().map(|port| port.state().statistics().cells_dropped).sum();
        let under_way = on_lines + in_ports + self.driver.cells_under_way();
        if D::FOLLOWS_ALL_CELLS {
            equal("cells under way, counted by packet and by place", self.packets.cells_under_way(), under_way)?;
        }
        equal(
            "cells sent, and delivered, dropped, lost or under way",
            self.cells_sent,
            self.cells_delivered + dropped + self.driver.lost().cells + under_way,
        )?;
        self.flows.all().try_for_each(|flow| flow.ends.audit())?;
        self.proxies.iter().try_for_each(|proxies| proxies.audit(&self.flows, self.numbers))?;
        (0..self.sources.len()).try_for_each(|connection| {
            self.audit_datagrams(connection)?;
            self.audit_exchange(connection)
        })
    }

    /// Checks requests and answers of a connection: whole requests that have arrived = requests answered; files delivered <= requests
    /// answered <= requests made; bytes handed over at each end = bytes of these requests and files.
    fn audit_exchange(&self, connection: usize) -> Result<(), Violation> {
        let Some(exchange) = self.sources[connection].exchange() else { return Ok(()) };
        // The source of a connection of programs outside makes no requests.
        if !self.flows.has_begun(connection) || self.is_outside(connection) {
            return Ok(());
        }
        let of = |number: usize, end: End| self.flows[number].ends.progress_of(end);
        let (asked, heard) = match self.flows.passes_proxies(connection) {
            true => (of(connection, End::Far), of(connection, End::Near)),
            false => {
                let [asking, hearing] = [self.numbers.first(connection, true), self.numbers.last(connection, true)];
                (of(asking, End::Near), of(hearing, End::Far))
            }
        };
        let answered = of(self.numbers.first(connection, false), End::Near).offered;
        equal("bytes of requests made, and handed over", exchange.made * exchange.request_bytes, asked.offered)?;
        equal("bytes of answers, and those handed over", exchange.bytes_answered, answered)?;
        let whole = heard.delivered / exchange.request_bytes;
        // On streams of their own, bytes of several requests may be parts of each.
        if exchange.is_in_order {
            equal("requests that have arrived, and those answered", whole, exchange.answered)?;
        } else if whole < exchange.answered {
            return Err(Violation(format!("{whole} requests have arrived, and {} are answered", exchange.answered)));
        }
        let order = [exchange.files_delivered, exchange.answered, exchange.made];
        if order.is_sorted() && exchange.bytes_answered <= exchange.bytes_asked {
            return Ok(());
        }
        Err(Violation(format!("more was answered than was asked for: {exchange:?}")))
    }
}
