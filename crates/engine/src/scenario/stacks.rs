//! Stacks of a scenario: which connections have one of their own, and what it can do.

use longfat_foundation::config::Parameter;
use longfat_foundation::registry::Chosen;
use longfat_hosts::end_system::EndSystem;
use longfat_network::topology::{Flow, Graph};
use longfat_stacks::{Outside, Stack};

use super::Scenario;
use super::objections::Objection;

impl Scenario {
    /// The stack of a sender's connections besides the TCP of the engine.
    #[must_use]
    pub fn stack_of(&self, sender: usize) -> Option<&Chosen<dyn Stack>> {
        let own = self.group(sender).and_then(|group| group.stack.as_ref());
        Some(own.unwrap_or(&self.stack)).filter(|stack| !stack.is_absent())
    }

    /// True if any connection of the `senders` senders has such a stack.
    #[must_use]
    pub fn has_stacks(&self, senders: usize) -> bool {
        self.first_senders(senders).any(|sender| self.stack_of(sender).is_some())
    }

    /// True if the connections of a sender use the TCP of the engine: they have no other stack, and no datagrams.
    #[must_use]
    pub fn uses_tcp(&self, sender: usize, senders: usize) -> bool {
        self.stack_of(sender).is_none() && !self.sends_datagrams(sender, senders)
    }

    /// The ends of a connection of a sender, if it has such a stack.
    #[must_use]
    pub fn ends_of_stack(&self, sender: usize, connection: usize) -> Option<[Box<dyn EndSystem>; 2]> {
        let stack = self.stack_of(sender)?.build(&());
        stack.ends(self.chance().stream(&format!("stack/{connection}")))
    }

    /// True if any group, or the connections in none, have programs outside as their ends.
    #[must_use]
    pub fn names_programs(&self) -> bool {
        let own = self.connections.iter().filter_map(|group| group.stack.as_ref());
        own.chain([&self.stack]).any(|stack| stack.build(&()).outside().is_some())
    }

    /// Connections whose packets come from programs outside, in order, with their settings. Sources of datagrams use UDP whatever the stack is.
    #[must_use]
    pub fn outside(&self, graph: &Graph) -> Vec<(usize, Outside)> {
        let senders = graph.senders();
        let of_flow = |(connection, flow): (usize, &Flow)| {
            if self.sends_datagrams(flow.sender, senders) {
                return None;
            }
            let stack = self.stack_of(flow.sender)?.build(&());
            stack.outside().map(|outside| (connection, outside.clone()))
        };
        graph.flows.iter().enumerate().filter_map(of_flow).collect()
    }

    /// Bytes that connections with such a stack take when they begin, all together.
    #[must_use]
    pub fn stack_bytes(&self, graph: &Graph) -> u64 {
        let mut connections = vec![0_u64; graph.senders()];
        graph.flows.iter().for_each(|flow| connections[flow.sender] += 1);
        let firsts: Vec<_> = self.first_senders(graph.senders()).collect();
        let ends = firsts.iter().skip(1).copied().chain([graph.senders()]);
        let of_group = |(&first, end): (&usize, usize)| {
            let each = self.stack_of(first)?.build(&()).connection_bytes();
            let proxies = self.split().map_or(0, |split| split.udp.build(&()).connection_bytes());
            Some(each.saturating_add(proxies).saturating_mul(connections[first..end].iter().sum()))
        };
        firsts.iter().zip(ends).filter_map(of_group).fold(0, u64::saturating_add)
    }

    fn path_of_stack(&self, sender: usize) -> String {
        let own = self.number_of_group(sender).filter(|&number| self.connections[number].stack.is_some());
        own.map_or("stack".into(), |number| format!("connections[{number}].stack"))
    }

    /// Settings of the engine's TCP that the group of a sender has.
    fn settings_of_tcp(&self, sender: usize) -> impl Iterator<Item = String> {
        let own = self.number_of_group(sender).map(|number| (number, &self.connections[number]));
        own.into_iter().flat_map(|(number, group)| {
            let keys = [("flavor", group.flavor.is_some()), ("tcp", group.tcp.is_some()), ("ecn", group.ecn.is_some())];
            let set = keys.into_iter().filter(|(_, is_set)| *is_set);
            set.map(move |(key, _)| format!("connections[{number}].{key}"))
        })
    }

    /// Errors of stacks: settings beside them, their settings, and the size of their packets.
    pub(super) fn object_to_stacks(&self, senders: usize) -> Vec<Objection> {
        let mut objections: Vec<Objection> = Vec::new();
        let mut add = |objection: Objection| {
            if !objections.contains(&objection) {
                objections.push(objection);
            }
        };
        for sender in self.first_senders(senders) {
            let Some(stack) = self.stack_of(sender) else { continue };
            let (path, name) = (self.path_of_stack(sender), stack.name());
            self.settings_of_tcp(sender).for_each(|key| {
                let known = if key.ends_with("flavor") && stack.build(&()).flavor().is_some() {
                    format!("stack = {{ kind = \"{name}\", flavor = ... }}")
                } else {
                    format!("leave it out, or write what stack \"{name}\" has (`longfat models stack`) into its table")
                };
                add((key, format!("a setting of the engine's TCP, which stack \"{name}\" does not read; {known}")));
            });
            let own = stack.objections(&());
            let is_sound = own.is_empty();
            own.into_iter().for_each(|(key, message)| add((format!("{path}.{key}"), message)));
            let has_framing = self.framing.objections(&()).is_empty();
            let most = if has_framing { self.framing.build(&()).largest_datagram() } else { None };
            let largest = stack.build(&()).largest_packet();
            if let Some(most) = most.filter(|most| is_sound && largest > *most) {
                let framing = self.framing.name();
                add((
                    path,
                    format!("a packet of {largest} B does not fit one of framing \"{framing}\"; at most {most} B"),
                ));
            }
        }
        objections
    }
}
