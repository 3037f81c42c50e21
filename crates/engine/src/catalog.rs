//! Catalog of all registered models, for people and programs.

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};

use longfat_foundation::config::{one_line, parameters_json};
use longfat_foundation::registry::Family;
use longfat_hosts::traffic::{Source, size::SizeDistribution};
use longfat_hosts::transport::preset::{PRESETS, Preset};
use longfat_hosts::transport::{
    TcpConfig, acknowledging::Acknowledging, flavor::Flavor, pacing::Pacing, resume::Resumption, rto::TimeoutEstimator,
    slow_start::SlowStartExit,
};
use longfat_network::background::Background;
use longfat_network::capacity::Assignment;
use longfat_network::capacity::access::Access;
use longfat_network::capacity::scheduling::ReturnScheduler;
use longfat_network::framing::Framing;
use longfat_network::loss::LossModel;
use longfat_network::path::Path;
use longfat_network::reordering::Reordering;
use longfat_network::switch::drop_policy::DropPolicy;
use longfat_network::switch::queue_discipline::QueueDiscipline;
use longfat_network::switch::scheduler::Scheduler;
use longfat_network::switch::service::Service;
use longfat_network::topology::Topology;
use longfat_stacks::Stack;
use longfat_stacks::proxies::Proxies;
use longfat_stacks::proxies::udp::UdpProxies;

/// All models as JSON: kind, name, summary, source and parameters.
#[must_use]
pub fn models() -> Json {
    let families = [
        family::<dyn DropPolicy>(),
        family::<dyn QueueDiscipline>(),
        family::<dyn Scheduler>(),
        family::<dyn Service>(),
        family::<dyn Flavor>(),
        family::<dyn SlowStartExit>(),
        family::<dyn Resumption>(),
        family::<dyn TimeoutEstimator>(),
        family::<dyn Acknowledging>(),
        family::<dyn Pacing>(),
        family::<dyn Source>(),
        family::<dyn SizeDistribution>(),
        family::<dyn Background>(),
        family::<dyn Framing>(),
        family::<dyn LossModel>(),
        family::<dyn Path>(),
        family::<dyn Reordering>(),
        family::<dyn Assignment>(),
        family::<dyn ReturnScheduler>(),
        family::<dyn Access>(),
        family::<dyn Proxies>(),
        family::<dyn UdpProxies>(),
        family::<dyn Stack>(),
        family::<dyn Topology>(),
    ];
    [families.concat(), presets()].concat().into()
}

/// All presets, with the settings that they bundle.
fn presets() -> Vec<Json> {
    let about: BTreeMap<_, _> = TcpConfig::fields().into_iter().map(|field| (field.name, field.doc)).collect();
    let setting = |&(key, value): &(&'static str, &str)| json!({ "name": key, "value": value, "alternatives": [], "doc": about.get(key).map(|doc| one_line(doc)) });
    let entry = |preset: &Preset| {
        json!({
            "kind": "TCP preset",
            "name": preset.name,
            "summary": preset.about,
            "source": preset.source,
            "parameters": preset.settings.iter().map(setting).collect::<Vec<_>>(),
        })
    };
    PRESETS.iter().map(entry).collect()
}

/// All models of a family as JSON.
#[must_use]
pub fn family<F: Family + ?Sized>() -> Vec<Json> {
    let model = |entry: &longfat_foundation::registry::Entry<F>| {
        json!({
            "kind": F::KIND,
            "name": entry.name,
            "summary": one_line(entry.about),
            "source": entry.source,
            "parameters": parameters_json(&(entry.parameters)()),
        })
    };
    F::models().iter().map(model).collect()
}
