//! Groups of connections with settings of their own.

use std::borrow::Cow;
use std::cmp::Reverse;

use longfat_foundation::config::{AtLeastOne, PositiveSpan};
use longfat_foundation::registry::Chosen;
use longfat_foundation::units::Span;
use longfat_hosts::traffic::Source;
use longfat_hosts::transport::flavor::Flavor;
use longfat_hosts::transport::{CongestionNotification, GroupTcp, TcpConfig};
use longfat_network::framing::Framing;
use longfat_network::path::Path;
use longfat_network::topology::{Graph, Journey, Leg};
use longfat_stacks::Stack;

use super::Scenario;

/// Most groups of connections.
const MOST_GROUPS: usize = 10_000;

longfat_foundation::section! {
    /// A group of connections, and the settings that differ.
    pub struct Group {
        /// Number of connections in the group; they follow those of the groups before.
        pub count: AtLeastOne = "1",
        /// The sending host, in a topology whose hosts have names.
        pub from: Option<String> = "as-others",
        /// The receiving host.
        pub to: Option<String> = "as-others",
        /// The switches on the path of their data, in order; by default the shortest path by delay.
        pub route: Option<Vec<String>> = "as-others",
        /// The switches on the path of their acknowledgments, in order; by default those of the data.
        pub route_back: Option<Vec<String>> = "as-others",
        /// Congestion control of these connections, with its own threshold rule.
        pub flavor: Option<Chosen<dyn Flavor>> = "as-others",
        /// End systems of these connections: any setting of `[tcp]`, also another preset. What is not written here is as in `[tcp]`;
        /// `flavor` and `ecn` may also be written beside this table.
        pub tcp: Option<GroupTcp> = "as-others",
        /// Stack of these connections.
        pub stack: Option<Chosen<dyn Stack>> = "as-others",
        /// ECN mechanism that the ends agree on.
        pub ecn: Option<CongestionNotification> = "as-others",
        /// One-way propagation delay of the line between each sender and the network, in both directions: gives the group another
        /// round-trip time.
        pub access_delay: Option<PositiveSpan> = "as-others",
        /// Rate and losses over time of these connections' packets on the bottleneck, as of a satellite terminal with a code of its own among
        /// several that share the carrier. Delay, jitter and interruptions remain those of the line.
        pub path: Option<Chosen<dyn Path>> = "as-others",
        /// Traffic of these connections.
        pub traffic: Option<Chosen<dyn Source>> = "as-others",
        /// Start offset of these connections, added to the start times of their traffic.
        pub later: Option<PositiveSpan> = "as-others",
        /// When their applications stop: from then on they hand over nothing. What they have handed over is still sent; data without end
        /// ends with what was sent.
        pub stop: Option<PositiveSpan> = "as-others",
        /// A name by which other groups call this one.
        pub name: Option<String> = "as-others",
        /// The group after which these connections begin: the times of their traffic count from when all of that group's data has been
        /// delivered. That it has is known to all at once.
        pub after: Option<String> = "as-others",
    }
}

/// A full segment: its data, and the TCP options of its header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FullSegment {
    /// Bytes of data.
    pub mss: u64,
    /// Bytes of options.
    pub options: u64,
}

impl FullSegment {
    /// A full segment of these end systems.
    #[must_use]
    pub fn of(tcp: &TcpConfig) -> Self {
        Self { mss: tcp.mss.0, options: tcp.option_bytes() }
    }

    /// Bits that it takes on a line.
    #[must_use]
    pub fn bits(self, framing: &dyn Framing) -> u64 {
        framing.bits(self.mss, self.options)
    }

    /// Cells that carry it.
    #[must_use]
    pub fn cells(self, framing: &dyn Framing) -> u64 {
        framing.cells(self.mss, self.options)
    }
}

impl Group {
    /// Settings of the group's end systems, given the common settings `others`.
    fn tcp(&self, others: &TcpConfig) -> TcpConfig {
        let mut tcp = self.tcp.as_ref().map_or(others, |own| &own.0).clone();
        if let Some(flavor) = &self.flavor {
            tcp.flavor = flavor.clone();
            tcp.ssthresh_rule = flavor.build(&()).recovery().build(&()).threshold_rule();
        }
        tcp.ecn = self.ecn.unwrap_or(tcp.ecn);
        tcp
    }
}

