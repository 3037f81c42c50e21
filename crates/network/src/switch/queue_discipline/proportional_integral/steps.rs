//! Steps of PIE, one by one.

use longfat_hosts::transport::Codepoint;

use super::super::test_support::{PACKET_BYTES, at, context, packet, read};
use super::*;

const DROPS_ALWAYS: f64 = 9.0;

/// A queue of so many packets of 1500 bytes that is controlled since 0 ms, in which every packet would be dropped.
fn queue(packets: usize, room: Room) -> Queue {
    let mut queue = Queue::new(&read("{}"), &context(room));
    (0..packets).for_each(|_| queue.queue.push(packet(0, Codepoint::NotCapable)));
    queue.control = Control {
        period_began: Some(at(0)),
        probability: 0.3,
        delay: 0.02,
        accumulated: DROPS_ALWAYS,
        ..Control::default()
    };
    queue
}

/// RFC 8033 section 5.3: the control rests when the queue is empty, nothing is dropped and the delay was none twice.
#[test]
fn control_goes_on_until_the_queue_is_empty_and_nothing_is_left_of_probability_and_delay() {
    let goes_on = |packets, probability, delay| {
        let mut queue = queue(packets, Room::default());
        (queue.control.probability, queue.control.delay) = (probability, delay);
        queue.catch_up(at(15));
        queue.control.period_began.is_some()
    };
    assert!(!goes_on(0, 0.0, 0.0));
    assert!(goes_on(0, 0.3, 0.0) && goes_on(0, 0.0, 0.001) && goes_on(1, 0.0, 0.0));
}

#[test]
fn an_empty_queue_has_no_delay_and_another_that_of_the_packet_that_left_last() {
    for (packets, delay) in [(0, 0.0), (1, 0.02)] {
        let mut queue = queue(packets, Room::default());
        queue.departures.note(at(20), &packet(0, Codepoint::NotCapable), 0);
        assert_eq!(queue.current_delay(), delay);
    }
}

/// RFC 8033 sections 4.1 and 5.4. Two packets of average size are 2048 bytes.
#[test]
fn a_packet_is_exempt_from_drops_without_control_in_a_burst_in_a_mild_state_and_in_a_short_queue() {
    let drops = |change: fn(&mut Queue)| {
        let mut queue = queue(2, Room::default());
        change(&mut queue);
        queue.drops_early()
    };
    assert!(drops(|_| {}));
    assert!(!drops(|queue| queue.control.period_began = None));
    assert!(!drops(|queue| queue.control.burst_left = Span(1)));
    assert!(!drops(|queue| _ = queue.queue.pop()), "1500 bytes");
    let mild = |delay, probability| {
        let mut queue = queue(2, Room::default());
        (queue.control.delay, queue.control.probability) = (delay, probability);
        !queue.drops_early()
    };
    assert!(mild(0.0074, 0.19));
    assert!(!mild(0.0075, 0.19), "half of the target");
    assert!(!mild(0.0074, 0.2));
}

/// Section 5.4.
#[test]
fn chance_decides_from_a_sum_of_085_on_and_no_more_from_85_on() {
    let drops = |accumulated, probability| {
        let mut queue = queue(2, Room::default());
        let draw = |queue: &mut Queue| {
            (queue.control.accumulated, queue.control.probability) = (accumulated, probability);
            queue.drops_early()
        };
        (0..50).filter(|_| draw(&mut queue)).count()
    };
    assert_eq!(drops(0.0, 0.8499), 0);
    assert!((30..50).contains(&drops(0.0, 0.85)), "{}", drops(0.0, 0.85));
    assert_eq!(drops(1.0, 1e-9), 0);
    assert_eq!(drops(8.4999, 1e-9), 0);
    assert_eq!(drops(8.5, 1e-9), 50);
}

#[test]
fn a_queue_is_controlled_from_a_third_of_its_buffer_on_or_two_packets_where_it_has_no_limit() {
    let is_woken = |room, packets| {
        let mut queue = queue(packets, room);
        queue.control = Control::default();
        queue.wake(at(7));
        assert_eq!(
            queue.control.burst_left,
            if queue.control.period_began.is_some() { queue.config.burst.0 } else { Span::ZERO }
        );
        queue.control.period_began == Some(at(7))
    };
    let packets = Room { packets: Some(12), bytes: None };
    assert!(is_woken(packets, 4) && !is_woken(packets, 3));
    let bytes = Room { packets: None, bytes: Some(12 * PACKET_BYTES) };
    assert!(is_woken(bytes, 4) && !is_woken(bytes, 3));
    assert!(is_woken(Room::default(), 2) && !is_woken(Room::default(), 1));
    let mut exactly = queue(0, Room::default());
    exactly.control = Control::default();
    exactly.queue.push(Waiting { bytes: 2048, ..packet(0, Codepoint::NotCapable) });
    exactly.wake(at(7));
    assert_eq!(exactly.control.period_began, None, "more than two packets");
    exactly.queue.push(Waiting { bytes: 1, ..packet(0, Codepoint::NotCapable) });
    exactly.wake(at(7));
    assert!(exactly.control.period_began.is_some());
}

/// Section 4.2: the delay was below half of the target, 7.5 ms, twice, and the probability is none.
#[test]
fn a_burst_is_let_in_again_once_nothing_is_dropped_and_the_delay_stays_small() {
    let is_let_in = |probability, before, delay| {
        let mut control = Control { probability, delay: before, ..Control::default() };
        control.update(&read("{}"), delay);
        control.burst_left > Span::ZERO
    };
    assert!(is_let_in(0.0, 0.0074, 0.0));
    assert!(!is_let_in(0.5, 0.0074, 0.0));
    assert!(!is_let_in(0.0, 0.0075, 0.0));
    assert!(!is_let_in(0.0, 0.02, 0.0));
    assert!(is_let_in(0.0, 0.0074, 0.0074) && !is_let_in(0.0, 0.0074, 0.0075));
    assert!(!is_let_in(0.0, 0.0149, 0.0149), "nor below the target");
    assert!(!is_let_in(0.0, 0.0, 0.02));
}

#[test]
fn each_range_of_the_damping_ends_below_its_limit() {
    assert_eq!([0.000_001, 0.000_01, 0.000_1, 0.001, 0.01, 0.1].map(damping), [512.0, 128.0, 32.0, 8.0, 2.0, 1.0]);
}

/// Section 5.1.
#[test]
fn packets_are_marked_only_below_the_limit_for_marks() {
    for (probability, is_marked) in [(0.0999, true), (0.1, false)] {
        let mut queue = queue(3, Room::default());
        queue.control.probability = probability;
        let mut dropped = Vec::new();
        queue.enqueue(packet(0, Codepoint::Classic), &mut dropped);
        assert_eq!((dropped.len(), queue.len()), if is_marked { (0, 4) } else { (1, 3) });
    }
}
