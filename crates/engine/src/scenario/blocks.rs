//! Blocks of connections: groups that begin after another group, and that stop.

use longfat_foundation::config::{did_you_mean, format_span, listed};
use longfat_foundation::units::Time;
use longfat_hosts::traffic::{Block, Source};

use super::Scenario;
use super::objections::Objection;

impl Scenario {
    /// True if any group begins after another.
    #[must_use]
    pub fn has_barriers(&self) -> bool {
        self.connections.iter().any(|group| group.after.is_some())
    }

    /// The index of the group that a group waits for.
    #[must_use]
    pub fn waits_for(&self, group: usize) -> Option<usize> {
        let after = self.connections[group].after.as_ref()?;
        self.connections.iter().position(|other| other.name.as_ref() == Some(after))
    }

    /// The index of the group of each of `senders` senders, as far as they are in one.
    #[must_use]
    pub fn groups_of_senders(&self, senders: usize) -> Vec<usize> {
        let of_group = |(number, group): (usize, &super::Group)| {
            std::iter::repeat_n(number, usize::try_from(group.count.0).unwrap_or(usize::MAX))
        };
        self.connections.iter().enumerate().flat_map(of_group).take(senders).collect()
    }

    /// The application of a sender in its block, if its group begins after another or stops.
    pub(super) fn in_block(&self, sender: usize, source: Box<dyn Source>) -> Box<dyn Source> {
        let Some(group) = self.group(sender) else { return source };
        let stop = group.stop.as_ref().map(|stop| Time::ZERO + stop.0);
        if stop.is_none() && group.after.is_none() { source } else { Box::new(Block::new(source, stop)) }
    }

    /// Errors of names, of what groups wait for, and of when they stop.
    pub(super) fn object_to_blocks(&self, senders: usize) -> Vec<Objection> {
        let mut objections = Vec::new();
        for (number, group) in self.connections.iter().enumerate() {
            let mut object =
                |key: &str, message: String| objections.push((format!("connections[{number}].{key}"), message));
            if group.name.is_some() && self.connections[..number].iter().any(|other| other.name == group.name) {
                object("name", format!("two groups are called {:?}", group.name.as_deref().unwrap_or_default()));
            }
            if let (Some(stop), Some(later)) = (&group.stop, &group.later)
                && stop.0 <= later.0
            {
                let (stop, later) = (format_span(stop.0), format_span(later.0));
                object("stop", format!("stops at {stop}, and begins at {later} at the earliest; a later time"));
            }
            if let Some(message) = self.object_to_after(number, senders) {
                object("after", message);
            }
        }
        objections
    }

    /// The error of what a group waits for.
    fn object_to_after(&self, number: usize, senders: usize) -> Option<String> {
        let after = self.connections[number].after.as_ref()?;
        let Some(gate) = self.waits_for(number) else {
            let names: Vec<_> = self.connections.iter().filter_map(|group| group.name.as_deref()).collect();
            let near = did_you_mean(after, names.iter().copied());
            let known =
                if names.is_empty() { "no group has a name".into() } else { format!("known: {}", listed(names)) };
            return Some(format!("no group is called {after:?}; {known}{near}"));
        };
        let mut next = Some(gate);
        for _ in 0..self.connections.len() {
            if next == Some(number) {
                return Some(format!("waits for {after:?}, which waits for it: neither would ever begin"));
            }
            next = next.and_then(|group| self.waits_for(group));
        }
        let (first, group) =
            (self.groups_of_senders(senders).iter().position(|group| *group == gate)?, &self.connections[gate]);
        let source = self.source(first, senders);
        if source.datagrams().is_some() {
            return Some(format!(
                "waits for {after:?}, whose datagrams have no end that anybody is told of; name a group over TCP"
            ));
        }
        let ends = source.size().is_some() || source.connections(Time::ZERO).is_some() || group.stop.is_some();
        (source.asks() || !ends).then(|| {
            let traffic = group.traffic.as_ref().unwrap_or(&self.traffic).name();
            format!("waits for {after:?}, whose traffic \"{traffic}\" never ends; give that group a stop, or traffic with a size or count")
        })
    }
}
