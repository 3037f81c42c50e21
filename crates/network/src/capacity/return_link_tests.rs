//! Frames worked by hand, and laws for any terminals.

use longfat_foundation::config::{Parameter, Reader, parse_fragment};
use longfat_foundation::random::Chance;
use proptest::prelude::*;

use super::super::access::ACCESSES;
use super::super::requests::{ByVolume, Terms};
use super::super::scheduling::RETURN_SCHEDULERS;
use super::*;

const MILLISECOND: u64 = PICOSECONDS_PER_SECOND / 1000;

/// Terminals of a return link, each on a line of 1 Mbit/s.
struct Bench {
    config: ReturnLinkConfig,
    link: ReturnLink,
    lines: Vec<Grants>,
    frame: u64,
}

impl Bench {
    /// Frames of 10 ms, granted two frames after a request: ten slots of 1000 bits each, unless `more` says otherwise.
    fn new(more: &str, terminals: Vec<Terminal>) -> Self {
        let keys = "name = \"link\", rate = \"1 Mbit/s\", frame = \"10 ms\", response = \"20 ms\"";
        let slots = if more.contains("slot_bytes") { "" } else { ", slot_bytes = 125" };
        let mut reader = Reader::default();
        let config = ReturnLinkConfig::read(&parse_fragment(&format!("{{ {keys}{slots}{more} }}")), &mut reader);
        let config = config.expect("it is sound");
        assert_eq!(config.objections(), []);
        let grants = |terminal| Grants::of_terminal(config.demand(terminal, Rate(1_000_000)), terminal.terms);
        let lines = terminals.iter().map(grants).collect();
        let chance = Chance { seed: 1, replication: 0 }.stream("test");
        Self { link: ReturnLink::new(&config, terminals, &chance), config, lines, frame: 0 }
    }

    /// Begins the next frame, with so many bits at each terminal; returns what is decided of the frame two later.
    fn begin(&mut self, bits_waiting: &[u64]) -> Vec<Award> {
        let now = Time(self.frame * self.config.frame.0.0);
        self.link.begin_frame(now, bits_waiting, &mut self.lines);
        self.frame += 1;
        self.lines.iter().map(Grants::last_decided).collect()
    }

    /// Slots of all categories.
    fn slots(&mut self, bits_waiting: &[u64]) -> Vec<u64> {
        self.begin(bits_waiting).iter().map(|award| award.total_bps() / 100_000).collect()
    }
}

/// Asks for volume.
fn terminal() -> Terminal {
    let terms = Terms { rate_lasts_frames: 2, ..Terms::ANY_VOLUME };
    Terminal { link: "link".into(), constant_bps: 0, terms, weight: 1, class: 1, takes_free: true }
}

fn by_rate(most_rate_bps: u64) -> Terminal {
    let terms = Terms { most_rate_bps, by_volume: ByVolume::Never, ..terminal().terms };
    Terminal { terms, ..terminal() }
}

fn by(by_volume: ByVolume) -> Terminal {
    Terminal { terms: Terms { by_volume, ..terminal().terms }, ..terminal() }
}

#[test]
fn a_constant_rate_is_there_in_every_frame_in_whole_slots() {
    let mut bench = Bench::new("", vec![Terminal { constant_bps: 250_000, ..terminal() }]);
    assert_eq!(bench.lines[0].current().constant_bps, 300_000, "from the first frame on");
    for _ in 0..5 {
        assert_eq!(bench.slots(&[0]), [3]);
    }
    // 6000 bits will be carried until the answer; 1500 more take two slots.
    assert_eq!(bench.slots(&[7500]), [5]);
}

