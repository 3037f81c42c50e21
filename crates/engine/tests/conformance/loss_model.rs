//! Loss models: what they lose, how often, and in which bursts.

use longfat_engine::config::{Parameter, Reader, parse_fragment};
use longfat_engine::loss::{LOSS_MODELS, LossContext, LossModel, Passing};
use longfat_engine::random::Chance;
use longfat_engine::registry::Chosen;
use longfat_engine::units::{Span, Time};
use proptest::prelude::*;

use crate::support::declared::any_table;

fn context(flows: usize, seed: u64, replication: u64, place: &str) -> LossContext {
    let passing = Passing { certain: None, most: (u64::MAX, Span::from_microseconds(1_000_000)) };
    LossContext {
        place: place.into(),
        chance: Chance { seed, replication },
        flows: vec![passing; flows],
        duration: Span::from_microseconds(1_000_000),
    }
}

fn choose(text: &str) -> Chosen<dyn LossModel> {
    let mut reader = Reader::default();
    Chosen::read(&parse_fragment(text), &mut reader).unwrap_or_else(|| panic!("{text}: {:?}", reader.problems))
}

/// Whether each of the first `packets` packets of a flow, one a millisecond, is lost.
fn losses(model: &mut Box<dyn LossModel>, flow: usize, packets: usize) -> Vec<bool> {
    (0..packets).map(|packet| model.loses_next(millisecond(packet), flow)).collect()
}

fn millisecond(number: usize) -> Time {
    Time::ZERO + Span::from_microseconds(1000 * number as u64)
}

fn any_model() -> impl Strategy<Value = String> {
    let tables = LOSS_MODELS.iter().map(|entry| any_table(Some(entry.name), &(entry.parameters)(), &[]));
    prop::strategy::Union::new(tables.collect::<Vec<_>>())
}

proptest! {
    /// The streams of flows do not touch: neither the number of flows nor what the others send moves the losses of one.
    #[test]
    fn the_losses_of_a_flow_depend_on_no_other_flow(text in any_model(), seed in 0_u64..100, others in 0_usize..50) {
        let alone = losses(&mut choose(&text).build(&context(1, seed, 3, "data")), 0, 200);
        let mut among_others = choose(&text).build(&context(4, seed, 3, "data"));
        let mut lost = Vec::new();
        for packet in 0..200 {
            (0..others % 7).for_each(|other| _ = among_others.loses_next(millisecond(packet), 1 + (other + packet) % 3));
            lost.push(among_others.loses_next(millisecond(packet), 0));
        }
        prop_assert_eq!(lost, alone);
    }
}

#[test]
fn data_and_acknowledgments_seeds_and_replications_have_losses_of_their_own() {
    for text in
        ["{ kind = 'random', probability = 0.5 }", "{ kind = 'gilbert-elliott', good_to_bad = 0.4, bad_to_good = 0.4 }"]
    {
        let of = |context: LossContext, flow| losses(&mut choose(text).build(&context), flow, 200);
        let first = of(context(2, 1, 0, "data"), 0);
        assert_eq!(first, of(context(2, 1, 0, "data"), 0), "{text}");
        for other in [
            of(context(2, 1, 0, "data"), 1),
            of(context(2, 2, 0, "data"), 0),
            of(context(2, 1, 1, "data"), 0),
            of(context(2, 1, 0, "acknowledgments"), 0),
        ] {
            assert_ne!(first, other, "{text}");
        }
    }
}

const PACKETS: usize = 400_000;

#[expect(clippy::cast_precision_loss, reason = "a share")]
fn share(lost: &[bool]) -> f64 {
    lost.iter().filter(|lost| **lost).count() as f64 / lost.len() as f64
}

/// Lengths of the runs of losses.
fn bursts(lost: &[bool]) -> Vec<usize> {
    lost.split(|lost| !lost).map(<[bool]>::len).filter(|length| *length > 0).collect()
}

#[test]
fn random_losses_have_their_probability_and_the_bursts_of_independent_trials() {
    for probability in [0.01, 0.3, 0.9] {
        let text = format!("{{ kind = 'random', probability = {probability} }}");
        let lost = losses(&mut choose(&text).build(&context(1, 1, 0, "data")), 0, PACKETS);
        // Four standard deviations of a mean of independent trials.
        #[expect(clippy::cast_precision_loss, reason = "a count")]
        let tolerance = 4.0 * (probability * (1.0 - probability) / PACKETS as f64).sqrt();
        assert!((share(&lost) - probability).abs() < tolerance, "{} is not {probability}", share(&lost));
        assert_mean_burst(&lost, 1.0 / (1.0 - probability));
    }
    let all = |text: &str| share(&losses(&mut choose(text).build(&context(1, 1, 0, "data")), 0, 1000));
    assert_eq!(all("{ kind = 'random', probability = 0 }"), 0.0);
    assert_eq!(all("{ kind = 'random', probability = 1.0 }"), 1.0);
    assert_eq!(all("none"), 0.0);
}