impl Scenario {
    /// Group of a sender's connections; `None` if they have the common settings.
    #[must_use]
    pub fn group(&self, sender: usize) -> Option<&Group> {
        let mut before = 0;
        self.connections.iter().find(|group| {
            before += group.count.0;
            (sender as u64) < before
        })
    }

    /// Index of that group, from 0.
    pub(super) fn number_of_group(&self, sender: usize) -> Option<usize> {
        let group = self.group(sender)?;
        self.connections.iter().position(|other| std::ptr::eq(other, group))
    }

    /// The first sender of each group, and the first without a group, as far as they exist.
    pub fn first_senders(&self, senders: usize) -> impl Iterator<Item = usize> {
        let ends = self.connections.iter().scan(0, |before, group| {
            *before = group.count.0.saturating_add(*before);
            usize::try_from(*before).ok()
        });
        std::iter::once(0).chain(ends).filter(move |&sender| sender < senders)
    }

    /// Senders, among `senders`, whose window laws are external controls.
    pub fn controlled_senders(&self, senders: usize) -> impl Iterator<Item = usize> {
        let is_controlled = |tcp: &TcpConfig| tcp.flavor.build(&()).control().is_some();
        let controls = move |sender: &usize| {
            is_controlled(&self.tcp_of(*sender)) || is_controlled(&self.tcp_of_leg(*sender, Leg::Bottleneck, true))
        };
        let any = self.first_senders(senders).any(|first| controls(&first));
        (0..if any { senders } else { 0 }).filter(controls)
    }

    /// True if a receiving end of any of the `senders` senders has a timer: it may delay acknowledgments, or has a stack of its own.
    #[must_use]
    pub fn delays_acknowledgments(&self, senders: usize) -> bool {
        let is_late = |tcp: &TcpConfig| !tcp.acknowledgments.build(tcp).is_at_once();
        let over_bottleneck = |sender| self.tcp_of_leg(sender, Leg::Bottleneck, true);
        let of_sender = |sender| is_late(&self.tcp_of(sender)) || is_late(&over_bottleneck(sender));
        self.has_stacks(senders) || self.relays_udp() || self.first_senders(senders).any(of_sender)
    }

