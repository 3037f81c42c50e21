//! Rejected graph topologies.

use longfat_engine::scenario::Scenario;

const SOUND: &str = r#"schema_version = 1
duration = "10 ms"
framing = "packet"
port = { buffer = "20 packets" }
connections = [
    { from = "a", to = "b" },
]
ports = []

[topology]
kind = "graph"
hosts = ["a", "b"]
switches = ["s", "t"]
links = [
    { from = "a", to = "s", rate = "10 Mbit/s", delay = "1 ms" },
    { from = "s", to = "t", rate = "10 Mbit/s", delay = "1 ms", managed = "there" },
    { from = "t", to = "b", rate = "10 Mbit/s", delay = "1 ms" },
]
"#;

/// Asserts that the valid text with one part replaced gives exactly this error.
#[track_caller]
fn assert_complaint(part: &str, other: &str, complaint: &str) {
    let text = SOUND.replacen(part, other, 1);
    assert_ne!(text, SOUND, "{part} is not there");
    let problems = Scenario::parse(text.as_bytes(), "graph.toml", &[]).err().unwrap_or_default();
    assert_eq!(problems, [complaint], "{other}");
}

#[test]
fn the_sound_one_is_sound() {
    Scenario::parse(SOUND.as_bytes(), "graph.toml", &[]).unwrap_or_else(|problems| panic!("{problems:?}"));
}

#[test]
fn nodes_are_known_and_their_names_tell_them_apart() {
    assert_complaint(
        "{ from = \"t\", to = \"b\"",
        "{ from = \"T\", to = \"b\"",
        "graph.toml:17:14: topology.links[2].from: unknown node \"T\"; known: \"a\", \"b\", \"s\", \"t\"; did you mean \"t\"?",
    );
    assert_complaint(
        "hosts = [\"a\", \"b\"]",
        "hosts = [\"a\", \"b\", \"s\"]",
        "graph.toml:13:13: topology.switches[0]: a second node \"s\"; names must be unique",
    );
    assert_complaint(
        "hosts = [\"a\", \"b\"]",
        "hosts = [\"a\", \"b\", \"c\"]",
        "graph.toml:12:9: topology.hosts: no link joins \"c\" to anything",
    );
}

#[test]
fn links_join_two_nodes_once_and_their_names_tell_them_apart() {
    assert_complaint(
        "{ from = \"t\", to = \"b\"",
        "{ from = \"t\", to = \"s\"",
        "graph.toml:17:5: topology.links[2]: a second link between \"t\" and \"s\"; one at most",
    );
    assert_complaint(
        "{ from = \"t\", to = \"b\"",
        "{ from = \"t\", to = \"t\"",
        "graph.toml:17:5: topology.links[2]: joins \"t\" to itself",
    );
    assert_complaint(
        "{ from = \"t\", to = \"b\"",
        "{ name = \"s to t\", from = \"t\", to = \"b\"",
        "graph.toml:17:14: topology.links[2].name: a second line \"s to t\"; names must be unique",
    );
}

#[test]
fn connections_are_between_two_hosts_that_links_join() {
    let connection = "{ from = \"a\", to = \"b\" }";
    for (other, complaint) in [
        (
            "{ count = 2, to = \"b\" }",
            "graph.toml:6:5: connections[0]: missing \"from\": with topology \"graph\", connections must name their hosts",
        ),
        (
            "{ from = \"a\", to = \"t\" }",
            "graph.toml:6:24: connections[0].to: \"t\" is a switch; connections are between hosts",
        ),
        (
            "{ from = \"a\", to = \"a\" }",
            "graph.toml:6:24: connections[0].to: a connection from a host to itself; name another host",
        ),
        (
            "{ from = \"a\", to = \"b\", access_delay = \"5 ms\" }",
            "graph.toml:6:44: connections[0].access_delay: the links of a topology \"graph\" have their own delays; leave it out",
        ),
    ] {
        assert_complaint(connection, other, complaint);
    }
    assert_complaint(
        "    { from = \"a\", to = \"b\" },\n",
        "",
        "graph.toml:9:1: topology: no connections; write connections = [{ from = \"a host\", to = \"another\" }]",
    );
    assert_complaint(
        "switches = [\"s\", \"t\"]\nlinks = [\n",
        "switches = [\"s\", \"t\", \"u\"]\nlinks = [\n    { from = \"u\", to = \"c\", rate = \"1 Mbit/s\", delay = \"1 ms\" },\n",
        "graph.toml:15:24: topology.links[0].to: unknown node \"c\"; known: \"a\", \"b\", \"s\", \"t\", \"u\"",
    );
}

