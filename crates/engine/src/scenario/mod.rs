//! A scenario: one network, its traffic, its end systems, a duration and a seed.
//!
//! Scenarios are validated here, once; the rest of the engine relies on consistent values.

mod blocks;
mod capacity;
mod classes;
mod connections;
mod cost;
mod lines;
mod loss;
mod measure;
mod objections;
mod path;
mod port_objections;
mod ports;
mod proxies;
mod reordering;
mod stacks;
mod traffic;

pub use connections::{FullSegment, Group};
pub use cost::Cost;
pub use lines::{LineSettings, OtherLine, Placed};
pub use measure::{MeasureConfig, ReferenceSegment, Throughput};
pub use ports::OtherPort;

use objections::Objection;
use serde_json::{Value as Json, json};
use sha2::{Digest, Sha256};

use longfat_foundation::config::{
    Document, Knob, Node, Parameter, PositiveSpan, Reader, Shape, Value, document_schema, knobs,
};
use longfat_foundation::registry::Chosen;
use longfat_hosts::traffic::Source;
use longfat_hosts::transport::{CLASSICAL, NamedControl, TcpConfig, preset};
use longfat_network::background::Background;
use longfat_network::capacity::{Assignment, ReturnLinkConfig};
use longfat_network::framing::Framing;
use longfat_network::loss::LossModel;
use longfat_network::path::Path;
use longfat_network::switch::PortConfig;
use longfat_network::switch::preset as queues;
use longfat_network::topology::{Graph, Topology};
use longfat_stacks::Stack;
use longfat_stacks::proxies::Proxies;

/// The version of the scenario format: 1.
#[derive(Clone, Copy, Debug)]
pub struct SchemaVersion;

impl Parameter for SchemaVersion {
    fn shape() -> Shape {
        Shape::Integer { minimum: 1, maximum: 1 }
    }

    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        match node.value {
            Value::Integer(1) => return Some(Self),
            Value::Integer(version @ 2..) => {
                reader.reject(node, format!("version {version} is newer than this program, which reads version 1"));
            }
            _ => reader.reject(node, format!("expected 1, found {}", node.describe())),
        }
        None
    }

    fn resolved(&self) -> Json {
        1.into()
    }
}

longfat_foundation::section! {
    /// One network, its traffic, its end systems, a duration and a seed: all that one simulation needs.
    pub struct Scenario {
        /// Version of this format: 1.
        pub schema_version: SchemaVersion,
        /// Simulated time. Results are for all of it, start-up included, as in the papers (S-10), or from `measure.from` on.
        pub duration: PositiveSpan,
        /// The source of all randomness; another seed gives another run of the same scenario.
        pub seed: u64 = "1",
        /// Number of the replication: another set of random streams under the same seed.
        pub replication: u64 = "0",
        /// Nodes and the links between them.
        pub topology: Chosen<dyn Topology>,
        /// Packets travel as trains of cells, or whole.
        pub framing: Chosen<dyn Framing> = "aal5",
        /// The bottleneck's output port, and all other managed ports.
        pub port: PortConfig,
        /// Managed ports that differ from `port`.
        pub ports: Vec<OtherPort> = "[]",
        /// Traffic without TCP that also crosses the bottleneck.
        pub background: Vec<Chosen<dyn Background>> = "[]",
        /// Losses of data packets as they reach the bottleneck's port, before its buffer.
        pub loss: Chosen<dyn LossModel> = "none",
        /// Losses of acknowledgments as they enter the bottleneck on their way back.
        pub acknowledgment_loss: Chosen<dyn LossModel> = "none",
        /// Rate, delay and losses of the bottleneck over time; only for packets that travel whole.
        pub path: Chosen<dyn Path> = "fixed",
        /// Assignment of the bottleneck's capacity to its sender; only for packets that travel whole.
        pub capacity: Chosen<dyn Assignment> = "permanent",
        /// Lines, also others than the bottleneck, with a path, losses, capacity, jitter or reordering of their own, each in its direction.
        pub lines: Vec<OtherLine> = "[]",
        /// Return links whose capacity several lines share, those with `capacity.kind = "shared"`.
        pub return_links: Vec<ReturnLinkConfig> = "[]",
        /// Performance enhancing proxies at both ends of the bottleneck.
        pub proxies: Chosen<dyn Proxies> = "none",
        /// The end systems.
        pub tcp: TcpConfig = "{}",
        /// Stack of the end systems: the TCP of the engine, or another.
        pub stack: Chosen<dyn Stack> = "tcp",
        /// Groups of connections that differ from the others, in the order of their numbers.
        pub connections: Vec<Group> = "[]",
        /// Traffic of the applications.
        pub traffic: Chosen<dyn Source> = "infinite",
        /// Computation of results.
        pub measure: MeasureConfig = "{}",
    }
}

