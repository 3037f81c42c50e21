//! Texts that are made to cost time or memory: refused, or read in proportion to their length.

use std::fmt::Write;

use longfat_engine::config::MOST_PROBLEMS;

use super::{SOUND, complaints};

/// The valid scenario with a list of connections.
fn with_connections(sources: usize, group: &str, groups: usize) -> String {
    let text = SOUND.replace("sources = 2", &format!("sources = {sources}"));
    format!("connections = [{}]\n{text}", vec![group; groups].join(", "))
}

/// A graph in which a chain of switches joins each of `hosts` hosts to all others, with a connection from the first to each other one.
fn chain(switches: usize, hosts: usize) -> String {
    let named = |letter: char, count: usize| {
        (0..count).map(|number| format!("\"{letter}{number}\"")).collect::<Vec<_>>().join(", ")
    };
    let line = |from: String, to: String, more: &str| {
        format!("{{ from = \"{from}\", to = \"{to}\", rate = \"1 Gbit/s\", delay = \"1 us\"{more} }}")
    };
    let mut links: Vec<_> = (1..switches)
        .map(|number| line(format!("s{}", number - 1), format!("s{number}"), ", managed = \"both\""))
        .collect();
    links.extend((0..hosts).map(|number| line(format!("h{number}"), format!("s{}", number % switches), "")));
    let groups: Vec<_> = (1..hosts).map(|number| format!("{{ from = \"h0\", to = \"h{number}\" }}")).collect();
    format!(
        "schema_version = 1\nduration = \"10 ms\"\nport.buffer = \"10 cells\"\nconnections = [{}]\n\
         [topology]\nkind = \"graph\"\nhosts = [{}]\nswitches = [{}]\nlinks = [{}]\n",
        groups.join(", "),
        named('h', hosts),
        named('s', switches),
        links.join(", "),
    )
}

#[test]
fn of_very_many_mistakes_the_first_are_told_and_the_others_counted() {
    let mut text = String::new();
    for number in 0..20_000 {
        writeln!(text, "k{number} = {number}").expect("a text takes all");
    }
    let problems = complaints(format!("{text}{SOUND}").as_bytes(), "long.toml");
    assert_eq!(problems.len(), MOST_PROBLEMS + 1);
    assert!(problems[0].starts_with("long.toml:1:1: k0: unknown key; known: "), "{}", problems[0]);
    assert_eq!(problems[MOST_PROBLEMS], format!("long.toml: and {} more problems", 20_000 - MOST_PROBLEMS));
}

#[test]
fn a_key_that_is_given_very_often_is_told_as_often_as_other_mistakes() {
    let text = format!("{{{}}}", vec!["\"seed\": 1"; 50_000].join(","));
    let problems = complaints(text.as_bytes(), "long.json");
    assert_eq!(problems.len(), MOST_PROBLEMS + 1);
    assert_eq!(problems[0], "long.json:1:12: seed: given twice");
}

#[test]
fn a_text_that_is_longer_than_any_scenario_is_refused_by_its_length() {
    let problems = complaints(&vec![b'x'; (64 << 20) + 1], "long.toml");
    assert_eq!(problems, ["long.toml: 64 MiB of text; at most 64 MiB are read"]);
}

#[test]
fn more_groups_of_connections_than_can_be_gone_through_are_refused() {
    let problems = complaints(with_connections(20_000, "{ count = 1 }", 10_001).as_bytes(), "groups.toml");
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert!(problems[0].contains("connections: 10001 groups; at most 10000"), "{}", problems[0]);
}

#[test]
fn flows_of_many_groups_are_counted_together() {
    let flows = r#"{ traffic = { kind = "flows", interval = "20 ns", size = { kind = "fixed", size = "1 kB" } } }"#;
    let problems = complaints(with_connections(100, flows, 100).as_bytes(), "flows.toml");
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert!(problems[0].contains("connections: the senders' traffic has over 1000000 connections"), "{}", problems[0]);
}

#[test]
fn a_graph_is_refused_before_its_routes_take_long_to_find() {
    let message = |text: String| {
        let problems = complaints(text.as_bytes(), "graph.toml");
        assert_eq!(problems.len(), 1, "{problems:?}");
        problems[0].clone()
    };
    let links = message(chain(4_100, 2));
    assert!(links.contains("topology.links: 4101 links; a graph has at most 4000"), "{links}");
    let pairs = message(chain(500, 1_000));
    assert!(
        pairs.contains("connections: 999 pairs of hosts in a graph of 1499 links; the product is at most 1000000"),
        "{pairs}"
    );
    let connections = message(chain(2, 3).replace(r#"to = "h1" }"#, r#"to = "h1", count = 100_000 }"#));
    assert!(connections.contains("connections: 100001 connections; at most 100000"), "{connections}");
    let nodes = message(chain(2, 2).replace("switches = [", r#"switches = ["a", "b", "c", "d", "e", "#));
    assert!(nodes.contains("topology.links: 9 nodes, but 3 links join at most 6"), "{nodes}");
}

#[test]
fn terminals_are_refused_before_a_buffer_of_each_is_settled() {
    let text = r#"
schema_version = 1
duration = "1 s"
framing = "packet"
port.buffer = "1 BDP"

[topology]
kind = "terminals"
terminals = 100_000
access = { rate = "100 Mbit/s", delay = "1 ms" }
servers = { rate = "1 Gbit/s", delay = "1 ms" }
satellite = { forward_rate = "100 Mbit/s", terminal_rate = "4 Mbit/s", return_rate = "20 Mbit/s" }
"#;
    let problems = complaints(text.as_bytes(), "terminals.toml");
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert!(problems[0].contains("topology.terminals: 100000 terminals; at most 2000"), "{}", problems[0]);
}

#[test]
fn a_message_lists_the_first_of_very_many_names() {
    let text = chain(400, 2).replace(r#"{ from = "h0", to = "h1" }"#, r#"{ from = "h0", to = "nowhere" }"#);
    let problems = complaints(text.as_bytes(), "graph.toml");
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert!(problems[0].contains(r#"unknown node "nowhere"; known: "h0", "h1", "s0""#), "{}", problems[0]);
    assert!(problems[0].ends_with("and 342 more"), "{}", problems[0]);
}

#[test]
fn too_many_flows_are_refused_also_where_proxies_look_at_all_connections() {
    let proxies = "proxies = { kind = 'split-tcp', buffer = '1 MB' }";
    let flows = r#"{ kind = "flows", interval = "20 ns", size = { kind = "fixed", size = "1 kB" } }"#;
    let of_groups = with_connections(100, &format!("{{ traffic = {flows} }}"), 100);
    let problems = complaints(format!("{proxies}\n{of_groups}").as_bytes(), "flows.toml");
    assert!(problems[0].contains("connections: the senders' traffic has over"), "{problems:?}");
    let of_all = flows.replace("20 ns", "1 ps");
    let problems = complaints(format!("{proxies}\ntraffic = {of_all}\n{SOUND}").as_bytes(), "flows.toml");
    assert!(problems[0].contains("traffic.interval: about"), "{problems:?}");
}