#[test]
fn a_terminal_that_logs_on_has_capacity_and_requests_from_the_answer_on() {
    let mut bench = Bench::new(", log_on = true", vec![Terminal { constant_bps: 250_000, ..terminal() }]);
    assert_eq!(bench.slots(&[7500]), [3], "in the frame that brings the answer");
    assert_eq!(bench.lines[0].current().total_bps(), 0);
    assert_eq!(bench.slots(&[7500]), [3], "it may not request yet");
    assert_eq!(bench.slots(&[7500]), [5], "as if it had always been there");
    let counts = bench.lines[0].counts().expect("it is a terminal");
    assert_eq!((counts.logged_on, counts.requests), (Some(Time(20 * MILLISECOND)), 1));
}

#[test]
fn log_on_bursts_contend_and_who_is_not_heard_has_nothing_and_tries_again() {
    let access = ", fca = true, log_on = true, access = { kind = \"slotted-aloha\", slots = 4 }";
    let mut bench = Bench::new(access, vec![Terminal { constant_bps: 10_000, ..terminal() }; 8]);
    let mut are_on = vec![false; 8];
    for _ in 0..300 {
        let slots = bench.slots(&[0; 8]);
        for (number, is_on) in are_on.iter_mut().enumerate() {
            *is_on |= slots[number] > 0;
            assert_eq!(slots[number] > 0, *is_on, "what is granted once goes on");
        }
    }
    assert_eq!(are_on, [true; 8]);
    let times: std::collections::BTreeSet<_> =
        bench.lines.iter().map(|line| line.counts().and_then(|counts| counts.logged_on)).collect();
    assert!(times.len() > 1, "they collided: {times:?}");
}

#[test]
fn volume_is_granted_once_and_requests_add_up() {
    let mut bench = Bench::new("", vec![terminal()]);
    assert_eq!(bench.slots(&[2500]), [3], "in the frame from 20 ms on");
    assert_eq!(bench.slots(&[4500]), [2], "what came since");
    assert_eq!(bench.slots(&[4500]), [0], "all that waits is asked for");
    // 2500 bits have been sent by then.
    assert_eq!(bench.slots(&[2000]), [0]);
    let counts = bench.lines[0].counts().expect("it is counted");
    assert_eq!((counts.requests, counts.volume_asked, counts.lost), (2, 4500, 0));
    assert_eq!(counts.waits.mean_seconds(), Some(0.02));
}

#[test]
fn volume_beyond_a_frame_is_granted_in_the_frames_that_follow() {
    let mut bench = Bench::new("", vec![terminal()]);
    let waiting = [24_000];
    assert_eq!([bench.slots(&waiting), bench.slots(&waiting), bench.slots(&waiting)], [[10], [10], [4]]);
}

#[test]
fn a_limit_of_volume_holds_in_each_frame() {
    let terms = Terms { most_volume_bps: 200_000, ..terminal().terms };
    let mut bench = Bench::new("", vec![Terminal { terms, ..terminal() }]);
    assert_eq!([bench.slots(&[5000]), bench.slots(&[5000]), bench.slots(&[5000])], [[2], [2], [1]]);
}

#[test]
fn absolute_requests_wait_for_the_answer_to_the_one_before() {
    let mut bench = Bench::new("", vec![by(ByVolume::Replacing)]);
    assert_eq!(bench.slots(&[2500]), [3]);
    // What has come since is not asked for before the 2500 bits have been granted, in the frame from 20 to 30 ms.
    assert_eq!(bench.slots(&[4500]), [0]);
    assert_eq!(bench.slots(&[4500]), [0]);
    assert_eq!(bench.slots(&[2000]), [2]);
}

#[test]
fn a_rate_is_asked_for_up_to_its_limit_until_nothing_is_uncovered() {
    let mut bench = Bench::new("", vec![by_rate(200_000)]);
    assert_eq!(bench.slots(&[5000]), [2], "5000 bits in one frame were 500 kbit/s");
    assert_eq!(bench.slots(&[5000]), [2], "3000 bits are not covered by the frame at 20 ms");
    assert_eq!(bench.slots(&[5000]), [1]);
    assert_eq!(bench.slots(&[3000]), [0]);
}

