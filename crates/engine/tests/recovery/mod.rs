//! Loss recoveries by hand, segment by segment, at the sender alone: segments sent at each acknowledgment, and the resulting window.

mod bench;
mod delayed_retransmit;
mod deliveries;
mod limited_transmit;
mod marks;
mod newreno;
mod newreno_rfc6582;
mod rack_tlp;
mod reno;
mod sack;
mod sack_rfc6675;
mod tahoe;
