//! Every model is documented, builds, and reads back what it resolves to.

use std::collections::BTreeSet;

use longfat_engine::background::{Background, BackgroundContext};
use longfat_engine::capacity::access::Access;
use longfat_engine::capacity::scheduling::ReturnScheduler;
use longfat_engine::catalog;
use longfat_engine::config::{Document, Parameter, Reader, parse_fragment};
use longfat_engine::framing::{Framing, Unit};
use longfat_engine::loss::{LossContext, LossModel, Passing};
use longfat_engine::random::Chance;
use longfat_engine::registry::{Chosen, ContextOf, Entry, Family};
use longfat_engine::reordering::{Reordering, ReorderingContext};
use longfat_engine::switch::BufferContext;
use longfat_engine::switch::drop_policy::DropPolicy;
use longfat_engine::switch::queue_discipline::{QueueDiscipline, Room};
use longfat_engine::switch::scheduler::Scheduler;
use longfat_engine::switch::service::{Service, ServiceContext};
use longfat_engine::topology::Topology;
use longfat_engine::traffic::{Source, size::SizeDistribution};
use longfat_engine::transport::flavor::Flavor;
use longfat_engine::transport::rto::TimeoutEstimator;
use longfat_engine::transport::{TickClock, TimerPhase};
use longfat_engine::units::{Rate, Span};

use crate::support::declared::{SMALLEST_TOPOLOGIES, table};

/// A check of one registered model, generic over its family.
trait Check {
    fn check<F: Family + ?Sized>(&self, entry: &Entry<F>, context: &ContextOf<F>);
}

/// Applies a check to every model of every family.
fn for_every_model(check: &impl Check) {
    fn family<F: Family + ?Sized>(check: &impl Check, context: &ContextOf<F>) {
        F::models().iter().for_each(|entry| check.check(entry, context));
    }
    let chance = Chance { seed: 1, replication: 0 };
    let clock = TickClock::new(Span::from_microseconds(100_000), TimerPhase::Common, &mut chance.stream("clock"));
    let buffer = BufferContext::new(Some(1000), 10, Unit::Cell, chance.stream("policy"));
    let buffer = BufferContext { weights: Some(vec![1_000_000; 10]), ..buffer };
    family::<dyn DropPolicy>(check, &buffer);
    family::<dyn Scheduler>(check, &buffer);
    let room = Room { packets: Some(1000), bytes: None };
    family::<dyn QueueDiscipline>(check, &super::queue_discipline::context(room));
    let line = Rate(155_520_000);
    family::<dyn Service>(check, &ServiceContext { connections: 5, rate: line, share: 1.0, cells_in_frame: Some(12) });
    family::<dyn Flavor>(check, &());
    family::<dyn TimeoutEstimator>(check, &clock);
    family::<dyn Source>(check, &super::traffic::context(1, 0, "source"));
    family::<dyn SizeDistribution>(check, &());
    family::<dyn Framing>(check, &());
    family::<dyn Background>(check, &context_of_background("aal5"));
    let passing = Passing { certain: None, most: (1000, Span::from_microseconds(1_000_000)) };
    family::<dyn LossModel>(
        check,
        &LossContext {
            place: "data".into(),
            chance,
            flows: vec![passing; 3],
            duration: Span::from_microseconds(1_000_000),
        },
    );
    family::<dyn Reordering>(check, &ReorderingContext { place: "data".into(), chance, flows: 3 });
    family::<dyn Topology>(check, &());
    family::<dyn ReturnScheduler>(check, &());
    family::<dyn Access>(check, &chance.stream("access"));
}

/// A background of 155.52 Mbit/s under a framing.
pub fn context_of_background(framing: &str) -> BackgroundContext {
    let framing = read(&format!("{framing:?}")).expect("a registered framing");
    BackgroundContext::of(0, Rate(155_520_000), &framing, Chance { seed: 1, replication: 0 })
}

/// Reads a model from a TOML fragment.
fn read<F: Family + ?Sized>(text: &str) -> Result<Chosen<F>, Vec<String>> {
    let mut reader = Reader::default();
    let chosen = Chosen::<F>::read(&parse_fragment(text), &mut reader);
    let problems: Vec<_> =
        reader.problems.iter().map(|problem| format!("{}: {}", problem.path, problem.message)).collect();
    chosen.filter(|_| problems.is_empty()).ok_or(problems)
}

/// A model with nothing given but what has no default, or must be more than the least that may be written.
#[track_caller]
fn with_defaults<F: Family + ?Sized>(entry: &Entry<F>) -> Chosen<F> {
    let smallest = SMALLEST_TOPOLOGIES.iter().find(|(name, ..)| *name == entry.name);
    let text =
        smallest.map_or_else(|| table(&(entry.parameters)(), Some(entry.name)), |(_, topology, _)| (*topology).into());
    read::<F>(&text).unwrap_or_else(|problems| panic!("{} {text}: {problems:?}", F::KIND))
}