#[test]
fn a_rate_over_more_frames_is_lower_and_lasts_longer() {
    let terms = Terms { rate_over_frames: 5, ..by_rate(1_000_000).terms };
    let mut bench = Bench::new("", vec![Terminal { terms, ..terminal() }]);
    assert_eq!(bench.slots(&[10_000]), [2], "a fifth of 1 Mbit/s");
    assert_eq!(bench.slots(&[10_000]), [2], "a fifth of 8000 bits, in whole slots");
}

#[test]
fn a_requested_rate_is_granted_until_it_times_out() {
    let terms = Terms { rate_lasts_frames: 3, ..by_rate(1_000_000).terms };
    let mut requests = super::super::requests::Requests::none(terms, 2, 0);
    let request = requests.ask(300_000, 0).expect("it is new");
    requests.hear(request, 0);
    assert_eq!([0; 4].map(|_| requests.take_rate_bps()), [300_000, 300_000, 300_000, 0]);
    // The terminal says it again in time, though nothing is new.
    assert_eq!([0; 3].map(|_| requests.ask(300_000, 0).is_some()), [false, false, true]);
    assert!(requests.ask(0, 0).is_some(), "it says that it needs no more");
}

#[test]
fn rates_come_before_volume_and_volume_before_what_is_free() {
    let constant = Terminal { constant_bps: 400_000, ..terminal() };
    let mut bench = Bench::new(", fca = true", vec![constant, by_rate(400_000)]);
    // 8000 of 13,000 bits are carried by the constant rate until the answer, so that 5000 are asked for; 2 slots are left for them.
    let awards = bench.begin(&[13_000, 4000]);
    assert_eq!(awards[0], Award { constant_bps: 400_000, volume_bps: 200_000, ..Award::default() });
    assert_eq!(awards[1], Award { rate_bps: 400_000, ..Award::default() });
    // The other 3000 bits, and 3 slots that nobody has asked for. The lines could carry 3 and 10 more: 0.7 and 2.3 slots, and the odd one is the
    // second's in this frame.
    let awards = bench.begin(&[13_000, 4000]);
    assert_eq!(awards[0], Award { constant_bps: 400_000, volume_bps: 300_000, ..Award::default() });
    assert_eq!(awards[1], Award { free_bps: 300_000, ..Award::default() });
}

#[test]
fn free_capacity_goes_to_those_that_take_it() {
    let inhibited = Terminal { takes_free: false, ..terminal() };
    let mut bench = Bench::new(", fca = true", vec![terminal(), inhibited]);
    assert_eq!(bench.slots(&[0, 0]), [10, 0]);
    let mut bench = Bench::new("", vec![terminal(), terminal()]);
    assert_eq!(bench.slots(&[0, 0]), [0, 0], "not given away");
}

#[test]
fn of_claims_that_are_too_much_each_gets_its_share_and_the_rest_later() {
    let mut bench = Bench::new("", vec![terminal(), terminal()]);
    assert_eq!(bench.slots(&[8000, 4000]), [7, 3], "6.7 and 3.3 slots; the odd one to the first");
    assert_eq!(bench.slots(&[8000, 4000]), [1, 1]);
}

#[test]
fn requests_that_nobody_hears_are_sent_again_after_the_response_and_a_drawn_time() {
    // One slot for requests: two terminals prevent each other until they have drawn different times.
    let access = ", access = { kind = \"slotted-aloha\", slots = 1, backoff_frames = 4 }";
    for by_volume in [ByVolume::Adding, ByVolume::Replacing] {
        let mut bench = Bench::new(access, vec![by(by_volume), by(by_volume)]);
        assert_eq!(bench.slots(&[1000, 1000]), [0, 0]);
        let mut carried = [0, 0];
        for _ in 0..200 {
            let waiting = carried.map(|slots: u64| 1000 * (1 - slots.min(1)));
            let slots = bench.slots(&waiting);
            carried = [carried[0] + slots[0], carried[1] + slots[1]];
        }
        assert!(carried.iter().all(|&slots| slots >= 1), "{carried:?}");
        let lost = bench.lines.iter().map(|line| line.counts().expect("it is counted").lost).min();
        assert!(lost >= Some(1), "{lost:?}");
    }
}

