//! Sources: when they start and what they hand over.

use longfat_engine::config::{Parameter, Reader, parse_fragment};
use longfat_engine::random::Chance;
use longfat_engine::registry::Chosen;
use longfat_engine::traffic::{SOURCES, Source, SourceContext};
use longfat_engine::units::{Span, Time};

use crate::support::declared::table;

fn choose(text: &str) -> Chosen<dyn Source> {
    let mut reader = Reader::default();
    let chosen = Chosen::read(&parse_fragment(text), &mut reader);
    chosen.unwrap_or_else(|| panic!("{text}: {:?}", reader.problems))
}

/// Context of a lone source.
pub fn context(seed: u64, replication: u64, name: &str) -> SourceContext {
    SourceContext {
        chance: Chance { seed, replication }.stream(name),
        number: 0,
        later: Span::ZERO,
        until: Time(1_000_000_000_000),
        senders: 1,
    }
}

#[test]
fn every_source_offers_data_and_never_wakes_in_the_past() {
    for entry in SOURCES {
        let chosen = choose(&table(&(entry.parameters)(), Some(entry.name)));
        let mut source = chosen.build(&context(1, 0, "source"));
        let (mut now, mut offered) = (source.start(), 0_u64);
        for _ in 0..1000 {
            let wake = source.wake(now);
            offered = offered.saturating_add(wake.bytes);
            let Some(next) = wake.next else { break };
            assert!(next > now, "{}: woken at {now:?}, wants to wake at {next:?}", entry.name);
            now = next;
        }
        assert!(offered > 0, "{} never offers a byte", entry.name);
    }
}

#[test]
fn connections_are_counted_without_being_made() {
    let sizes = "size = { kind = 'fixed', size = '10 kB' }, interval = '10 ms'";
    let flows = |more: &str| choose(&format!("{{ kind = 'flows', {sizes}, {more} }}")).build(&context(5, 1, "source"));
    for arrivals in ["poisson", "evenly-spaced"] {
        for rest in ["", ", count = 1", ", count = 7", ", start = '1 s'", ", connections = 'persistent'"] {
            let source = flows(&format!("arrivals = '{arrivals}'{rest}"));
            for milliseconds in [0, 1, 10, 30, 31, 500] {
                let until = Time::ZERO + Span::from_microseconds(1000 * milliseconds);
                let made = source.connections(until).map(|connections| connections.len());
                assert_eq!(source.number_of_connections(until), made, "{arrivals}{rest}, {milliseconds} ms");
            }
        }
    }
    let page = "{ kind = 'closed-loop', size = { kind = 'fixed', size = '10 kB' }, count = 'unlimited'";
    for (more, at_once) in
        [("request = '10 ms'", 50), ("request = '10 ms', embedded = 3", 100), ("pause = '5 ms'", 100)]
    {
        let source = choose(&format!("{page}, {more} }}")).build(&context(5, 1, "source"));
        let half_a_second = Time(500_000_000_000);
        let made = source.connections(half_a_second).map(|connections| connections.len());
        assert_eq!((source.number_of_connections(half_a_second), made), (Some(at_once), made), "{more}");
    }
    let half_a_second = Time(500_000_000_000);
    assert_eq!(flows("arrivals = 'evenly-spaced'").number_of_connections(half_a_second), Some(50));
}

#[test]
fn files_of_pages_depend_on_the_user_and_the_page_alone() {
    let page = "{ kind = 'closed-loop', size = { kind = 'exponential', mean = '10 kB' }, count = 20, embedded = 2";
    let sizes = |seed, more: &str| {
        let files =
            choose(&format!("{page}{more} }}")).build(&context(seed, 1, "source")).connections(Time(1_000_000_000_000));
        files.expect("each has a connection").iter().map(|file| file.size()).collect::<Vec<_>>()
    };
    let all = sizes(5, "");
    assert_eq!(all.len(), 60);
    assert_eq!(all, sizes(5, ", pause = 'uniform(1 ms, 2 ms)', request = '1 ms', start = '2 ms', name = 'other'"));
    assert_ne!(all, sizes(6, ""));
}

