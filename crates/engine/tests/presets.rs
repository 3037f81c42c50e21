//! Presets of end systems in whole scenarios.

use longfat_engine::config::{Document, Parameter};
use longfat_engine::scenario::Scenario;
use longfat_engine::serde_json::Value as Json;
use longfat_engine::transport::preset::PRESETS;

fn scenario(tcp: &str) -> Result<Scenario, Vec<String>> {
    let text = format!(
        "schema_version = 1\nduration = \"1 s\"\nport.buffer = \"1000 packets\"\nframing = \"packet\"\n\
         topology = {{ kind = \"n-source\", sources = 1, access = {{ delay = \"5 us\" }}, bottleneck = {{ delay = \"5 us\" }} }}\n\
         tcp = {tcp}\n"
    );
    Scenario::parse(text.as_bytes(), "scenario.toml", &[])
}

#[test]
fn the_end_systems_of_the_seeds_are_the_defaults() {
    let (preset, defaults) = (scenario("{ preset = 'seeds-1997' }"), scenario("{}"));
    assert_eq!(preset.unwrap().canonical(), defaults.unwrap().canonical());
}

#[test]
fn a_preset_is_what_its_settings_are_when_written_out() {
    for preset in PRESETS {
        let written = |(key, value): &(&str, &str)| match *value {
            "true" | "false" => format!("{key} = {value}"),
            table if table.starts_with('{') => format!("{key} = {table}"),
            text => format!("{key} = '{text}'"),
        };
        let settings: Vec<_> = preset.settings.iter().map(written).collect();
        let written = scenario(&format!("{{ {} }}", settings.join(", "))).expect(preset.name);
        let named = scenario(&format!("{{ preset = '{}' }}", preset.name)).expect(preset.name);
        assert_eq!(named.canonical(), written.canonical(), "{}", preset.name);
    }
}

#[test]
fn what_is_set_beside_a_preset_counts_in_whole_or_in_part() {
    let scenario = scenario(
        "{ preset = 'linux-like', mss_bytes = 1000, flavor = 'newreno', retransmission_timeout = { minimum = '1 s' } }",
    );
    let resolved = scenario.unwrap().resolved();
    let tcp = &resolved["tcp"];
    assert_eq!((&tcp["mss_bytes"], &tcp["flavor"]["kind"]), (&Json::from(1000), &Json::from("newreno")));
    let timeout = &tcp["retransmission_timeout"];
    assert_eq!(timeout["kind"], "linux");
    assert_eq!(timeout["minimum_ps"], 1_000_000_000_000_u64, "what is written");
    assert_eq!(timeout["maximum_ps"], 120_000_000_000_000_u64, "the preset's");
    assert!(tcp.get("preset").is_none());
}

#[test]
fn a_parameter_of_a_model_within_a_model_leaves_the_rest_to_the_preset() {
    let flavor = |tcp: &str| scenario(tcp).map(|scenario| scenario.resolved()["tcp"]["flavor"].clone());
    let whole = flavor("{ preset = 'linux-like' }").unwrap();
    let mut expected = whole.clone();
    expected["recovery"]["tail_loss_probe"] = false.into();
    let within = "{ preset = 'linux-like', flavor = { recovery = { tail_loss_probe = false } } }";
    assert_eq!(flavor(within).unwrap(), expected);
    assert_eq!((&whole["recovery"]["tail_loss_probe"], &whole["recovery"]["kind"]), (&true.into(), &"rack-tlp".into()));
    // Naming the recovery that the preset has changes nothing; another recovery comes with its own defaults.
    let named = "{ preset = 'linux-like', flavor = { recovery = { kind = 'rack-tlp', tail_loss_probe = false } } }";
    assert_eq!(flavor(named).unwrap(), expected);
    let anew = "{ preset = 'linux-like', flavor = { kind = 'cubic', recovery = { tail_loss_probe = false } } }";
    assert_eq!(flavor(anew).unwrap(), expected);
    assert_eq!(flavor("{ preset = 'linux-like', flavor = 'cubic' }").unwrap(), whole);
    let other = "{ preset = 'linux-like', flavor = { recovery = 'sack-rfc6675' } }";
    assert_eq!(flavor(other).unwrap()["slow_start_exit"], whole["slow_start_exit"]);
}