#[test]
fn a_network_in_two_parts_has_no_path_between_them() {
    let parts = SOUND.replace("switches = [\"s\", \"t\"]", "switches = [\"s\", \"t\", \"u\"]");
    let parts = parts.replace("{ from = \"t\", to = \"b\"", "{ from = \"u\", to = \"b\"");
    let problems = Scenario::parse(parts.as_bytes(), "graph.toml", &[]).err().unwrap_or_default();
    assert_eq!(problems, ["graph.toml:6:5: connections[0]: no path over switches joins \"a\" and \"b\"; add a link"]);
}

#[test]
fn a_route_follows_links_from_switch_to_switch_and_does_not_loop() {
    for (route, complaint) in [
        (
            "[\"s\", \"u\"]",
            "graph.toml:6:43: connections[0].route[1]: unknown node \"u\"; known: \"a\", \"b\", \"s\", \"t\"",
        ),
        ("[\"t\"]", "graph.toml:6:37: connections[0].route: no link joins \"a\" and \"t\""),
        (
            "[\"s\", \"t\", \"s\", \"t\"]",
            "graph.toml:6:48: connections[0].route[2]: \"s\" is passed twice; a route must not loop",
        ),
        (
            "[\"a\", \"s\", \"t\"]",
            "graph.toml:6:38: connections[0].route[0]: \"a\" is a host; a route has the switches between its ends, without these",
        ),
    ] {
        assert_complaint("to = \"b\" }", &format!("to = \"b\", route = {route} }}"), complaint);
    }
    assert_complaint(
        "to = \"b\" }",
        "to = \"b\", route_back = [\"s\"] }",
        "graph.toml:6:42: connections[0].route_back: no link joins \"b\" and \"s\"",
    );
}

#[test]
fn managed_ports_are_at_switches_and_there_is_one_at_least() {
    assert_complaint(
        "{ from = \"t\", to = \"b\", rate = \"10 Mbit/s\", delay = \"1 ms\"",
        "{ from = \"t\", to = \"b\", rate = \"10 Mbit/s\", delay = \"1 ms\", managed = \"both\"",
        "graph.toml:17:75: topology.links[2].managed: \"b\" is a host, whose interface takes all that it sends; only switches have managed ports",
    );
    assert_complaint(
        ", managed = \"there\"",
        "",
        "graph.toml:14:9: topology.links: no link has a managed port; write managed = \"there\" at one at least, or name the line with the port in topology.bottleneck",
    );
    assert_complaint(
        "switches = [",
        "bottleneck = \"b to t\"\nswitches = [",
        "graph.toml:13:14: topology.bottleneck: no line \"b to t\" of a switch; known: \"s to a\", \"s to t\", \"t to s\", \"t to b\"; did you mean \"s to t\"?",
    );
}

#[test]
fn a_port_of_its_own_is_at_a_line_of_a_switch() {
    for (ports, complaint) in [
        (
            "[{ at = \"a to s\", buffer = \"5 packets\" }]",
            "graph.toml:8:17: ports[0].at: no line \"a to s\"; known: \"s to a\", \"s to t\", \"t to s\", \"t to b\"; did you mean \"t to s\"?",
        ),
        (
            "[{ at = \"s to t\" }, { at = \"s to t\" }]",
            "graph.toml:8:36: ports[1].at: the port \"s to t\" is listed twice; merge the entries",
        ),
        (
            "[{ at = \"s to t\", buffer = \"5 cells\" }]",
            "graph.toml:8:36: ports[0].buffer: 5 cells under framing \"packet\", where packets travel whole; write \"20 packets\", \"1 BDP\" or \"unlimited\"",
        ),
        (
            "[{ at = \"s to t\", queue = \"codel\", policy = \"epd\" }]",
            "graph.toml:8:53: ports[0].policy: queue \"codel\" takes the place of \"epd\"; leave one of them out",
        ),
    ] {
        assert_complaint("ports = []", &format!("ports = {ports}"), complaint);
    }
    assert_complaint(
        "managed = \"there\" }",
        "managed = \"there\", buffer = \"5 packets\" }",
        "graph.toml:16:84: topology.links[1].buffer: unknown key; known: \"name\", \"from\", \"to\", \"rate\", \"rate_back\", \"delay\", \"delay_back\", \"managed\"",
    );
}