#[test]
fn every_model_builds_with_its_defaults() {
    struct Builds;
    impl Check for Builds {
        fn check<F: Family + ?Sized>(&self, entry: &Entry<F>, context: &ContextOf<F>) {
            let chosen = with_defaults(entry);
            assert_eq!(chosen.name(), entry.name);
            assert_eq!(chosen.objections(context), [], "{} {}", F::KIND, entry.name);
            drop(chosen.build(context));
        }
    }
    for_every_model(&Builds);
}

#[test]
fn a_model_without_required_parameters_can_be_given_by_its_name_alone() {
    struct Name;
    impl Check for Name {
        fn check<F: Family + ?Sized>(&self, entry: &Entry<F>, _: &ContextOf<F>) {
            if (entry.parameters)().iter().all(|field| field.default.is_some()) {
                let short = read::<F>(&format!("{:?}", entry.name)).expect("a registered name");
                assert_eq!(short.resolved(), with_defaults(entry).resolved());
            }
        }
    }
    for_every_model(&Name);
}

#[test]
fn what_a_model_resolves_to_reads_back_as_the_same() {
    struct ReadsBack;
    impl Check for ReadsBack {
        fn check<F: Family + ?Sized>(&self, entry: &Entry<F>, _: &ContextOf<F>) {
            let resolved = with_defaults(entry).resolved();
            assert_eq!(resolved["kind"], entry.name);
            let document = Document::parse(resolved.to_string().as_bytes(), "resolved.json").expect("it is JSON");
            let mut reader = Reader::default();
            let again = Chosen::<F>::read(&document.root, &mut reader);
            let again = again.unwrap_or_else(|| panic!("{resolved}: {:?}", reader.problems));
            assert_eq!(again.resolved().to_string(), resolved.to_string());
        }
    }
    for_every_model(&ReadsBack);
}

#[test]
fn every_model_refuses_a_key_that_it_does_not_declare() {
    struct Refuses;
    impl Check for Refuses {
        fn check<F: Family + ?Sized>(&self, entry: &Entry<F>, _: &ContextOf<F>) {
            let text = table(&(entry.parameters)(), Some(entry.name)).replace('{', "{ no_such_key = 1,");
            let problems = read::<F>(&text).map(|_| ()).expect_err("an unknown key");
            assert!(problems[0].contains("no_such_key: unknown key"), "{}: {problems:?}", entry.name);
        }
    }
    for_every_model(&Refuses);
}

#[test]
fn every_model_says_what_it_is_where_it_comes_from_and_what_each_parameter_means() {
    struct Documented;
    impl Check for Documented {
        fn check<F: Family + ?Sized>(&self, entry: &Entry<F>, _: &ContextOf<F>) {
            let name = entry.name;
            assert!(is_kebab_case(name), "{name:?} is not lower-case words joined by hyphens");
            assert!(entry.about.trim().ends_with('.'), "{name}: \"{}\" is no sentence", entry.about);
            assert!(!entry.source.trim().is_empty(), "{name} names no source");
            for field in (entry.parameters)() {
                assert!(field.doc.trim().ends_with('.'), "{name}.{}: \"{}\" is no sentence", field.name, field.doc);
            }
        }
    }
    for_every_model(&Documented);
}

#[test]
fn the_catalog_lists_every_model_once_and_a_misspelt_name_finds_it() {
    struct Listed(Vec<(String, String)>);
    impl Check for Listed {
        fn check<F: Family + ?Sized>(&self, entry: &Entry<F>, _: &ContextOf<F>) {
            let here = (F::KIND.to_owned(), entry.name.to_owned());
            assert_eq!(self.0.iter().filter(|model| **model == here).count(), 1, "{here:?}");
            let problems = read::<F>(&format!("\"{}z\"", entry.name)).map(|_| ()).expect_err("an unknown name");
            let advice = format!("did you mean \"{}\"?", entry.name);
            assert!(problems[0].contains(&advice), "{problems:?} does not say {advice}");
        }
    }
    let models = catalog::models();
    let models = models.as_array().expect("a list");
    let text = |model: &serde_json::Value, key: &str| model[key].as_str().expect("a text").to_owned();
    let listed: Vec<_> = models.iter().map(|model| (text(model, "kind"), text(model, "name"))).collect();
    assert_eq!(listed.iter().collect::<BTreeSet<_>>().len(), listed.len(), "{listed:?}");
    for_every_model(&Listed(listed));
}

fn is_kebab_case(name: &str) -> bool {
    !name.is_empty()
        && name
            .split('-')
            .all(|word| !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit()))
}
