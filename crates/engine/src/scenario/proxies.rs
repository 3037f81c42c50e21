//! Proxies of a scenario: the connections that they can split, and the settings of the legs.

use std::borrow::Cow;

use longfat_foundation::config::Parameter;
use longfat_hosts::traffic::Datagrams;
use longfat_hosts::transport::{TcpConfig, WindowScale};
use longfat_network::topology::{Graph, Leg};
use longfat_stacks::proxies::SplitTcp;
use longfat_stacks::proxies::udp::{Connection, Relayed};

use super::Scenario;
use super::objections::Objection;

impl Scenario {
    /// Settings of split connections, if there are proxies.
    #[must_use]
    pub fn split(&self) -> Option<SplitTcp> {
        if self.proxies.is_absent() { None } else { self.proxies.build(&()).splits().cloned() }
    }

    /// True if proxies do something to connections over UDP.
    pub(super) fn relays_udp(&self) -> bool {
        self.split().is_some_and(|split| !split.udp.is_absent())
    }

    /// The proxies of a connection over UDP, if it is not left alone; `datagrams` are those of its source.
    #[must_use]
    pub fn relayed(&self, sender: usize, connection: usize, datagrams: Option<Datagrams>) -> Option<Relayed> {
        let split = self.split().filter(|split| !split.udp.is_absent())?;
        let chance = |part: &str| self.chance().stream(&format!("stack/{connection}/{part}"));
        let stack = self.stack_of(sender).filter(|_| datagrams.is_none()).map(|stack| stack.build(&()));
        let largest = datagrams.map_or_else(|| stack.as_ref().map_or(0, |it| it.largest_packet()), |it| it.largest);
        split.udp.build(&()).relayed(&Connection { stack: stack.as_deref(), largest, buffer: split.buffer.0 }, &chance)
    }

    /// The error of a connection that does not pass the proxies.
    pub(super) fn object_to_unsplit(&self, graph: &Graph, number: usize) -> Objection {
        let flow = &graph.flows[number];
        let (from, to) = graph.hosts_of(flow);
        let group = self.number_of_group(flow.sender).map_or(String::new(), |group| format!("connections[{group}], "));
        let bottleneck = graph.bottleneck_number().map(|line| graph.link_name(line)).unwrap_or_default();
        let message = format!(
            "proxies stand at the switches at both ends of the bottleneck \"{bottleneck}\", and data or acknowledgments of {group}from \"{}\" to \
             \"{}\", do not cross it; name another topology.bottleneck, or leave out the proxies",
            graph.nodes[from].name, graph.nodes[to].name
        );
        ("proxies".into(), message)
    }