/// Bursts are geometric with that mean, whose variance is mean * (mean - 1).
#[track_caller]
#[expect(clippy::cast_precision_loss, reason = "counts")]
fn assert_mean_burst(lost: &[bool], expected: f64) {
    let bursts = bursts(lost);
    let mean = bursts.iter().sum::<usize>() as f64 / bursts.len() as f64;
    let tolerance = 4.0 * (expected * (expected - 1.0) / bursts.len() as f64).sqrt();
    assert!((mean - expected).abs() < tolerance, "mean burst {mean} of {} is not {expected}", bursts.len());
}

#[test]
fn a_gilbert_channel_loses_its_share_in_bursts_of_the_time_that_it_stays_bad() {
    for (turns_bad, turns_good) in [(0.01, 0.25), (0.1, 0.5), (0.002, 0.1)] {
        let text = format!("{{ kind = 'gilbert-elliott', good_to_bad = {turns_bad}, bad_to_good = {turns_good} }}");
        let lost = losses(&mut choose(&text).build(&context(1, 5, 0, "data")), 0, PACKETS);
        assert_mean_burst(&lost, 1.0 / turns_good);
        // Gilbert 1960: P / (P + p). Neighbours are correlated with 1 - P - p, which widens the mean's variance.
        let expected = turns_bad / (turns_bad + turns_good);
        let correlation: f64 = 1.0 - turns_bad - turns_good;
        #[expect(clippy::cast_precision_loss, reason = "a count")]
        let independent = expected * (1.0 - expected) / PACKETS as f64;
        let tolerance = 4.0 * (independent * (1.0 + correlation) / (1.0 - correlation)).sqrt();
        assert!((share(&lost) - expected).abs() < tolerance, "{} is not {expected}", share(&lost));
    }
}

#[test]
fn an_elliott_channel_mixes_the_losses_of_its_two_states() {
    let text =
        "{ kind = 'gilbert-elliott', good_to_bad = 0.1, bad_to_good = 0.3, loss_in_good = 0.02, loss_in_bad = 0.5 }";
    let lost = losses(&mut choose(text).build(&context(1, 9, 0, "data")), 0, PACKETS);
    // Elliott 1963: a quarter of all packets find it bad.
    let expected = 0.75 * 0.02 + 0.25 * 0.5;
    assert!((share(&lost) - expected).abs() < 0.004, "{} is not {expected}", share(&lost));
    let never = "{ kind = 'gilbert-elliott', good_to_bad = 0, bad_to_good = 0 }";
    assert_eq!(share(&losses(&mut choose(never).build(&context(1, 1, 0, "data")), 0, 1000)), 0.0);
}

#[test]
fn a_channel_begins_as_it_is_in_the_long_run() {
    let text = "{ kind = 'gilbert-elliott', good_to_bad = 0.1, bad_to_good = 0.1 }";
    let begins_bad =
        (0..2000).filter(|&seed| choose(text).build(&context(1, seed, 0, "data")).loses_next(Time::ZERO, 0));
    // Half of 2000, standard deviation 22.
    assert!((910..1090).contains(&begins_bad.count()));
}

/// The states of a channel of fades that loses everything in the bad one, looked at every `step` microseconds for 4000 s.
fn looks(good: &str, bad: &str, step: u64) -> Vec<bool> {
    let text = format!("{{ kind = 'fades', good = '{good}', bad = '{bad}' }}");
    let mut model = choose(&text).build(&context(1, 3, 0, "data"));
    let at = |number: u64| Time::ZERO + Span::from_microseconds(step * number);
    (0..4_000_000_000 / step).map(|number| model.loses_next(at(number), 0)).collect()
}

