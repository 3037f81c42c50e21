//! The fast driver gives the record that events give, to the byte.

use longfat_engine::measure::RunRecord;
use longfat_engine::observer::Unobserved;
use longfat_engine::scenario::Scenario;
use longfat_engine::units::Time;
use longfat_engine::{Driver, Simulation, run_by};
use proptest::prelude::*;

use super::random_networks::{any_network, any_network_for_the_fast_driver};

/// Runs a scenario in two slices: what a driver leaves at a border must be complete.
fn record(driver: Driver, scenario: &Scenario) -> RunRecord {
    let mut simulation = Simulation::driven_by(driver, scenario, Unobserved);
    simulation.advance(Time(simulation.end().0 / 3));
    simulation.audit().unwrap_or_else(|violation| panic!("{violation}"));
    simulation.advance(Time::NEVER);
    simulation.finish().unwrap_or_else(|violation| panic!("{violation}"))
}

/// All but which driver it was.
fn bytes(mut record: RunRecord) -> String {
    record.work.driver = "";
    record.work.handed_over = None;
    serde_json::to_string_pretty(&record).expect("a record is JSON")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn both_drivers_give_the_same_record(network in any_network_for_the_fast_driver()) {
        let fast = record(Driver::Fast, &network.scenario);
        let events = record(Driver::Events, &network.scenario);
        prop_assert_eq!(events.work.driver, "events");
        prop_assert!(
            fast.work.driver == "fast" || fast.work.handed_over.as_ref().is_some_and(|why| why.starts_with("only events")),
            "{:?}", fast.work
        );
        prop_assert_eq!(bytes(fast), bytes(events));
    }

    #[test]
    fn what_the_fast_driver_does_not_know_is_simulated_by_events(network in any_network()) {
        let fast = record(Driver::Fast, &network.scenario);
        prop_assert_eq!(fast.work.driver == "fast", fast.work.handed_over.is_none());
        let events = run_by(Driver::Events, &network.scenario).unwrap_or_else(|violation| panic!("{violation}"));
        prop_assert_eq!(bytes(fast), bytes(events));
    }
}
