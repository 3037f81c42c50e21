//! The grammar of graphs: names of nodes, links that join them, and connections over them.
//!
//! It is for any model with lists of names and a list of tables that have two ends, and for any table with two ends.

use longfat_engine::config::{Field, Shape};
use longfat_engine::serde_json::{Map, Value as Json};

use super::dice::Dice;

/// Keys of the two ends, of links and of connections.
const ENDS: [&str; 2] = ["from", "to"];

/// Nodes and the links between them.
#[derive(Default)]
pub struct Network {
    hosts: Vec<String>,
    switches: Vec<String>,
    links: Vec<[String; 2]>,
}

/// True for a table with two ends.
fn has_ends(fields: &[Field]) -> bool {
    ENDS.iter().all(|end| fields.iter().any(|field| field.name == *end))
}

/// The list of links among the fields of a graph, with the fields of a link.
pub fn links_of(fields: &[Field]) -> Option<(&'static str, Vec<Field>)> {
    fields.iter().find_map(|field| match field.shape() {
        Shape::List(item) => match *item {
            Shape::Section(of_link) if has_ends(&of_link) => Some((field.name, of_link)),
            _ => None,
        },
        _ => None,
    })
}

impl Network {
    /// A tree of switches with some more links, and hosts at them.
    pub fn drawn(dice: &mut Dice) -> Self {
        let names = |prefix: &str, number: usize| (1..=number).map(|n| format!("{prefix}{n}")).collect::<Vec<_>>();
        let (hosts, switches) = (names("h", 2 + dice.below(4)), names("s", 2 + dice.below(3)));
        let mut links = Vec::new();
        for number in 1..switches.len() {
            links.push([switches[dice.below(number)].clone(), switches[number].clone()]);
        }
        links.extend(hosts.iter().map(|host| [host.clone(), dice.one(&switches).clone()]));
        let mut network = Self { hosts, switches, links };
        if dice.happens(0.4) {
            let more = [dice.one(&network.switches).clone(), dice.one(&network.switches).clone()];
            if more[0] != more[1] && !network.joins(&more[0], &more[1]) {
                network.links.push(more);
            }
        }
        network
    }

    fn joins(&self, one: &str, other: &str) -> bool {
        self.links.iter().any(|[from, to]| (from == one && to == other) || (from == other && to == one))
    }

    /// The name of any node, if there are any.
    pub fn any_name(&self, dice: &mut Dice) -> Option<String> {
        let all: Vec<_> = self.hosts.iter().chain(&self.switches).collect();
        (!all.is_empty()).then(|| (*dice.one(&all)).clone())
    }

    /// True if a list of tables with these fields says which hosts of the graph communicate.
    pub fn must_connect(&self, fields: &[Field]) -> bool {
        !self.hosts.is_empty() && has_ends(fields)
    }

    /// Number of links.
    pub fn links(&self) -> usize {
        self.links.len()
    }

    /// Writes names and links into the table of a graph, whose links have been drawn but for their ends.
    pub fn lay_out(&self, dice: &mut Dice, fields: &[Field], table: &mut Json, mut links: Vec<Json>) {
        let Some((key, of_link)) = links_of(fields) else { return };
        let lists = fields.iter().filter(|field| is_names(&field.shape()));
        for (field, names) in lists.zip([&self.hosts, &self.switches]) {
            table[field.name] = names.as_slice().into();
        }
        for (number, (link, ends)) in links.iter_mut().zip(&self.links).enumerate() {
            let is_between_switches = ends.iter().all(|end| self.switches.contains(end));
            for (key, end) in ENDS.into_iter().zip(ends) {
                link[key] = end.as_str().into();
            }
            for field in &of_link {
                let Shape::Choice(words) = field.shape() else { continue };
                if is_between_switches && (number == 0 || dice.happens(0.8)) {
                    link[field.name] = dice.one(&words[1..]).name.into();
                } else if let Some(link) = link.as_object_mut() {
                    link.remove(field.name);
                }
            }
        }
        table[key] = links.into();
    }

    /// Gives a table with two ends two hosts, and at times the switches between them; without a graph none.
    pub fn connect(&self, dice: &mut Dice, fields: &[Field], table: &mut Map<String, Json>) {
        let may_name: Vec<_> = fields.iter().filter(|field| field.default.is_some()).collect();
        if !has_ends(fields) || !ENDS.iter().all(|end| may_name.iter().any(|field| field.name == *end)) {
            return;
        }
        let routes: Vec<_> = may_name.iter().filter(|field| is_names(&field.shape())).map(|field| field.name).collect();
        for key in ENDS.iter().chain(&routes) {
            table.remove(*key);
        }
        if self.hosts.is_empty() {
            return;
        }
        let from = dice.below(self.hosts.len());
        let to = (from + 1 + dice.below(self.hosts.len() - 1)) % self.hosts.len();
        let ends = [&self.hosts[from], &self.hosts[to]];
        for (key, end) in ENDS.into_iter().zip(ends) {
            table.insert(key.into(), end.as_str().into());
        }
        for (number, route) in routes.into_iter().enumerate() {
            let [from, to] = if number == 0 { ends } else { [ends[1], ends[0]] };
            if dice.happens(0.2)
                && let Some(way) = self.way(dice, from, to)
            {
                table.insert(route.into(), way.into());
            }
        }
    }

    /// The switches of a random path between two hosts.
    fn way(&self, dice: &mut Dice, from: &str, to: &str) -> Option<Vec<String>> {
        let mut passed: Vec<String> = Vec::new();
        let mut here = from.to_owned();
        for _ in 0..self.switches.len() {
            if !passed.is_empty() && self.joins(&here, to) {
                return Some(passed);
            }
            let next: Vec<_> = self.switches.iter().filter(|s| self.joins(&here, s) && !passed.contains(s)).collect();
            if next.is_empty() {
                return None;
            }
            here.clone_from(next[dice.below(next.len())]);
            passed.push(here.clone());
        }
        self.joins(&here, to).then_some(passed)
    }
}

/// True for a list of names, also one that may be left to others.
fn is_names(shape: &Shape) -> bool {
    match shape {
        Shape::List(item) => matches!(**item, Shape::Text),
        Shape::Either(shapes) => shapes.iter().any(is_names),
        _ => false,
    }
}