#[test]
#[expect(clippy::cast_precision_loss, reason = "counts")]
fn fades_last_for_exponential_times_and_take_their_share_of_time() {
    for (good, bad, means) in [("200 ms", "50 ms", [0.2, 0.05_f64]), ("1 s", "3 s", [1.0, 3.0])] {
        let step = 1000;
        let states = looks(good, bad, step);
        let expected = means[1] / (means[0] + means[1]);
        // Neighbours within the correlation time, 1 / (1 / good + 1 / bad), count as one: that makes so many independent looks.
        let independent = 4000.0 / (2.0 / (1.0 / means[0] + 1.0 / means[1]));
        let tolerance = 4.0 * (expected * (1.0 - expected) / independent).sqrt();
        assert!((share(&states) - expected).abs() < tolerance, "{} is not {expected}", share(&states));
        let fades: Vec<f64> = bursts(&states).iter().map(|looks| *looks as f64 * step as f64 / 1e6).collect();
        let mean = fades.iter().sum::<f64>() / fades.len() as f64;
        // The standard deviation of an exponential time is its mean. Looks miss fades and gaps that are shorter than a step.
        let tolerance = 4.0 * means[1] / (fades.len() as f64).sqrt() + 2.0 * step as f64 / 1e6;
        assert!((mean - means[1]).abs() < tolerance, "fades last for {mean} s");
        let longer = fades.iter().filter(|fade| **fade > 2.0 * means[1]).count() as f64 / fades.len() as f64;
        let expected = (-2.0_f64).exp();
        let tolerance = 4.0 * (expected * (1.0 - expected) / fades.len() as f64).sqrt() + 0.01;
        assert!((longer - expected).abs() < tolerance, "{longer} of them are longer than two means");
    }
}

/// The state is a function of time: more or fewer packets do not change it, but in `gilbert-elliott` they do.
#[test]
fn fades_do_not_depend_on_how_many_packets_come_nor_on_whose_they_are() {
    let often = looks("200 ms", "50 ms", 1000);
    let rarely: Vec<bool> = often.iter().copied().step_by(10).collect();
    assert_eq!(looks("200 ms", "50 ms", 10_000), rarely);
    let mut of_two = choose("{ kind = 'fades', good = '200 ms', bad = '50 ms' }").build(&context(2, 3, 0, "data"));
    for (number, is_bad) in often.into_iter().take(10_000).enumerate() {
        let both = [0, 1].map(|flow| of_two.loses_next(millisecond(number), flow));
        assert_eq!(both, [is_bad; 2]);
    }
}

#[test]
fn fades_that_come_too_often_are_refused() {
    let fades = choose("{ kind = 'fades', good = '5 us', bad = '1 us' }");
    let [(key, message)] = &fades.objections(&context(1, 1, 0, "data"))[..] else { panic!("one objection") };
    assert_eq!((*key, message.as_str()), ("good", "a fade every 6 us is too often: more than 100000 in a run"));
    assert!(choose("{ kind = 'fades', good = '9 us', bad = '1 us' }").objections(&context(1, 1, 0, "data")).is_empty());
}

/// Numbers that are means keep away from the ends: below one half, a threshold is passed less often, and then again and again.
#[test]
fn correlated_losses_are_rarer_than_their_probability_and_follow_each_other() {
    let of = |correlation: f64| {
        let text = format!("{{ kind = 'correlated', probability = 0.3, correlation = {correlation} }}");
        let lost = losses(&mut choose(&text).build(&context(1, 5, 0, "data")), 0, PACKETS);
        let after_a_loss: Vec<_> = lost.windows(2).filter(|pair| pair[0]).map(|pair| pair[1]).collect();
        (share(&lost), share(&after_a_loss) / share(&lost))
    };
    let [(none, alone), (some, twice), (strong, often)] = [0.0, 0.3, 0.7].map(of);
    assert!((none - 0.3).abs() < 0.003 && (alone - 1.0).abs() < 0.02, "{none} {alone}");
    assert!(some < 0.25 && twice > 1.5, "{some} {twice}");
    assert!(strong < 0.1 && often > 5.0, "{strong} {often}");
}

#[test]
fn a_list_loses_what_it_says_of_each_flow_and_a_bare_list_is_for_the_first() {
    let lost = |text: &str, flow: usize| -> Vec<usize> {
        let lost = losses(&mut choose(text).build(&context(3, 1, 0, "data")), flow, 40);
        (1..=40).filter(|number| lost[number - 1]).collect()
    };
    assert_eq!(lost("{ kind = 'list', drops = [[14, 28], [], [1, 2]] }", 0), [14, 28]);
    assert_eq!(lost("{ kind = 'list', drops = [[14, 28], [], [1, 2]] }", 1), [0; 0]);
    assert_eq!(lost("{ kind = 'list', drops = [[14, 28], [], [1, 2]] }", 2), [1, 2]);
    assert_eq!(lost("{ kind = 'list', drops = [40] }", 0), [40]);
    assert_eq!(choose("{ kind = 'list', drops = [3] }").resolved()["drops"], serde_json::json!([[3]]));
}