/// A host repairs losses in one way, whatever its congestion control is.
#[test]
fn a_flavor_of_another_kind_keeps_the_recovery_of_the_preset_where_it_has_a_choice() {
    let flavor = |flavor: &str| {
        let text = format!("{{ preset = 'linux-like', flavor = {flavor} }}");
        scenario(&text).unwrap().resolved()["tcp"]["flavor"].clone()
    };
    for named in ["'bbr'", "{ kind = 'bbr', equal_round_trips_refresh = true }"] {
        assert_eq!(flavor(named)["recovery"], "rack-tlp", "{named}");
    }
    assert_eq!(flavor("'dctcp'")["recovery"]["kind"], "rack-tlp");
    assert_eq!(flavor("{ kind = 'dctcp', recovery = 'sack-rfc6675' }")["recovery"]["kind"], "sack-rfc6675");
    assert!(flavor("'newreno'").get("recovery").is_none());
}

#[test]
fn groups_of_connections_are_hosts_of_the_preset_too() {
    let groups = |preset: &str| {
        let text = format!(
            "schema_version = 1\nduration = \"1 s\"\nport.buffer = \"1000 packets\"\nframing = \"packet\"\n\
             topology = {{ kind = \"n-source\", sources = 2, access = {{ delay = \"5 us\" }}, bottleneck = {{ delay = \"5 us\" }} }}\n\
             connections = [{{ count = 1, flavor = \"cubic\" }}, {{ count = 1, flavor = \"bbr\" }}]\ntcp.preset = \"{preset}\"\n"
        );
        Scenario::parse(text.as_bytes(), "scenario.toml", &[]).unwrap().resolved()["connections"].clone()
    };
    let (linux, none) = (groups("linux-like"), groups("none"));
    assert_eq!(linux[0]["flavor"]["slow_start_exit"], "hystart++");
    assert_eq!(linux[1]["flavor"]["recovery"], "rack-tlp");
    assert!(none[1]["flavor"].get("recovery").is_none(), "its own default, which is left out");
}

#[test]
fn every_knob_beside_a_preset_can_be_set_to_each_of_its_settings() {
    for preset in PRESETS {
        let text = format!(
            "schema_version = 1\nduration = \"1 s\"\nport.buffer = \"1000 packets\"\nframing = \"packet\"\n\
            topology = {{ kind = \"n-source\", sources = 1, access = {{ delay = \"5 us\" }}, bottleneck = {{ delay = \"5 us\" }} }}\n\
            tcp.preset = \"{}\"\n",
            preset.name
        );
        let document = Document::parse(text.as_bytes(), "scenario.toml").unwrap();
        for knob in Scenario::knobs(&document).iter().filter(|knob| knob.path.starts_with("tcp.")) {
            for setting in &knob.settings {
                let mut changed = document.clone();
                changed.set(&knob.path, setting, "knob");
                let problems = Scenario::check(&changed).err().unwrap_or_default();
                assert!(!problems.iter().any(|problem| problem.contains("unknown")), "{}: {problems:?}", knob.path);
            }
        }
    }
}

#[test]
fn a_preset_of_which_nothing_counts_is_refused() {
    for beside in PRESETS {
        let resolved = scenario(&format!("{{ preset = '{}' }}", beside.name)).unwrap().canonical();
        for preset in PRESETS {
            let setting = ("tcp.preset".to_owned(), preset.name.to_owned());
            let problems = Scenario::parse(resolved.as_bytes(), "resolved.json", &[setting]).unwrap_err();
            let expected =
                format!("--set tcp.preset={}: tcp.preset: \"{}\" sets nothing: all", preset.name, preset.name);
            assert!(problems[0].starts_with(&expected), "{problems:?}");
        }
    }
}

#[test]
fn an_unknown_preset_is_refused_with_those_that_there_are() {
    let problems = scenario("{ preset = 'linux' }").unwrap_err();
    assert!(problems[0].contains("scenario.toml:6:") && problems[0].contains("tcp.preset: unknown preset \"linux\""));
    assert!(problems[0].contains("\"linux-like\""), "{problems:?}");
}
