//! Which flow carries what: the data of a connection or its requests, whole or over one of its legs.

use longfat_hosts::end_system::End;
use longfat_network::topology::{Graph, Leg};

/// How flows are numbered: flow f, one for each pair of circuits, carries data over circuit 2f, which its acknowledgments return on as 2f + 1.
/// Behind these come the flows of requests: that with number pairs + f sends over circuit 2f + 1.
#[derive(Clone, Copy)]
pub struct Numbers {
    connections: usize,
    legs: usize,
    pairs: usize,
}

impl Numbers {
    /// Of a network.
    pub fn of(graph: &Graph) -> Self {
        Self::with(graph.flows.len(), graph.legs())
    }

    fn with(connections: usize, legs: usize) -> Self {
        Self { connections, legs, pairs: connections * legs }
    }

    /// Pairs of circuits: a flow's data take one of them and its acknowledgments the other.
    #[inline]
    pub fn pairs(self) -> usize {
        self.pairs
    }

    /// Whether a flow carries requests.
    pub fn is_request(self, number: usize) -> bool {
        number >= self.pairs()
    }

    /// The connection that a flow belongs to.
    pub fn connection(self, number: usize) -> usize {
        // Mostly the number is that of the connection, and a division takes longer.
        if number < self.connections { number } else { number % self.connections }
    }

    /// The leg that a flow is on.
    pub fn leg(self, number: usize) -> Leg {
        Leg::ALL[number % self.pairs() / self.connections]
    }

    /// The circuits of a flow's data and of its acknowledgments.
    pub fn circuits(self, number: usize) -> (usize, usize) {
        let there = 2 * (number % self.pairs());
        if self.is_request(number) { (there + 1, there) } else { (there, there + 1) }
    }

    /// The flow that begins at a host, for the data of a connection or its requests.
    pub fn first(self, connection: usize, is_request: bool) -> usize {
        self.in_order(connection, is_request, 0)
    }

    /// The flow that ends at a host.
    pub fn last(self, connection: usize, is_request: bool) -> usize {
        self.in_order(connection, is_request, self.legs - 1)
    }

    /// The flow that goes on with what a flow delivers, if that ends at a proxy.
    pub fn next(self, number: usize) -> Option<usize> {
        self.beside(number, 1)
    }

    /// The flow that delivers what a flow goes on with, if that begins at a proxy.
    pub fn before(self, number: usize) -> Option<usize> {
        self.beside(number, -1)
    }

    /// The leg at an end of a flow: its own, or one of all legs of connection `number`, whose packets pass proxies.
    #[inline(always)]
    pub fn leg_of_end(self, number: usize, end: End, passes_proxies: bool) -> usize {
        match end {
            _ if !passes_proxies => number,
            End::Near => self.first(number, false),
            End::Far => self.last(number, false),
        }
    }

    /// All flows of a connection's data or requests, in the order in which they carry them.
    pub fn in_turn(self, connection: usize, is_request: bool) -> impl Iterator<Item = usize> {
        (0..self.legs).map(move |place| self.in_order(connection, is_request, place))
    }

    /// The flows of a split connection's data.
    pub fn legs_in_turn(self, connection: usize) -> [usize; Leg::IN_ORDER.len()] {
        [0, 1, 2].map(|place| self.in_order(connection, false, place))
    }

    fn beside(self, number: usize, step: isize) -> Option<usize> {
        if self.legs == 1 {
            return None;
        }
        let (connection, is_request) = (self.connection(number), self.is_request(number));
        let place = self.in_turn(connection, is_request).position(|other| other == number)?;
        let place = place.checked_add_signed(step).filter(|place| *place < self.legs)?;
        Some(self.in_order(connection, is_request, place))
    }

    fn in_order(self, connection: usize, is_request: bool, place: usize) -> usize {
        let base = if is_request { self.pairs() } else { 0 };
        if self.legs == 1 {
            return base + connection;
        }
        let leg = Leg::IN_ORDER[if is_request { self.legs - 1 - place } else { place }];
        let block = Leg::ALL.iter().position(|other| *other == leg).unwrap_or(0);
        base + block * self.connections + connection
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_crosses_the_bottleneck_has_the_numbers_that_it_has_without_proxies() {
        let (whole, split) = (Numbers::with(5, 1), Numbers::with(5, 3));
        for connection in 0..5 {
            let [_, data, _] = split.in_turn(connection, false).collect::<Vec<_>>()[..] else { panic!("three legs") };
            assert_eq!((data, split.circuits(data)), (connection, whole.circuits(connection)));
            let [_, requests, _] = split.in_turn(connection, true).collect::<Vec<_>>()[..] else {
                panic!("three legs")
            };
            assert_eq!(split.circuits(requests), whole.circuits(5 + connection));
        }
    }

    #[test]
    fn requests_take_the_legs_the_other_way() {
        let numbers = Numbers::with(5, 3);
        let legs = |is_request| numbers.in_turn(2, is_request).map(|number| numbers.leg(number)).collect::<Vec<_>>();
        assert_eq!(legs(false), [Leg::Near, Leg::Bottleneck, Leg::Far]);
        assert_eq!(legs(true), [Leg::Far, Leg::Bottleneck, Leg::Near]);
        let (first, last) = (numbers.first(2, true), numbers.last(2, true));
        assert_eq!((numbers.before(first), numbers.next(last)), (None, None));
        assert_eq!(numbers.next(first).and_then(|middle| numbers.next(middle)), Some(last));
    }
}
