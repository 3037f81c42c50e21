//! Framings and topologies: what a network is made of.

use longfat_engine::config::{Parameter, Reader, parse_fragment};
use longfat_engine::framing::{FRAMINGS, Framing, Unit};
use longfat_engine::registry::{Chosen, Family};
use longfat_engine::topology::{Graph, Routes, TOPOLOGIES, Topology};
use longfat_engine::units::{CELL_BITS, CELL_PAYLOAD_BYTES, Span};
use proptest::prelude::*;

use crate::support::declared::{SMALLEST_TOPOLOGIES, any_table, table};
use crate::support::scenario;

fn choose<F: Family + ?Sized>(text: &str) -> Chosen<F> {
    let mut reader = Reader::default();
    Chosen::read(&parse_fragment(text), &mut reader).unwrap_or_else(|| panic!("{text}: {:?}", reader.problems))
}

fn any_framing() -> impl Strategy<Value = String> {
    let tables = FRAMINGS.iter().map(|entry| any_table(Some(entry.name), &(entry.parameters)(), &[]));
    prop::strategy::Union::new(tables.collect::<Vec<_>>())
}

proptest! {
    #[test]
    fn a_framing_has_room_for_the_data_and_its_headers_and_wastes_little(
        text in any_framing(), payload in 0_u64..70_000, options in 0_u64..=40,
    ) {
        let framing = choose::<dyn Framing>(&text).build(&());
        let (cells, bits) = (framing.cells(payload, options), framing.bits(payload, options));
        let bytes_in_cells = match framing.unit() {
            Unit::Cell => {
                prop_assert_eq!(bits, cells * CELL_BITS);
                cells * CELL_PAYLOAD_BYTES
            }
            Unit::Packet => {
                prop_assert_eq!((cells, bits % 8), (1, 0));
                bits / 8
            }
        };
        // 20 bytes of TCP header and 20 of IP header at least.
        prop_assert!(bytes_in_cells >= payload + options + 40, "{bytes_in_cells} bytes for {payload}");
        // Headers of frames and of transport packets are spread over the packets inside: `dvb-mpe` has the most, 4 bytes for each 184.
        prop_assert!(bytes_in_cells < payload + options + 270 + payload / 46, "{bytes_in_cells} bytes for {payload}");
        // A UDP header has 12 bytes less than one of TCP.
        prop_assert_eq!(framing.datagram(payload + options + 12), (cells, bits));
        let more = framing.bits(payload + 1, options) - bits;
        let transport_packet = 8 * 188;
        prop_assert!([0, 8, 16, CELL_BITS, transport_packet].contains(&more), "a byte more costs {more} bits");
    }
}

/// Every registered topology: as small as its declaration allows, or as small as makes sense.
fn graphs() -> impl Iterator<Item = (&'static str, Graph)> {
    TOPOLOGIES.iter().map(|entry| {
        let smallest = SMALLEST_TOPOLOGIES.iter().find(|(name, ..)| *name == entry.name);
        let (topology, connections) = smallest.map_or_else(
            || (table(&(entry.parameters)(), Some(entry.name)), "[]".to_owned()),
            |(_, topology, connections)| ((*topology).to_owned(), (*connections).to_owned()),
        );
        let text = format!(
            "schema_version = 1\nduration = \"1 s\"\nport.buffer = \"1 RTT\"\ntopology = {topology}\nconnections = {connections}\n"
        );
        (entry.name, scenario(&text).graph())
    })
}

#[test]
fn every_path_joins_two_hosts_through_switches_and_the_way_back_joins_them_again() {
    for (name, graph) in graphs() {
        assert!(!graph.flows.is_empty(), "{name} has no flows");
        for flow in &graph.flows {
            for path in [&flow.forward, &flow.backward] {
                let joined = path.windows(2).all(|pair| graph.links[pair[0]].to == graph.links[pair[1]].from);
                assert!(joined, "{name}: a gap in {path:?}");
                let through = path[1..].iter().all(|&link| !graph.nodes[graph.links[link].from].is_host);
                assert!(through, "{name}: {path:?} passes a host");
            }
            let ends = |path: &[usize]| (graph.links[path[0]].from, graph.links[path[path.len() - 1]].to);
            let (sender, receiver) = ends(&flow.forward);
            assert_eq!(ends(&flow.backward), (receiver, sender), "{name}");
            assert!(graph.nodes[sender].is_host && graph.nodes[receiver].is_host, "{name}");
        }
    }
}

#[test]
fn every_topology_has_a_managed_bottleneck_with_a_way_back_and_names_that_tell_links_apart() {
    for (name, graph) in graphs() {
        let bottleneck = graph.bottleneck_number().unwrap_or_else(|| panic!("{name} has no managed link"));
        let opposite = graph.opposite(bottleneck).unwrap_or_else(|| panic!("{name} has no way back"));
        assert_eq!(graph.opposite(opposite), Some(bottleneck), "{name}");
        assert!(!graph.nodes[graph.links[opposite].to].is_host, "{name}: losses act where a switch forwards");
        let mut names: Vec<_> = (0..graph.links.len()).map(|number| graph.link_name(number)).collect();
        names.sort_unstable();
        assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{name}: {names:?}");
    }
}

#[test]
fn routes_follow_the_paths_of_all_flows() {
    for (name, graph) in graphs() {
        let routes = Routes::of(&graph);
        for (number, flow) in graph.flows.iter().enumerate() {
            for (circuit, path) in [(2 * number, &flow.forward), (2 * number + 1, &flow.backward)] {
                for &link in &path[1..] {
                    assert_eq!(routes.outlet(graph.links[link].from, circuit), Some(link), "{name}, circuit {circuit}");
                }
            }
        }
    }
}

/// UBR+ section 3.1: three links of 5 us or 5 ms each way; round trips of 30 us and 30 ms.
#[test]
fn the_round_trips_of_the_papers_are_three_links_there_and_three_back() {
    for (delay, round_trip) in [("5 us", Span::from_microseconds(30)), ("5 ms", Span::from_microseconds(30_000))] {
        let text = format!(
            "{{ kind = \"n-source\", sources = 5, access.delay = \"{delay}\", bottleneck.delay = \"{delay}\" }}"
        );
        let graph = choose::<dyn Topology>(&text).build(&()).graph(&[]).expect("there are no groups");
        assert_eq!(graph.flows.len(), 5);
        assert!(graph.flows.iter().all(|flow| graph.round_trip(flow) == round_trip), "{delay}");
    }
}
