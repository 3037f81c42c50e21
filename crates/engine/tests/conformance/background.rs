//! Backgrounds: when datagrams come, and how large they are.

use longfat_engine::background::{BACKGROUNDS, Background, Emission};
use longfat_engine::config::{Parameter, Reader, parse_fragment};
use longfat_engine::framing::FRAMINGS;
use longfat_engine::registry::Chosen;
use longfat_engine::units::Time;
use proptest::prelude::*;

use super::declarations::context_of_background;
use crate::support::declared::any_table;

fn choose(text: &str) -> Chosen<dyn Background> {
    let mut reader = Reader::default();
    Chosen::read(&parse_fragment(text), &mut reader).unwrap_or_else(|| panic!("{text}: {:?}", reader.problems))
}

/// The first datagrams, with the times at which they come.
fn emissions(text: &str, framing: &str, number: usize) -> Vec<(Time, Emission)> {
    let mut background = choose(text).build(&context_of_background(framing));
    let first = background.start();
    let following = |(now, emission): &(Time, Emission)| emission.next.map(|next| (*now, next));
    let mut all = vec![(first, background.emit(first))];
    while let Some((_, next)) = all.last().and_then(following).filter(|_| all.len() < number) {
        all.push((next, background.emit(next)));
    }
    all
}

fn any_background() -> impl Strategy<Value = String> {
    let tables = BACKGROUNDS.iter().map(|entry| any_table(Some(entry.name), &(entry.parameters)(), &[]));
    prop::strategy::Union::new(tables.collect::<Vec<_>>())
}

proptest! {
    #[test]
    fn datagrams_come_in_order_are_not_empty_and_come_again_with_the_same_chance(
        text in any_background(), framing in prop::sample::select(FRAMINGS.iter().map(|entry| entry.name).collect::<Vec<_>>()),
    ) {
        let all = emissions(&text, framing, 200);
        prop_assert!(all.windows(2).all(|pair| pair[0].0 <= pair[1].0), "{text}");
        prop_assert!(all.iter().all(|(_, emission)| emission.cells > 0 && emission.bits > 0), "{text}");
        prop_assert_eq!(emissions(&text, framing, 200), all);
    }
}

#[test]
#[expect(clippy::cast_precision_loss, reason = "times in picoseconds")]
fn a_poisson_source_offers_its_load_in_bits_on_the_line() {
    const NUMBER: usize = 50_000;
    for (framing, size, cells, bits) in [
        ("aal5", "48 B", 1, 424),
        ("aal5", "100 B", 3, 3 * 424),
        ("packet", "960 B", 1, 8000),
        ("ethernet", "4 B", 1, 672),
    ] {
        for (load, rate) in [("0.5", 77_760_000.0), ("1.5", 233_280_000.0), ("'1 Mbit/s'", 1e6)] {
            let text = format!("{{ kind = 'poisson', load = {load}, size = '{size}' }}");
            let all = emissions(&text, framing, NUMBER);
            assert!(
                all.iter().all(|(_, emission)| (emission.cells, emission.bits) == (cells, bits)),
                "{framing} {text}"
            );
            let seconds = all[NUMBER - 1].0.as_seconds();
            let offered = (NUMBER as u64 * bits) as f64 / seconds;
            // The sum of exponential times varies by 1 / sqrt(n): four of that are 1.8 %.
            assert!((offered / rate - 1.0).abs() < 0.018, "{framing} {text}: {offered} bit/s");
        }
    }
}
