//! Runs in real time. Python makes the network namespaces and the interfaces in them; here are their descriptors.

use std::os::fd::{FromRawFd, OwnedFd, RawFd};
use std::path::PathBuf;
use std::sync::Mutex;

use longfat_emulate::{Control, Counts, Device, Peer, Settings, Snapshot, emulate};
use longfat_engine::measure::RunRecord;
use longfat_engine::observer::Unobserved;
use longfat_engine::scenario::Scenario;
use longfat_engine::stacks::{Opener, Outside};
use longfat_engine::transport::control::guarded;
use longfat_engine::units::{Rate, Span, Time};
use longfat_engine::{Driver, End, Simulation};
use longfat_trace::capture::RawCapture;
use longfat_trace::{Wanted, Watcher};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use serde_json::{Value as Json, json};

use crate::RunFailed;

/// Addresses of another end, the connection to it, and true if the end that sends its data is here.
type GivenPeer = (Vec<Vec<u8>>, usize, bool);

/// A host: its name, the descriptor of its interface, and the ends there.
type GivenHost = (String, RawFd, Vec<GivenPeer>);

/// Files of traces: their folder, their names, and the largest error.
type GivenTraces = (PathBuf, Vec<String>, Option<f64>);

/// The connections of a scenario whose packets come from programs outside.
#[pyfunction]
pub fn outside_connections(resolved: &str) -> PyResult<String> {
    let scenario = crate::resolved_scenario(resolved)?;
    let graph = scenario.graph();
    let name = |node: usize| graph.nodes[node].name.to_string();
    let of_connection = |(connection, outside): (usize, Outside)| {
        let flow = &graph.flows[connection];
        let (first, last) = (flow.forward.first().copied(), flow.forward.last().copied());
        json!({
            "connection": connection,
            "sender": first.map(|line| name(graph.links[line].from)),
            "receiver": last.map(|line| name(graph.links[line].to)),
            "mtu": outside.mtu(),
            "is_opened_by_sender": outside.opened_by() == Opener::Sender,
            "starts_ps": scenario.later(flow.sender).0,
            "round_trip_ps": graph.round_trip(flow).0,
        })
    };
    Ok(scenario.outside(&graph).into_iter().map(of_connection).collect::<Json>().to_string())
}

/// One run in real time.
#[pyclass(module = "longfat._engine")]
pub struct Emulation {
    /// Taken by the thread that runs it.
    waiting: Mutex<Option<Waiting>>,
    control: Control,
    hosts: Vec<String>,
}

struct Waiting {
    scenario: Scenario,
    devices: Vec<Device>,
    settings: Settings,
    capture: Option<RawCapture>,
    watcher: Option<Watcher>,
}

#[pymethods]
impl Emulation {
    #[new]
    #[pyo3(signature = (resolved, hosts, spin_ps, bound_ps, capture = None, traces = None))]
    fn new(
        resolved: &str,
        hosts: Vec<GivenHost>,
        spin_ps: u64,
        bound_ps: u64,
        capture: Option<PathBuf>,
        traces: Option<GivenTraces>,
    ) -> PyResult<Self> {
        let scenario = crate::resolved_scenario(resolved)?;
        let rate = scenario.graph().links.first().map_or(Rate(0), |link| link.rate);
        let names: Vec<_> = hosts.iter().map(|(name, ..)| (name.clone(), rate)).collect();
        let own = names.iter().map(|(name, _)| name.clone()).collect();
        let start = |path: PathBuf| RawCapture::start(&path, &scenario, &names);
        let capture = capture.map(start).transpose().map_err(|problem| crate::invalid(vec![problem]))?;
        let watch = |(folder, names, error): GivenTraces| {
            let wanted = Wanted { names, error: error.unwrap_or(Wanted::DEFAULT_ERROR), interval: None };
            Watcher::start(&scenario, Some((&folder, &wanted)), None)
        };
        let watcher = traces.map(watch).transpose().map_err(crate::invalid)?;
        let devices = hosts.into_iter().map(device).collect::<PyResult<_>>()?;
        let settings = Settings { spin: Span(spin_ps), bound: Span(bound_ps) };
        let waiting = Waiting { scenario, devices, settings, capture, watcher };
        Ok(Self { waiting: Mutex::new(Some(waiting)), control: Control::default(), hosts: own })
    }

    /// Runs until the end of the scenario, or until stopped. Returns record and account as JSON.
    fn run(&self, py: Python<'_>) -> PyResult<String> {
        let waiting = self.waiting.lock().ok().and_then(|mut waiting| waiting.take());
        let waiting = waiting.ok_or_else(|| PyRuntimeError::new_err("the run has begun"))?;
        py.detach(|| guarded(|| waiting.run(&self.control))).and_then(|ended| ended).map_err(RunFailed::new_err)
    }

    /// Ends the run soon.
    fn stop(&self) {
        self.control.stop();
    }

    /// State of the run as JSON.
    fn snapshot(&self) -> String {
        let Snapshot { now, devices, queues, p99_seconds, late_seconds } = self.control.latest();
        let of_host = |(name, counts): (&String, &Counts)| json!({ "host": name, "bytes_sent": counts.sent_bytes, "bytes_received": counts.received_bytes });
        let hosts = self.hosts.iter().zip(&devices).map(of_host);
        json!({
            "seconds": now.as_seconds(),
            "hosts": hosts.collect::<Vec<_>>(),
            "queues": queues,
            "p99_s": p99_seconds,
            "late_s": late_seconds,
        })
        .to_string()
    }
}

impl Waiting {
    fn run(self, control: &Control) -> Result<String, String> {
        let Self { scenario, devices, settings, capture, watcher } = self;
        let end = Time::ZERO + scenario.duration.0;
        let Some(watcher) = watcher else {
            let simulation = Simulation::driven_by(Driver::Events, &scenario, Unobserved);
            let (record, account, _) = emulate(simulation, devices, settings, control, capture)?;
            return together(&record, &account);
        };
        let simulation = Simulation::driven_by(Driver::Events, &scenario, watcher);
        let (record, account, watcher) = emulate(simulation, devices, settings, control, capture)?;
        let ended = account["seconds"].as_f64().map_or(end, |seconds| Time(in_picoseconds(seconds)).min(end));
        watcher.finish(ended, &record)?;
        together(&record, &account)
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a time of the run")]
fn in_picoseconds(seconds: f64) -> u64 {
    (seconds * 1e12) as u64
}

fn together(record: &RunRecord, account: &Json) -> Result<String, String> {
    // Written directly, so that the fields keep the order of their declaration.
    let record = serde_json::to_string(record).map_err(|error| error.to_string())?;
    Ok(format!("{{\"record\":{record},\"account\":{account}}}"))
}

fn device((name, descriptor, peers): GivenHost) -> PyResult<Device> {
    // SAFETY: Python hands over the descriptor, and closes it no more.
    let descriptor = unsafe { OwnedFd::from_raw_fd(descriptor) };
    let peer = |(addresses, connection, is_near): GivenPeer| Peer {
        addresses,
        connection,
        end: if is_near { End::Near } else { End::Far },
    };
    let peers = peers.into_iter().map(peer).collect();
    Device::new(name, descriptor, peers).map_err(|error| crate::invalid(vec![error.to_string()]))
}