#[test]
fn a_source_with_the_same_chance_does_the_same_again() {
    for entry in SOURCES {
        let chosen = choose(&table(&(entry.parameters)(), Some(entry.name)));
        let mut twins = [(); 2].map(|()| chosen.build(&context(7, 3, "source")));
        let mut now = twins[0].start();
        assert_eq!(now, twins[1].start(), "{}", entry.name);
        for _ in 0..1000 {
            let [first, second] = twins.each_mut().map(|source| source.wake(now));
            assert_eq!(first, second, "{} at {now:?}", entry.name);
            let Some(next) = first.next else { break };
            now = next;
        }
    }
}

#[test]
fn a_start_is_drawn_from_its_interval_for_each_connection_and_replication() {
    let start = |low: u64, high: u64, replication: u64, flow: u64| {
        let text = format!("{{ kind = \"infinite\", start = \"uniform({low} ms, {high} ms)\" }}");
        choose(&text).build(&context(1, replication, &format!("flow/{flow}/source"))).start()
    };
    let millisecond = |n: u64| Time::ZERO + Span::from_microseconds(1000 * n);
    let mut starts = Vec::new();
    for replication in 0..20 {
        for flow in 1..=5 {
            let time = start(3, 9, replication, flow);
            assert!((millisecond(3)..millisecond(9)).contains(&time), "{time:?}");
            starts.push(time);
        }
    }
    starts.sort_unstable();
    assert!(starts.windows(2).all(|pair| pair[0] < pair[1]), "two of 100 starts are equal: {starts:?}");
    // The smallest and the largest of a hundred draws are within a tenth of the ends but once in 18000 times.
    assert!(starts[0] < Time(3_600_000_000) && starts[99] > Time(8_400_000_000), "{:?}..{:?}", starts[0], starts[99]);
    assert_eq!(start(4, 4, 0, 1), millisecond(4), "an interval without width draws nothing");
}

#[test]
fn each_connection_of_a_staggered_row_starts_later_than_the_one_before() {
    for entry in SOURCES {
        let text =
            table(&(entry.parameters)(), Some(entry.name)).replace(" }", ", start = \"2 ms\", stagger = \"5 ms\" }");
        let start = |number| {
            let context = SourceContext { number, ..context(1, 0, "source") };
            choose(&text).build(&context).start()
        };
        let at = |milliseconds: u64| Time::ZERO + Span::from_microseconds(1000 * milliseconds);
        assert_eq!([0, 1, 2].map(start), [2, 7, 12].map(at), "{}", entry.name);
    }
}

#[test]
fn a_source_that_asks_answers_every_request_once_and_in_order() {
    let mut asking = 0;
    for entry in SOURCES {
        let mut source = choose(&table(&(entry.parameters)(), Some(entry.name))).build(&context(5, 2, "source"));
        if !source.asks() {
            assert!(source.exchange().is_none(), "{} asks nothing and reports an exchange", entry.name);
            continue;
        }
        asking += 1;
        // Bytes of requests reach the server in pieces that end anywhere.
        let (mut now, mut requested, mut answered, mut arrived) = (source.start(), 0, 0, 0);
        for step in 0..1000_u64 {
            let wake = source.wake(now);
            requested += wake.bytes;
            arrived += (requested - arrived) * (step % 3) / 2;
            answered += source.answer(arrived);
            source.note_delivered(now, answered / 2);
            now = wake.next.unwrap_or(now);
        }
        answered += source.answer(requested);
        source.note_delivered(now, answered);
        let exchange = source.exchange().expect("it asks");
        assert_eq!(exchange.made * exchange.request_bytes, requested, "{}", entry.name);
        assert_eq!((exchange.answered, exchange.files_delivered), (exchange.made, exchange.made), "{}", entry.name);
        assert_eq!((exchange.bytes_asked, exchange.bytes_answered), (answered, answered), "{}", entry.name);
        assert_eq!(source.answer(requested), 0, "{} answers twice", entry.name);
    }
    assert!(asking > 0, "no registered source asks");
}