/// Replications of a scenario: its canonical JSON before and after the replication number, and the names of the runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replications {
    /// JSON before the number.
    pub before: String,
    /// JSON after the number.
    pub behind: String,
    /// The name of each run.
    pub run_ids: Vec<String>,
}

impl Scenario {
    /// Validates a document and fills in all defaults.
    ///
    /// # Errors
    /// One line per problem, all at once.
    pub fn check(document: &Document) -> Result<Self, Vec<String>> {
        let mut reader = Reader::provided_with(document.provision.clone());
        reader.problems.clone_from(&document.unset);
        let (root, problems) = preset::written_out(&document.root);
        for (path, message) in problems {
            reader.reject_path(&root, &path, message);
        }
        let root = queues::written_out(root);
        let scenario = <Self as Parameter>::read(&root, &mut reader);
        let checked = scenario.map(|mut scenario| {
            for (path, message) in scenario.settle() {
                reader.reject_path(&root, &path, message);
            }
            scenario
        });
        match checked {
            Some(scenario) if reader.problems.is_empty() => Ok(scenario),
            _ => Err(document.report(&reader.problems)),
        }
    }

    /// Parses a scenario file, or a run record, of which it takes the scenario.
    ///
    /// # Errors
    /// As [`Document::parse`].
    pub fn document(bytes: &[u8], source: &str) -> Result<Document, Vec<String>> {
        Document::parse(bytes, source).map(|document| document.within("scenario", &["scenario_hash", "run_id"]))
    }

    /// Parses a text and applies overrides: `(path, value)`, with the value in TOML or as bare text.
    ///
    /// # Errors
    /// One line per problem, all at once.
    pub fn parse(bytes: &[u8], source: &str, overrides: &[(String, String)]) -> Result<Self, Vec<String>> {
        let mut document = Self::document(bytes, source)?;
        for (path, value) in overrides {
            document.set(path, value, &format!("--set {path}={value}"));
        }
        Self::check(&document)
    }

    /// Controls that it names and that are not provided; it cannot be simulated without them.
    #[must_use]
    pub fn missing_controls(&self) -> Vec<NamedControl> {
        let flavors = self.kinds_of_flavors().into_iter();
        flavors.filter_map(|flavor| flavor.control().filter(|control| !control.is_provided()).cloned()).collect()
    }

    /// The scenario with the classical control in the place of all others, if it names any.
    #[must_use]
    pub(crate) fn with_classical_controls(&self) -> Option<Self> {
        fn replace(value: &mut Json) {
            match value {
                Json::Object(table) => {
                    table.iter_mut().for_each(|(key, value)| match value {
                        Json::String(name) if key == "control" => CLASSICAL.clone_into(name),
                        _ => replace(value),
                    });
                }
                Json::Array(values) => values.iter_mut().for_each(replace),
                _ => {}
            }
        }
        let names_any = self.kinds_of_flavors().iter().any(|flavor| flavor.control().is_some());
        let mut resolved = names_any.then(|| self.resolved())?;
        replace(&mut resolved);
        Self::parse(resolved.to_string().as_bytes(), "resolved.json", &[]).ok()
    }

    /// Creates a law of each control, all of which must be provided, and drops it: unwinds if a control fails.
    pub fn try_controls(&self) {
        for flavor in self.kinds_of_flavors() {
            if flavor.control().is_some() {
                drop(flavor.law());
            }
        }
    }