    /// Settings of the end systems of a sender's connections.
    #[must_use]
    pub fn tcp_of(&self, sender: usize) -> Cow<'_, TcpConfig> {
        self.group(sender).map_or(Cow::Borrowed(&self.tcp), |group| Cow::Owned(group.tcp(&self.tcp)))
    }

    /// End systems of one connection over TCP of each group, and of one in no group, if there are any.
    pub fn kinds_of_connections(&self) -> impl Iterator<Item = Cow<'_, TcpConfig>> {
        let senders = self.checked_topology_graph().senders();
        let over_tcp = self.first_senders(senders).filter(move |&sender| self.uses_tcp(sender, senders));
        over_tcp.map(|sender| self.tcp_of(sender))
    }

    /// Time in seconds until a window of `segments` segments has grown back after a loss, over a round trip of `round_trip_s` seconds: the
    /// longest of all connections; 0 if no window is a sawtooth of losses.
    #[must_use]
    pub fn regrowth_s(&self, segments: f64, round_trip_s: f64) -> f64 {
        let of_kind = |tcp: Cow<'_, TcpConfig>| {
            let after_loss = tcp.flavor.build(&()).after_loss(segments, round_trip_s);
            after_loss.regrowth.seconds(tcp.acknowledgments.build(&tcp).segments())
        };
        self.kinds_of_connections().filter_map(of_kind).fold(0.0, f64::max)
    }

    /// Tables of end systems with their paths: the common one, and the groups' own.
    pub(super) fn tables_of_end_systems(&self) -> impl Iterator<Item = (String, &TcpConfig)> {
        let own =
            self.connections.iter().enumerate().filter_map(|(number, group)| {
                group.tcp.as_ref().map(|own| (format!("connections[{number}].tcp"), &own.0))
            });
        std::iter::once(("tcp".to_owned(), &self.tcp)).chain(own)
    }

    /// Completes the settings of end systems that follow from others.
    pub(super) fn settle_end_systems(&mut self) {
        let own = self.connections.iter_mut().filter_map(|group| group.tcp.as_mut()).map(|own| &mut own.0);
        for tcp in std::iter::once(&mut self.tcp).chain(own) {
            tcp.window_scale = tcp.window_scale();
            tcp.ssthresh_rule = tcp.ssthresh_rule();
        }
    }

    /// The largest full segment of any of `senders` connections: one of a group, or of those in no group.
    #[must_use]
    pub fn largest_segment(&self, senders: usize) -> FullSegment {
        let of_sender = |sender| FullSegment::of(&self.tcp_of(sender));
        let largest =
            self.first_senders(senders).map(of_sender).max_by_key(|segment| (segment.mss, Reverse(segment.options)));
        largest.unwrap_or_else(|| FullSegment::of(&self.tcp))
    }

    /// Start offset of a sender.
    #[must_use]
    pub fn later(&self, sender: usize) -> Span {
        self.group(sender).and_then(|group| group.later.as_ref()).map_or(Span::ZERO, |later| later.0)
    }

    /// Ends and routes of the groups.
    pub(super) fn journeys(&self) -> Vec<Journey> {
        let journey = |group: &Group| Journey {
            count: group.count.0,
            from: group.from.clone(),
            to: group.to.clone(),
            route: group.route.clone(),
            route_back: group.route_back.clone(),
            access_delay: group.access_delay.as_ref().map(|delay| delay.0),
        };
        self.connections.iter().map(journey).collect()
    }

    /// Settings of the end systems in no group and in each, with the path of the table that most of them are in.
    pub(super) fn end_systems_with_paths(&self) -> impl Iterator<Item = (String, TcpConfig)> {
        let of_group = |(number, group): (usize, &Group)| {
            let path = if group.tcp.is_some() { format!("connections[{number}].tcp") } else { "tcp".into() };
            (path, group.tcp(&self.tcp))
        };
        std::iter::once(("tcp".into(), self.tcp.clone())).chain(self.connections.iter().enumerate().map(of_group))
    }

    /// Distinct end-system settings: the common ones, and those of each group.
    pub(super) fn kinds_of_end_systems(&self) -> Vec<TcpConfig> {
        let mut kinds: Vec<_> = self.end_systems_with_paths().map(|(_, tcp)| tcp).collect();
        if let Some(split) = self.split() {
            let over_bottleneck: Vec<_> = kinds.iter().map(|tcp| split.over_bottleneck(tcp)).collect();
            kinds.extend(over_bottleneck);
        }
        kinds
    }

    /// The flavors of these, and of stacks and of proxies for UDP that have one.
    pub(super) fn kinds_of_flavors(&self) -> Vec<Box<dyn Flavor>> {
        let of_tcp = self.kinds_of_end_systems().into_iter().map(|tcp| tcp.flavor.build(&()));
        let stacks = self.connections.iter().filter_map(|group| group.stack.as_ref()).chain([&self.stack]);
        let of_proxies = self.split().and_then(|split| split.udp.build(&()).flavor());
        of_tcp.chain(stacks.filter_map(|stack| stack.build(&()).flavor())).chain(of_proxies).collect()
    }

    /// The settings of a connection are found by going through the groups.
    pub(super) fn object_to_number_of_groups(&self) -> Option<(String, String)> {
        let groups = self.connections.len();
        let message =
            || format!("{groups} groups; at most {MOST_GROUPS}: connections that differ in nothing can be one");
        (groups > MOST_GROUPS).then(|| ("connections".into(), message()))
    }

    /// The groups must not have more connections than the topology.
    pub(super) fn object_to_groups(&self, graph: &Graph) -> Option<(String, String)> {
        let (has, grouped) = (graph.senders() as u64, self.connections.iter().map(|group| group.count.0));
        let grouped = grouped.fold(0, u64::saturating_add);
        (grouped > has).then(|| {
            let message = format!("the groups have {grouped} connections, but the topology has {has}");
            ("connections".into(), message)
        })
    }
}
