//! Bytes in flight as reported to a law with delivery samples: BBR with the recovery of RFC 6675.

use longfat_engine::random::Chance;
use longfat_engine::transport::{Acknowledgment, Sender, TickClock};

use super::bench::{MSS, ms};
use crate::support::n_source;

/// Ten segments of 100 bytes in flight, paced.
fn sender() -> Sender {
    let rest = "port.buffer = \"unlimited\"
tcp = { mss = \"100 B\", receiver_window = \"4000 B\", initial_window = \"10 MSS\", flavor = \"bbr\" }";
    let config = n_source(1, "155.52 Mbit/s", "5 us", "1 s", rest).tcp;
    let clock = TickClock::new(
        config.timer_granularity.0,
        config.timer_phase,
        &mut Chance { seed: 1, replication: 0 }.stream("clock"),
    );
    let (mut sender, mut sent) = (Sender::new(&config, clock), Vec::new());
    sender.offer(ms(0), u64::MAX, &mut sent);
    while sent.len() < 10 {
        let next = sender.expires().expect("the next segment is paced");
        assert!(next < ms(1), "{next:?}");
        sender.expire(next, &mut sent);
    }
    sender
}

/// The window at a loss is the data in the network plus the data delivered: 5 to 9; 10 and 11, which the first two duplicates released; 0,
/// which is retransmitted; and one segment.
#[test]
fn what_is_lost_is_not_in_the_network_and_what_was_sent_again_is() {
    let mut sender = sender();
    for end in 3..=5 {
        let blocks = [(200, 100 * end)].into_iter().collect();
        let acknowledgment = Acknowledgment { next: 0, blocks, ..Acknowledgment::default() };
        sender.acknowledge(ms(10 + end), acknowledgment, &mut Vec::new());
    }
    assert_eq!(sender.statistics().fast_retransmits, 1);
    assert_eq!(sender.window().cwnd / MSS, 9.0);
}
