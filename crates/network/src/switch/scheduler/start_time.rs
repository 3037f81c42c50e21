//! Start-time fair queueing (Goyal, Vin and Cheng 1996) for cells, which are all of one length.

/// Tags are counted in parts of this: 1 / weight is exact to more digits than any run has cells, and tags of 2^46 cells fit.
const UNIT: u128 = 1 << 80;

/// A queue of the server: when its head may start, in virtual time.
#[derive(Clone, Copy, Debug)]
struct Queue {
    /// Virtual time that a cell takes: 1 / weight.
    cost: u128,
    /// Whether it has no weight, and is served only when no other queue waits.
    is_last: bool,
    /// Start tag of the head, while there is one.
    start: u128,
    /// Finish tag of the last cell that was served.
    finish: u128,
    waits: bool,
}

/// Serves queues in the order of their heads' start tags.
///
/// A cell's start tag is the larger of the virtual time at its arrival and its predecessor's finish tag; its finish tag is 1 / weight
/// later; the virtual time is the start tag of the cell in service. While a queue has cells, each new one starts at its
/// predecessor's finish, so that only the head's tag is kept.
#[derive(Clone, Debug)]
pub(super) struct StartTimeQueueing {
    queues: Vec<Queue>,
    virtual_time: u128,
}

impl StartTimeQueueing {
    /// Queues with these weights; one with the weight 0 is served when no other waits.
    pub(super) fn new(weights: &[u64]) -> Self {
        let queue = |&weight: &u64| {
            let cost = UNIT / u128::from(weight.max(1));
            Queue { cost, is_last: weight == 0, start: 0, finish: 0, waits: false }
        };
        Self { queues: weights.iter().map(queue).collect(), virtual_time: 0 }
    }

    /// A cell arrives at an empty queue.
    pub(super) fn begin(&mut self, number: usize) {
        let queue = &mut self.queues[number];
        if !queue.waits {
            queue.start = self.virtual_time.max(queue.finish);
            queue.waits = true;
        }
    }

    /// The queue whose head starts first; of equals the one with the larger weight, then the first.
    pub(super) fn next(&self) -> Option<usize> {
        let waiting = self.queues.iter().enumerate().filter(|(_, queue)| queue.waits);
        waiting
            .min_by_key(|(number, queue)| (queue.is_last, queue.start, queue.cost, *number))
            .map(|(number, _)| number)
    }

    /// The head of a queue is served; `has_more` if another cell is behind it.
    pub(super) fn serve(&mut self, number: usize, has_more: bool) {
        let queue = &mut self.queues[number];
        self.virtual_time = self.virtual_time.max(queue.start);
        queue.finish = queue.start + queue.cost;
        queue.start = queue.finish;
        queue.waits = has_more;
    }

    /// The busy period is over, the last cell sent: nobody keeps a debt.
    pub(super) fn rest(&mut self) {
        self.virtual_time = self.queues.iter().map(|queue| queue.finish).fold(self.virtual_time, u128::max);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Serves queues that always wait; gives who was served.
    fn serve(weights: &[u64], cells: usize) -> Vec<usize> {
        let mut server = StartTimeQueueing::new(weights);
        (0..weights.len()).for_each(|queue| server.begin(queue));
        let serve = |_| {
            let queue = server.next().expect("all wait");
            server.serve(queue, true);
            queue
        };
        (0..cells).map(serve).collect()
    }

    #[test]
    fn queues_that_always_wait_are_served_in_proportion_to_their_weights() {
        // Start tags: 0 and 1, 2, 3 of queue 1 (weight 1); 0, 1/3, 2/3, 1 of queue 0 (weight 3); the heavier first.
        assert_eq!(serve(&[3, 1], 9), [0, 1, 0, 0, 0, 1, 0, 0, 0]);
        for (weights, total) in [([5_u64, 3, 2], 10), ([1, 1, 1], 3), ([1, 10, 100], 111)] {
            let served = serve(&weights, 100 * total);
            for (queue, &weight) in weights.iter().enumerate() {
                let cells = served.iter().filter(|&&number| number == queue).count() as u64;
                assert!(cells.abs_diff(100 * weight) <= 1, "queue {queue} of {weights:?}: {cells} cells");
            }
        }
    }

    #[test]
    fn a_queue_that_was_empty_gets_no_more_than_its_share_afterwards() {
        let mut server = StartTimeQueueing::new(&[1, 1]);
        server.begin(0);
        (0..50).for_each(|_| server.serve(0, true));
        server.begin(1);
        let order: Vec<_> = (0..4)
            .map(|_| {
                let queue = server.next().expect("both wait");
                server.serve(queue, true);
                queue
            })
            .collect();
        assert_eq!(order, [1, 0, 1, 0]);
    }

    /// Goyal, Vin and Cheng 1996, section 2: at the end of a busy period virtual time is the largest finish tag.
    #[test]
    fn after_a_busy_period_nobody_pays_for_what_was_sent_in_it() {
        let mut server = StartTimeQueueing::new(&[1, 1]);
        server.begin(0);
        (0..50).for_each(|sent| server.serve(0, sent < 49));
        server.rest();
        server.begin(0);
        server.begin(1);
        assert_eq!(server.next(), Some(0), "the first of equals");
    }

    #[test]
    fn a_queue_without_weight_is_served_when_no_other_waits() {
        let mut server = StartTimeQueueing::new(&[0, 7]);
        server.begin(0);
        server.begin(1);
        (0..1000).for_each(|_| {
            assert_eq!(server.next(), Some(1));
            server.serve(1, true);
        });
        server.serve(1, false);
        assert_eq!(server.next(), Some(0));
    }
}