    /// Settings of the end systems of one leg of a sender's connections, which ends at a proxy or at a host.
    #[must_use]
    pub fn tcp_of_leg(&self, sender: usize, leg: Leg, ends_at_proxy: bool) -> Cow<'_, TcpConfig> {
        let tcp = self.tcp_of(sender);
        let Some(split) = self.split() else { return tcp };
        match leg {
            Leg::Bottleneck => Cow::Owned(split.over_bottleneck(&tcp)),
            Leg::Near | Leg::Far if ends_at_proxy => Cow::Owned(split.ending_here(tcp.into_owned())),
            Leg::Near | Leg::Far => tcp,
        }
    }

    /// Settings that exclude proxies, and buffers that no segment would ever pass.
    pub(super) fn object_to_proxies(&self, graph: &Graph) -> Vec<Objection> {
        let Some(split) = self.split() else { return Vec::new() };
        if self.contract(graph).is_some() {
            let message = format!(
                "service \"{}\" promises rates to connections of hosts, and proxies split these; leave out one of them",
                self.port.service.name()
            );
            return vec![("proxies".into(), message)];
        }
        let mut objections = self.object_to_senders_beyond_windows(&split);
        objections.extend(self.object_to_windows_of_proxies(&split));
        objections.extend(self.object_to_udp_proxies(&split, graph.senders()));
        objections
    }

    /// Errors of the proxies for UDP: their own, connections that they cannot have, and packets that do not fit the framing.
    fn object_to_udp_proxies(&self, split: &SplitTcp, senders: usize) -> Vec<Objection> {
        let own: Vec<_> =
            split.udp.objections(&()).into_iter().map(|(key, it)| (format!("proxies.udp.{key}"), it)).collect();
        if split.udp.is_absent() || !own.is_empty() || !self.framing.objections(&()).is_empty() {
            return own;
        }
        let (udp, name) = (split.udp.build(&()), self.framing.name());
        let most = self.framing.build(&()).largest_datagram().unwrap_or(u64::MAX);
        let too_large = (udp.largest_packet() > most).then(|| {
            format!("a packet of {} B does not fit one of framing \"{name}\"; at most {most} B", udp.largest_packet())
        });
        let of_sender = |sender: usize| {
            let mut source = self.source(sender, senders);
            let datagrams = source.datagrams();
            let stack = self.stack_of(sender).filter(|_| datagrams.is_none()).map(|stack| stack.build(&()));
            if stack.is_some() && source.messages().is_some() && !udp.carries_streams() {
                let (udp, source) = (split.udp.name(), self.traffic_of(sender).name());
                return Some(format!(
                    "\"{udp}\" forwards one stream in each direction, and traffic \"{source}\" has one for each file; udp = \"pass\" or \
                     \"connect-udp\", or other traffic"
                ));
            }
            let largest =
                datagrams.map_or_else(|| stack.as_ref().map(|it| it.largest_packet()), |it| Some(it.largest))?;
            udp.objection(&Connection { stack: stack.as_deref(), largest, buffer: split.buffer.0 })
        };
        let unfit = self.first_senders(senders).find_map(of_sender);
        too_large.or(unfit).map(|message| ("proxies.udp".into(), message)).into_iter().collect()
    }

    /// A proxy has no room for data beyond the window that it advertises.
    fn object_to_senders_beyond_windows(&self, split: &SplitTcp) -> Vec<Objection> {
        let exceeds = |tcp: &TcpConfig| tcp.flavor.build(&()).recovery().build(&()).may_exceed_receiver_window();
        let any = self.kinds_of_connections().any(|tcp| exceeds(&tcp) || exceeds(&split.over_bottleneck(&tcp)));
        let message = "a recovery with respects_receiver_window = false sends more than a proxy has room for; set it to true, or leave out \
                       the proxies";
        any.then(|| ("proxies".into(), message.to_owned())).into_iter().collect()
    }

    fn object_to_windows_of_proxies(&self, split: &SplitTcp) -> Vec<Objection> {
        let (mss, most) = (self.tcp.mss.0, WindowScale::MOST.largest_window());
        let mut objections = Vec::new();
        if let Some(window) = split.tcp.receiver_window.filter(|window| window.0 > most) {
            let message = format!("{} B is beyond window scaling; at most {most} B (RFC 7323 section 2.2)", window.0);
            objections.push(("proxies.tcp.receiver_window".into(), message));
        }
        let windows = [("proxies.buffer", split.buffer.0)]
            .into_iter()
            .chain(split.tcp.receiver_window.map(|window| ("proxies.tcp.receiver_window", window.0)));
        for (path, bytes) in windows {
            let advertised = WindowScale::Automatic.settled(bytes).advertised(bytes);
            if advertised < mss {
                let message = format!("{bytes} B cannot hold one segment of {mss} B; nothing would ever be sent");
                objections.push((path.into(), message));
            }
        }
        if let Some(initial) = split.tcp.initial_window.filter(|initial| initial.bytes(mss) < mss) {
            let message = format!(
                "{} B is smaller than one segment; nothing would ever be sent; at least {mss} B, or \"1 MSS\"",
                initial.bytes(mss)
            );
            objections.push(("proxies.tcp.initial_window".into(), message));
        }
        objections
    }
}
