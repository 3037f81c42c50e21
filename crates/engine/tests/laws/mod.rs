//! Laws for any network, and examples worked by hand.

mod background;
mod background_on_paths;
mod blocks;
mod capacity;
mod classes;
mod conservation;
mod datagrams;
mod delivery;
mod divergence;
mod drivers;
mod frame_rates;
mod graphs;
mod groups;
mod integer_window;
mod ledger;
mod lines;
mod lone_flow;
mod losses;
mod measured;
mod narrow_way_back;
mod packets;
mod paths;
mod proxies;
mod queue_disciplines;
mod random_graphs;
mod random_networks;
mod random_traffic;
mod reordering;
mod return_links;
mod sources;
mod stacks;
mod terminals;
mod timeouts;
mod unlimited_buffer;
mod www;

pub use random_networks::{any_network, any_tcp, in_blocks, is_paced, longest_timeout, parse};