/// Bits that wait at one terminal frame by frame.
fn any_waiting(frames: usize) -> impl Strategy<Value = Vec<u64>> {
    prop::collection::vec(prop_oneof![2 => Just(0), 3 => 0_u64..100_000], frames)
}

fn any_terminal() -> impl Strategy<Value = Terminal> {
    let by_volume = prop_oneof![Just(ByVolume::Never), Just(ByVolume::Adding), Just(ByVolume::Replacing)];
    let rates = prop_oneof![Just(0_u64), 1_u64..2_000_000];
    (0_u64..60_000, rates.clone(), 1_u64..5, 1_u64..5, by_volume, rates, (1_u64..9, 1_u64..4, any::<bool>())).prop_map(
        |(constant_bps, most_rate_bps, over, lasts, by_volume, most_volume_bps, (weight, class, takes_free))| {
            let terms = Terms {
                most_rate_bps,
                rate_over_frames: over,
                rate_lasts_frames: lasts,
                by_volume,
                most_volume_bps: most_volume_bps.max(1),
            };
            Terminal { link: "link".into(), constant_bps, terms, weight, class, takes_free }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    /// With slots of any size and any scheduler; what a line may have at most holds too.
    #[test]
    fn no_frame_has_more_slots_than_there_are_nor_a_line_more_than_it_carries(
        terminals in prop::collection::vec(any_terminal(), 1..8),
        slot_bytes in prop_oneof![Just(0_u64), 1_u64..150],
        scheduler in prop::sample::select(RETURN_SCHEDULERS.iter().map(|entry| entry.name).collect::<Vec<_>>()),
        access in prop::sample::select(ACCESSES.iter().map(|entry| entry.name).collect::<Vec<_>>()),
        fca in any::<bool>(),
        waiting in prop::collection::vec(any_waiting(7), 20),
    ) {
        let more = format!(", slot_bytes = {slot_bytes}, scheduler = \"{scheduler}\", access = \"{access}\", fca = {fca}");
        let mut bench = Bench::new(&more, terminals);
        let unit = bench.config.unit_bps();
        let constant: u64 = bench.link.terminals.iter().map(|terminal| bench.config.constant_units(terminal)).sum();
        prop_assume!(constant <= bench.config.units());
        let mut is_all_free = 0;
        for waiting in waiting {
            let number = bench.lines.len();
            let awards = bench.begin(&waiting[..number]);
            let used: u64 = awards.iter().map(Award::total_bps).sum();
            prop_assert!(awards.iter().all(|award| award.total_bps() % unit == 0 && award.total_bps() <= 1_000_000));
            // In bits per second over the frame, so that it holds to the bit.
            prop_assert!(used <= bench.config.units() * unit && used <= bench.config.rate.0, "{used}");
            is_all_free += u64::from(used == bench.config.units() * unit);
        }
        let takes = bench.link.terminals.iter().any(|terminal| terminal.takes_free);
        prop_assert!(!(fca && takes) || is_all_free == 20, "what nobody asks for is given away: {}", is_all_free);
    }

    /// A terminal that is alone on a link without slots is granted what a line with capacity on demand is.
    #[test]
    fn one_terminal_is_capacity_on_demand(
        constant in 0_u64..=10,
        waiting in any_waiting(30),
    ) {
        let alone = Terminal { constant_bps: 100_000 * constant, ..terminal() };
        let mut bench = Bench::new(", slot_bytes = 0", vec![alone.clone()]);
        let mut on_demand = Grants::new(bench.config.demand(&alone, Rate(1_000_000)));
        for bits in waiting {
            on_demand.begin_frame(Time(bench.frame * 10 * MILLISECOND), bits);
            let shared = bench.begin(&[bits])[0];
            prop_assert_eq!(on_demand.last_decided(), shared);
        }
    }
}
