//! The queue of a flow: set-associative hashing. A flow takes a place of its set when it becomes active and returns it when its queue is
//! empty.

use longfat_foundation::random::Stream;

/// Places in a set (`CAKE_SET_WAYS`).
const WAYS: u64 = 8;

/// The places of all flows.
pub(super) struct FlowTable {
    /// Where each flow looks first.
    first: Vec<usize>,
    ways: usize,
    /// The place that each flow had last, and the flow that had each place last.
    place_of: Vec<Option<usize>>,
    last: Vec<Option<usize>>,
}

/// The result of a look-up.
pub(super) struct Place {
    /// Its number.
    pub number: usize,
    /// Whether another flow had it last.
    pub is_taken_over: bool,
}

impl FlowTable {
    /// For `flows` flows. Sets that none of them is hashed into are left out.
    pub fn new(flows: usize, places: u64, chance: &Stream) -> Self {
        let ways = places.min(WAYS);
        let hashed = |flow: usize| chance.block(flow as u64)[0] % (places / ways * ways);
        let hashes: Vec<u64> = (0..flows).map(hashed).collect();
        let mut sets: Vec<u64> = hashes.iter().map(|hash| hash / ways).collect();
        sets.sort_unstable();
        sets.dedup();
        let in_use = |hash: &u64| sets.partition_point(|set| *set < hash / ways) as u64 * ways + hash % ways;
        Self {
            first: hashes.iter().map(|hash| index(in_use(hash))).collect(),
            ways: index(ways),
            place_of: vec![None; flows],
            last: vec![None; sets.len() * index(ways)],
        }
    }

    /// How many places there are.
    pub fn len(&self) -> usize {
        self.last.len()
    }

    /// The place of a flow: the one that it had last, or one that nobody uses, or the one where it looks first, which it then shares.
    /// In Linux a flow whose place another shares may move on while packets of it wait; here it stays, so that they keep their order.
    pub fn find(&mut self, flow: usize, is_free: impl Fn(usize) -> bool) -> Place {
        let first = self.first[flow];
        let way = first % self.ways;
        let mut set = (way..self.ways).chain(0..way).map(|way| first - first % self.ways + way);
        let own = self.place_of[flow].filter(|&place| self.last[place] == Some(flow) || !is_free(place));
        let number = own.or_else(|| set.find(|&place| is_free(place))).unwrap_or(first);
        self.place_of[flow] = Some(number);
        let before = self.last[number].replace(flow);
        Place { number, is_taken_over: before != Some(flow) }
    }
}

#[expect(clippy::cast_possible_truncation, reason = "no more than eight times the flows")]
fn index(number: u64) -> usize {
    number as usize
}

#[cfg(test)]
mod tests {
    use longfat_foundation::random::Chance;

    use super::*;

    fn table(flows: usize, places: u64) -> FlowTable {
        FlowTable::new(flows, places, &Chance { seed: 1, replication: 0 }.stream("queue"))
    }

    #[test]
    fn eight_flows_of_one_set_have_a_place_each_and_a_ninth_shares_that_of_its_hash() {
        let mut table = table(9, 8);
        assert_eq!(table.len(), 8);
        let mut places: Vec<usize> = Vec::new();
        for flow in 0..8 {
            let place = table.find(flow, |place| !places.contains(&place));
            assert!(place.is_taken_over);
            places.push(place.number);
        }
        let ninth = table.find(8, |_| false);
        assert!(ninth.is_taken_over);
        assert_eq!(ninth.number, table.first[8]);
        places.sort_unstable();
        assert_eq!(places, [0, 1, 2, 3, 4, 5, 6, 7]);
    }

    #[test]
    fn a_flow_that_comes_back_finds_its_place_unless_another_has_taken_it() {
        let mut table = table(2, 1);
        assert!(table.find(0, |_| true).is_taken_over);
        assert!(!table.find(0, |_| true).is_taken_over);
        assert!(table.find(1, |_| true).is_taken_over);
        assert!(table.find(0, |_| true).is_taken_over);
    }

    #[test]
    fn a_flow_stays_where_its_packets_may_wait_though_another_has_come_there() {
        let mut table = table(3, 2);
        let places = [0, 1].map(|flow| table.find(flow, |place| place == flow).number);
        assert_eq!(places, [0, 1]);
        let shared = table.find(2, |_| false).number;
        assert_eq!(table.find(shared, |place| place != shared).number, shared);
    }

    #[test]
    fn three_hundred_flows_in_1024_places_collide_less_than_by_plain_hashing() {
        let mut table = table(300, 1024);
        let mut used = std::collections::BTreeSet::new();
        for flow in 0..300 {
            let place = table.find(flow, |place| !used.contains(&place)).number;
            used.insert(place);
        }
        // By plain hashing 1024 (1 - exp(-300 / 1024)) = 260 places would be used.
        assert!(used.len() >= 298, "{}", used.len());
    }

    #[test]
    fn a_flow_looks_first_where_its_hash_says() {
        let mut table = table(50, 1024);
        for flow in 0..50 {
            let first = table.first[flow];
            assert_eq!(table.find(flow, |_| true).number, first);
        }
        let mut next = FlowTable { first: vec![3], ways: 4, place_of: vec![None], last: vec![None; 4] };
        assert_eq!(next.find(0, |place| place != 3).number, 0, "after the last of its set comes the first");
    }

    #[test]
    fn a_flow_comes_back_to_the_place_that_it_had_last_and_not_to_that_of_its_hash() {
        for places in [[0, 1], [1, 0]] {
            let mut table = table(2, 2);
            for (flow, own) in places.into_iter().enumerate() {
                table.find(flow, |place| place == own);
            }
            assert_eq!([0, 1].map(|flow| table.find(flow, |_| true).number), places);
        }
    }
}
