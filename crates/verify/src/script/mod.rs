//! Scripts of an exchange, as packetdrill has them (Cardwell and others, USENIX ATC 2013): acknowledgments that reach a sender of TCP or QUIC, and
//! what it must send at which time. There is no network; the text plays the receiver.

mod play;
mod player;
mod quic;
mod read;
mod tcp;

pub use play::{Line, Played, play};
pub use read::{Script, read};

/// End systems of a script that sets nothing: an open connection with segments of 1,000 bytes.
pub const BASE: &str = "schema_version = 1\nduration = \"1 h\"\nframing = \"packet\"\nport.buffer = \"unlimited\"\n\
    topology = { kind = \"n-source\", sources = 1, access = { rate = \"1 Gbit/s\", delay = \"1 ms\" }, \
    bottleneck = { rate = \"1 Gbit/s\", delay = \"1 ms\" } }\n\
    tcp = { mss = \"1000 B\", receiver_window = \"1 MB\", initial_window = \"10 MSS\", initial_ssthresh = \"unlimited\", \
    timer_granularity = \"1 ms\" }\n";
