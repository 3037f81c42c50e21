//! Ports that ask for capacity in the same frames: one alone, or those of the terminals of a return link.

use longfat_foundation::random::Chance;
use longfat_network::capacity::ReturnLink;
use longfat_network::topology::Graph;

use super::Links;
use super::agenda::NOWHERE;
use crate::scenario::{LineSettings, Scenario};

/// Ports that ask in the same frames.
pub struct Asking {
    pub ports: Vec<usize>,
    /// The line of each.
    pub lines: Vec<usize>,
    /// The return link that they share; `None` of a port that asks alone.
    pub link: Option<ReturnLink>,
    /// Bits that wait at each, when a frame begins.
    pub bits_waiting: Vec<u64>,
}

impl Asking {
    fn of(members: Vec<(usize, usize)>, link: Option<ReturnLink>) -> Self {
        let bits_waiting = vec![0; members.len()];
        let (ports, lines) = members.into_iter().unzip();
        Self { ports, lines, link, bits_waiting }
    }

    /// All of a scenario whose managed lines, in the order of their ports, have these settings: those that ask alone, then those of each return
    /// link in the order of their ports. Makes their lines ask.
    pub fn all(scenario: &Scenario, graph: &Graph, settings: &[LineSettings], links: &mut Links) -> Vec<Self> {
        let mut alone = Vec::new();
        let mut sharing: Vec<_> = scenario.return_links.iter().map(|_| (Vec::new(), Vec::new())).collect();
        for (line, port) in graph.managed().zip(0..) {
            let Some(settings) = settings.iter().find(|settings| settings.number == line) else { continue };
            let Some(grants) = settings.grants(graph, &scenario.return_links) else { continue };
            links.make(line, NOWHERE).line.ask_for_capacity(grants);
            let terminal = settings.terminal(graph);
            let place =
                terminal.as_ref().and_then(|own| scenario.return_links.iter().position(|link| link.name == own.link));
            match place.zip(terminal) {
                Some((place, terminal)) => {
                    sharing[place].0.push((port, line));
                    sharing[place].1.push(terminal);
                }
                None => alone.push(Self::of(vec![(port, line)], None)),
            }
        }
        let chance = Chance { seed: scenario.seed, replication: scenario.replication };
        let shared = scenario.return_links.iter().zip(sharing).filter(|(_, (members, _))| !members.is_empty());
        alone.extend(shared.map(|(config, (members, terminals))| {
            let chance = chance.stream(&format!("return link/{}/requests", config.name));
            Self::of(members, Some(ReturnLink::new(config, terminals, &chance)))
        }));
        alone
    }
}