#[test]
fn a_rate_back_is_that_there_or_its_own() {
    let complaint = "graph.toml:16:61: topology.links[1].rate_back: expected \"as-there\" or a rate with its unit (bit/s, kbit/s, Mbit/s, Gbit/s), such as \"155.52 Mbit/s\", found the text \"narrow\"";
    assert_complaint("delay = \"1 ms\", managed", "rate_back = \"narrow\", delay = \"1 ms\", managed", complaint);
    let complaint = "graph.toml:16:61: topology.links[1].rate_back: must be more than zero";
    assert_complaint("delay = \"1 ms\", managed", "rate_back = \"0 bit/s\", delay = \"1 ms\", managed", complaint);
}

#[test]
fn promises_are_kept_at_one_port_and_for_data() {
    let cells = SOUND
        .replace("framing = \"packet\"\n", "")
        .replace("20 packets\"", "1000 cells\", service = { kind = \"gfr\", minimum_cell_rate = \"1 Mbit/s\" }");
    let both = cells.replace("\"there\"", "\"both\"");
    let problems = Scenario::parse(both.as_bytes(), "graph.toml", &[]).err().unwrap_or_default();
    assert_eq!(
        problems,
        [
            "graph.toml:3:43: port.service: service \"gfr\" keeps its promises at one managed port, and the topology has 2"
        ]
    );
    let reverse = cells.replace("{ from = \"a\", to = \"b\" }", "{ from = \"b\", to = \"a\" }");
    let problems = Scenario::parse(reverse.as_bytes(), "graph.toml", &[]).err().unwrap_or_default();
    assert_eq!(
        problems,
        [
            "graph.toml:3:43: port.service: service \"gfr\" promises rates to data, and acknowledgments cross the bottleneck too"
        ]
    );
}

#[test]
fn a_line_of_its_own_is_known_and_listed_once_and_has_what_its_ends_can_do() {
    for (lines, complaint) in [
        (
            "[{ at = \"s to u\", loss = \"none\" }]",
            "graph.toml:8:17: lines[0].at: no line \"s to u\"; known: \"a to s\", \"s to a\", \"s to t\", \"t to s\", \"t to b\", \"b to t\"; did you mean \"s to a\"?",
        ),
        (
            "[{ at = \"t to s\" }, { at = \"t to s\" }]",
            "graph.toml:8:36: lines[1].at: the line \"t to s\" is listed twice; merge the entries",
        ),
        (
            "[{ at = \"a to s\", capacity = \"on-demand\" }]",
            "graph.toml:8:38: lines[0].capacity: \"on-demand\" is for a switch that asks for what waits at its port, and \"a to s\" begins at the host \"a\", which sends all at once; put a switch in between",
        ),
        (
            "[{ at = \"t to b\", path = { kind = \"leo\", gap = \"20 s\" } }]",
            "graph.toml:8:56: lines[0].path.gap: must be shorter than the interval",
        ),
        (
            "[{ at = \"b to t\", path = { kind = \"schedule\", steps = \"time_s,delay_s\\n0,61\" } }]",
            "graph.toml:8:63: lines[0].path.steps: line 2: delay_s must be a number from 0 to 60, found \"61\"",
        ),
        (
            "[{ at = \"b to t\", path = { kind = \"schedule\", steps = \"steps.csv\" } }]",
            "graph.toml:8:63: lines[0].path.steps: line 1: unknown column \"steps.csv\"; known: time_s, rate_bps, delay_s, jitter_s, loss; expected \
             the table itself; to read it from a file, use --set 'lines[0].path.steps=@FILE'",
        ),
        (
            "[{ at = \"b to t\", loss = { kind = \"list\", drops = [1000] } }]",
            "graph.toml:8:59: lines[0].loss.drops: flow 1: packet 1000 never comes; the line brings at most 313 in 10 ms",
        ),
    ] {
        assert_complaint("ports = []", &format!("lines = {lines}"), complaint);
    }
}

#[test]
fn n_sources_have_ends_of_their_own() {
    let problems = super::complaints_with(&[("connections", "[{ count = 1, from = 'a', route = ['s'] }]")]);
    let complaint = |key: &str| {
        let (given, why) = (
            "[{ count = 1, from = 'a', route = ['s'] }]",
            "topology \"n-source\" gives each connection a source and a destination of its own; leave it out, or write topology.kind = \"graph\"",
        );
        format!("--set connections={given}: connections[0].{key}: {why}")
    };
    assert_eq!(problems, [complaint("from"), complaint("route")]);
}
