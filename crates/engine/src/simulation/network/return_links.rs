//! Record of the return links that terminals share.

use longfat_foundation::measure::{GrantedRecord, Histogram, ReturnLinkRecord, TerminalRecord};
use longfat_foundation::units::Time;
use longfat_network::capacity::{Award, ReturnLinkConfig};
use longfat_network::topology::Graph;

use super::{AnyPort, Drive, Network};
use crate::observer::Observer;
use crate::scenario::LineSettings;

#[expect(clippy::cast_precision_loss, reason = "reports need no more than 53 bits")]
impl<O: Observer, D: Drive> Network<O, D> {
    pub(super) fn return_link_records(&self, graph: &Graph) -> Vec<ReturnLinkRecord> {
        if self.scenario.return_links.is_empty() {
            return Vec::new();
        }
        let settings = self.scenario.lines_with_settings(graph);
        self.scenario.return_links.iter().map(|link| self.return_link_record(graph, link, &settings)).collect()
    }

    fn return_link_record(
        &self,
        graph: &Graph,
        link: &ReturnLinkConfig,
        settings: &[LineSettings],
    ) -> ReturnLinkRecord {
        let is_terminal = |line: usize| {
            let settings = settings.iter().find(|settings| settings.number == line);
            settings.and_then(|settings| settings.terminal(graph)).is_some_and(|terminal| terminal.link == link.name)
        };
        let ports = self.driver.ports().enumerate().filter(|(_, port)| is_terminal(port.state().line));
        let (mut waits, mut log_ons, mut terminals) = (Histogram::default(), Histogram::default(), Vec::new());
        for (number, port) in ports {
            terminals.extend(self.terminal_record(graph, number, port, &mut waits, &mut log_ons));
        }
        let granted = terminals.iter().fold(GrantedRecord::default(), |sum, terminal| sum.and(terminal.granted));
        ReturnLinkRecord {
            name: link.name.clone(),
            capacity_bps: link.units() as f64 * link.unit_bps() as f64,
            granted,
            used_bps: terminals.iter().fold(0.0, |sum, terminal| sum + terminal.used_bps),
            requests: terminals.iter().map(|terminal| terminal.requests).sum(),
            requests_lost: terminals.iter().map(|terminal| terminal.requests_lost).sum(),
            waits,
            log_ons: link.log_on.then_some(log_ons),
            terminals,
        }
    }

    fn terminal_record(
        &self,
        graph: &Graph,
        number: usize,
        port: &AnyPort,
        waits: &mut Histogram,
        log_ons: &mut Histogram,
    ) -> Option<TerminalRecord> {
        let line = port.state().line;
        let counts = self.links[line].line.grants()?.counts()?;
        waits.merge(&counts.waits);
        counts.logged_on.iter().for_each(|time| log_ons.record(*time - Time::ZERO));
        let mean = |sum: u64| sum as f64 / counts.frames.max(1) as f64;
        let Award { constant_bps, rate_bps, volume_bps, free_bps } = counts.granted;
        Some(TerminalRecord {
            name: graph.link_name(line),
            granted: GrantedRecord {
                constant_bps: mean(constant_bps),
                rate_bps: mean(rate_bps),
                volume_bps: mean(volume_bps),
                free_bps: mean(free_bps),
            },
            volume_requested_bps: counts.volume_asked as f64 / self.seconds(),
            used_bps: self.busy_share(number, port) * graph.links[line].rate.0 as f64,
            requests: counts.requests,
            requests_lost: counts.lost,
            wait_mean_s: counts.waits.mean_seconds(),
            wait_p95_s: counts.waits.quantile_seconds(0.95),
            log_on_s: counts.logged_on.map(Time::as_seconds),
        })
    }
}