/// (microseconds, bytes) of the first wakes that hand over anything.
fn wakes(text: &str, number: usize) -> Vec<(u64, u64)> {
    let mut source = choose(text).build(&context(1, 0, "source"));
    let (mut now, mut found) = (source.start(), Vec::new());
    while found.len() < number {
        let wake = source.wake(now);
        found.extend((wake.bytes > 0).then_some((now.0 / 1_000_000, wake.bytes)));
        let Some(next) = wake.next else { break };
        now = next;
    }
    found
}

/// 2500 bytes at 8 Mbit/s take 2.5 ms; then a pause of 20 ms.
#[test]
fn a_burst_is_handed_over_at_its_rate_and_the_pause_counts_from_its_end() {
    let text = "{ kind = 'on-off', burst = { kind = 'fixed', size = '2500 B' }, rate = '8 Mbit/s', pause = '20 ms', \
                pauses = 'fixed', start = '1 ms' }";
    let burst = |at: u64| [(at, 1000), (at + 1000, 1000), (at + 2000, 500)];
    assert_eq!(wakes(text, 6), [burst(1_000), burst(23_500)].concat());
}

/// Of a Poisson process with a mean of 1 ms: the number in 100 s is 100,000 with a standard deviation of 316, and a share of 1/e of the times
/// between are longer than the mean.
#[test]
#[expect(clippy::cast_precision_loss, reason = "counts")]
fn flows_arrive_as_a_poisson_process_whatever_their_sizes() {
    let text = |size| format!("{{ kind = 'flows', size = {size}, interval = '1 ms', connections = 'persistent' }}");
    let small = wakes(&text("{ kind = 'fixed', size = '1 B' }"), 110_000);
    let in_time = small.iter().filter(|(at, _)| *at < 100_000_000).count();
    assert!((98_736..101_264).contains(&in_time), "{in_time}");
    let long = small.windows(2).filter(|pair| pair[1].0 - pair[0].0 > 1_000).count();
    assert!((0.362..0.374).contains(&(long as f64 / 109_999.0)), "{long}");
    let large = wakes(&text("{ kind = 'exponential', mean = '1 MB' }"), 110_000);
    assert!(small.iter().zip(&large).all(|(one, other)| one.0 == other.0), "sizes move arrivals");
}

/// 160 bytes of G.711 in 20 ms, or 20 of G.729, with 12 of RTP header (RFC 3551).
#[test]
fn a_call_without_silences_is_a_packet_every_interval() {
    for (codec, bytes) in [("G.711", 172), ("G.729", 32)] {
        let call = wakes(&format!("{{ kind = 'voip', codec = '{codec}', silence = '0 s', start = '3 ms' }}"), 100);
        assert!(call.iter().zip(0..).all(|(wake, number)| *wake == (3_000 + 20_000 * number, bytes)), "{call:?}");
    }
}

/// A spurt of exponential length with mean 1004 ms has 1 / (1 - exp(-20 / 1004)) = 50.7 packets in the mean, and with the silence after it
/// takes 2591 ms: 19.57 packets a second. Of 7700 spurts in 20,000 s, that has a standard deviation of about 1.4 %.
#[test]
#[expect(clippy::cast_precision_loss, reason = "counts")]
fn talk_spurts_and_silences_have_the_means_of_p_59() {
    let packets = wakes("{ kind = 'voip' }", 400_000);
    let seconds = packets[399_999].0 as f64 / 1e6;
    assert!((400_000.0 / seconds / 19.57 - 1.0).abs() < 0.05, "{} a second", 400_000.0 / seconds);
    let silences = packets.windows(2).filter(|pair| pair[1].0 - pair[0].0 > 20_000).count();
    assert!((400_000.0 / silences as f64 / 50.7 - 1.0).abs() < 0.05, "{silences} silences");
}

#[test]
fn probes_of_a_poisson_process_have_the_mean_interval_and_no_regular_one() {
    let poisson = wakes("{ kind = 'probe', interval = '1 ms', spacing = 'poisson' }", 100_001);
    let seconds = poisson[100_000].0;
    assert!((98_500_000..101_500_000).contains(&seconds), "{seconds} us for 100,000 intervals");
    let long = poisson.windows(2).filter(|pair| pair[1].0 - pair[0].0 > 1_000).count();
    assert!((36_200..37_400).contains(&long), "a share of 1/e is longer than the mean: {long}");
}