    /// Scenario as canonical JSON: keys sorted, integers in base units, all defaults written. Omits parts that a network does not have,
    /// such as losses.
    #[must_use]
    pub fn canonical(&self) -> String {
        self.resolved().to_string()
    }

    /// Hash of the scenario: SHA-256 of its canonical JSON without seed and replication.
    #[must_use]
    pub fn hash(&self) -> String {
        let mut resolved = self.resolved();
        if let Json::Object(table) = &mut resolved {
            table.remove("seed");
            table.remove("replication");
        }
        sha256(&resolved.to_string())
    }

    /// Name of the run: SHA-256 of scenario, seed, replication and model number, in hexadecimal. The release is recorded but not hashed.
    #[must_use]
    pub fn run_id(&self) -> String {
        sha256(&json!({ "model": crate::MODEL, "scenario": self.resolved() }).to_string())
    }

    /// Several replications of this scenario; many times faster than reading each.
    #[must_use]
    pub fn replicated(&self, replications: &[u64]) -> Replications {
        let Json::Object(resolved) = self.resolved() else { unreachable!("a scenario is a table") };
        let entry = |(key, value): (&String, &Json)| format!("{}:{value}", Json::from(key.as_str()));
        let (before, behind): (Vec<_>, Vec<_>) =
            resolved.iter().filter(|(key, _)| *key != REPLICATION).partition(|(key, _)| key.as_str() < REPLICATION);
        let text = |part: Vec<_>| part.into_iter().map(entry).collect::<Vec<_>>().join(",");
        let (before, behind) = (format!("{{{},\"{REPLICATION}\":", text(before)), format!(",{}}}", text(behind)));
        // The text that `run_id` hashes; the replications share its beginning.
        let mut begun = Sha256::new();
        begun.update(format!("{{\"model\":{},\"scenario\":{before}", crate::MODEL));
        let run_id = |replication: &u64| {
            let mut hash = begun.clone();
            for part in [&replication.to_string(), &behind, "}"] {
                hash.update(part);
            }
            hexadecimal(&hash.finalize())
        };
        let run_ids = replications.iter().map(run_id).collect();
        Replications { before, behind, run_ids }
    }

    /// Knobs of a document: what the sources leave open, with its setting or default.
    #[must_use]
    pub fn knobs(document: &Document) -> Vec<Knob> {
        knobs(&Self::fields(), &queues::written_out(preset::written_out(&document.root).0))
    }

    /// JSON Schema of scenario files.
    #[must_use]
    pub fn schema() -> Json {
        document_schema("longfat scenario", &Self::fields())
    }

    /// The network as a graph with all connections.
    ///
    /// # Panics
    /// If the scenario was not validated.
    #[must_use]
    pub fn graph(&self) -> Graph {
        let mut graph = self.checked_topology_graph();
        self.add_connections(&mut graph).expect("a checked scenario has no more connections than a run may have");
        graph
    }

    pub(super) fn checked_topology_graph(&self) -> Graph {
        self.topology_graph().expect("a checked scenario has a topology that can be laid out")
    }

    /// The network with one connection per sender.
    fn topology_graph(&self) -> Result<Graph, Vec<Objection>> {
        let mut graph = self.topology.build(&()).graph(&self.journeys())?;
        self.manage_lines(&mut graph);
        if !self.proxies.is_absent() {
            graph.split_by_proxies().map_err(|number| vec![self.object_to_unsplit(&graph, number)])?;
        }
        Ok(graph)
    }

    /// Number of flows in a simulation: one per connection or leg, then one per connection for requests, if receiving ends make requests.
    #[must_use]
    pub fn number_of_flows(&self) -> usize {
        let graph = self.graph();
        graph.circuits() / if self.has_requests(graph.senders()) { 1 } else { 2 }
    }
}

/// Key in which replications of a scenario differ.
const REPLICATION: &str = "replication";

fn sha256(text: &str) -> String {
    hexadecimal(&Sha256::digest(text))
}

fn hexadecimal(bytes: &[u8]) -> String {
    let mut hexadecimal = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        for digit in [byte >> 4, byte & 15] {
            hexadecimal.push(char::from_digit(digit.into(), 16).unwrap_or_default());
        }
    }
    hexadecimal
}
