//! Batch service: rounds of one cell of each packet that arrives, or the cells of a packet that arrives alone.

use longfat_foundation::units::{CELL_BITS, Span, Time};
use longfat_network::framing::Cell;
use longfat_network::switch::{Port, RoundQueue, Stretch, TrainOutlet};

use super::super::Fast;
use super::super::exit::Behind;
use super::super::shares::Followed;
use super::{Head, Slotted};
use crate::observer::{Arriving, Observer, SlotRun};
use crate::simulation::network::Served;

/// Slots in which one head alone brings cells: as the stretch says, or one in each.
struct Lone {
    slots: u64,
    cells: u32,
    stretch: Option<Stretch>,
}

impl Lone {
    /// Admits the cells, from `first` on, and serves the slots; `last` is the last cell of the packet, if that is among them. Returns when
    /// to serve again.
    #[inline(always)]
    fn pass(self, port: &mut Port<RoundQueue>, first: Cell, last: Option<Cell>, outlet: &mut impl TrainOutlet) -> Time {
        match self.stretch {
            None => port.serve_alike(self.slots, first, last, outlet),
            Some(stretch) => port.serve_part(stretch, self.cells.into(), first, last, outlet),
        }
    }
}

/// Batch of consecutive rounds that consist of cells of the same packets.
struct Plan {
    /// Upper bound of the number of rounds.
    most: u64,
    /// True if the drop policy must be asked about cells of the first round, which is then not served in a batch.
    decides: bool,
}

/// The kind of the next slots.
pub(super) enum Slots {
    /// Alike, and served already.
    Served,
    /// At most this number of slots in which the same packets bring a cell each, without room for all, or with a drop policy that must be
    /// asked.
    Contested(u64),
    /// Different from one another.
    Unlike,
}

impl Slots {
    fn served_if(is_served: bool) -> Self {
        if is_served { Self::Served } else { Self::Unlike }
    }
}

impl Slotted {
    /// Serves a batch of slots, if the next ones are alike.
    pub(super) fn serve_rounds<O: Observer>(
        &mut self,
        horizon: Time,
        served: &mut Served<'_, O, Port<RoundQueue>>,
    ) -> Slots {
        let boundary = served.port.state().boundary().time;
        if horizon <= boundary {
            return Slots::Unlike;
        }
        let (due, others) = self.look_at_heads(boundary);
        // Up to this time only the heads that are due bring cells, and all arrivals are known.
        let limit = others.min(Time(horizon.0 - 1));
        if due == 1 {
            return Slots::served_if(self.serve_lone(limit, others, served));
        }
        let Some(Plan { most, decides }) = self.plan(boundary, due, served.port) else { return Slots::Unlike };
        let slots = self.slots_until(limit, boundary);
        let rounds = if decides { 0 } else { served.port.rounds_with_room(due, most.min(slots)) };
        if rounds > 0 {
            self.serve_whole_rounds(rounds, due, boundary, served);
        }
        if due == 0 {
            return Slots::served_if(rounds > 0);
        }
        if rounds == 0 && most > 0 {
            let waits = served.port.rounds_with_room(0, 1) > 0;
            return if waits { Slots::Contested(most.min(slots)) } else { Slots::Unlike };
        }
        let goes_on = !decides && rounds == most && rounds < slots;
        Slots::served_if((goes_on && self.serve_last_round(rounds > 0, served)) || rounds > 0)
    }

    /// Serves at least one and at most `most` slots in which the heads that are due bring a cell each, none of them a last one, until there is
    /// room for all. The drop policy decides about each cell.
    pub(super) fn serve_contested<O: Observer>(&mut self, most: u64, served: &mut Served<'_, O, Port<RoundQueue>>) {
        let boundary = served.port.state().boundary().time;
        // Sorted by circuit, as every slot is before its order is drawn.
        self.round.sort_by_key(|cell| cell.circuit());
        self.touched.by_cells(&self.round, &served.reports);
        let mut slots = 0;
        loop {
            let Served { port, links, dropped, reports, .. } = served;
            let now = port.state().boundary().time;
            self.drawn.clone_from(&self.round);
            let mut behind = Behind { exit: &mut self.exit, line: &mut links[self.line].line };
            self.next_service = port.serve_contested(&mut self.drawn, dropped, &mut behind);
            reports.of_service(now, port.state(), CELL_BITS);
            self.touched.tell(now, port, reports);
            slots += 1;
            served.note_dropped::<Fast>(now);
            if slots == 1 {
                self.round.iter_mut().for_each(|cell| *cell = cell.following(false));
            }
            if slots == most || served.port.rounds_with_room(0, 1) == 0 || self.finds_room(served.port) {
                break;
            }
        }
        self.services += slots;
        self.skip(slots, boundary);
    }

    /// True if the buffer has room for the next round and the occupancies are such that the drop policy admits every cell of it unasked
    /// (`DropPolicy::asked`).
    fn finds_room(&self, port: &Port<RoundQueue>) -> bool {
        let members = self.round.len() as u64;
        port.rounds_with_room(members, 1) > 0 && self.round.iter().all(|&cell| port.lets_in(cell, members - 1))
    }

    /// The number of heads that are due before `boundary`, one of which becomes `lone`, and the first arrival of the others.
    #[inline]
    fn look_at_heads(&mut self, boundary: Time) -> (u64, Time) {
        if self.next_arrival >= boundary {
            return (0, self.next_arrival);
        }
        self.look_until(boundary);
        let (mut due, mut others) = (0, self.next_later());
        for (index, head) in self.heads.iter().enumerate() {
            let arrival = head.train.arrival.time;
            if arrival < boundary {
                (due, self.lone) = (due + 1, index);
            } else {
                others = others.min(arrival);
            }
        }
        (due, others)
    }

    /// Serves `rounds` rounds of the next cells of the `due` heads that arrive before `boundary`, none of them a last one.
    fn serve_whole_rounds<O: Observer>(
        &mut self,
        rounds: u64,
        due: u64,
        boundary: Time,
        served: &mut Served<'_, O, Port<RoundQueue>>,
    ) {
        let Served { port, links, reports, .. } = served;
        self.services += rounds;
        let waiting_before = port.state().occupancy().total();
        let run = self.run(rounds, port);
        reports.of_rounds(&run, waiting_before, due);
        let mut behind = Behind { exit: &mut self.exit, line: &mut links[self.line].line };
        self.next_service = if reports.observer.interests().shares {
            let arriving = Arriving::InEach(&self.round);
            port.serve_rounds(rounds, &self.round, &mut Followed { behind, reports, arriving, run })
        } else {
            port.serve_rounds(rounds, &self.round, &mut behind)
        };
        self.skip(rounds, boundary);
    }

    /// Serves a slot in which each of several heads brings one cell, a last one among them: a planned round, or the one after such rounds.
    /// Returns whether there was room.
    fn serve_last_round<O: Observer>(
        &mut self,
        after_others: bool,
        served: &mut Served<'_, O, Port<RoundQueue>>,
    ) -> bool {
        let Served { port, links, reports, .. } = served;
        let boundary = port.state().boundary().time;
        if port.rounds_with_room(self.round.len() as u64, 1) == 0 {
            return false;
        }
        if after_others {
            self.round.clear();
            let due = self.heads.iter().filter(|head| head.train.arrival.time < boundary);
            self.round.extend(due.map(|head| head.train.cell));
        }
        self.services += 1;
        let run = self.run(1, port);
        reports.of_rounds(&run, port.state().occupancy().total(), self.round.len() as u64);
        let mut behind = Behind { exit: &mut self.exit, line: &mut links[self.line].line };
        self.next_service = if reports.observer.interests().shares {
            self.drawn.clone_from(&self.round);
            let arriving = Arriving::InEach(&self.round);
            port.serve_round(&mut self.drawn, &mut Followed { behind, reports, arriving, run })
        } else {
            port.serve_round(&mut self.round, &mut behind)
        };
        self.take_until(boundary, links, |_, _| ());
        true
    }

    /// An upper bound of the number of slots of which the first ends at `boundary` and the last not after `limit`.
    #[inline]
    fn slots_until(&self, limit: Time, boundary: Time) -> u64 {
        1 + (limit - boundary).0 / self.cell_time.at_most().0
    }

    /// Serves slots in which one head alone brings cells, until `limit`; the `others` arrive later.
    #[inline]
    fn serve_lone<O: Observer>(
        &mut self,
        limit: Time,
        others: Time,
        served: &mut Served<'_, O, Port<RoundQueue>>,
    ) -> bool {
        let Served { port, links, .. } = &*served;
        let boundary = port.state().boundary().time;
        let head = &self.heads[self.lone];
        if !port.lets_in(head.train.cell, 0) {
            return false;
        }
        if !head.is_in_step(boundary) {
            // The next packet of the line may bring a cell in the slot in which this one ends.
            let next = links[head.line].line.next_train().unwrap_or(Time::NEVER);
            if next < boundary {
                return false;
            }
            let slots = self.slots_until(limit.min(next), boundary);
            return self.serve_stretch(slots, others.min(next), served);
        }
        if port.rounds_with_room(1, 1) == 0 {
            return false;
        }
        let most = u64::from(head.train.cells);
        // The whole packet arrives before anything else, nearly always.
        let is_alone = boundary.saturating_add(Span(self.cell_time.at_most().0 * most)) <= limit;
        let slots = if is_alone { most } else { most.min(self.slots_until(limit, boundary)) };
        #[expect(clippy::cast_possible_truncation, reason = "no more than the cells of the train")]
        self.serve_part(Lone { slots, cells: slots as u32, stretch: None }, others, served);
        true
    }

    /// Serves at most `most` slots in which one head alone brings cells, but not one in each; the `others` arrive later.
    fn serve_stretch<O: Observer>(
        &mut self,
        most: u64,
        others: Time,
        served: &mut Served<'_, O, Port<RoundQueue>>,
    ) -> bool {
        let Head { train, cell_time, .. } = &self.heads[self.lone];
        let Served { port, reports, .. } = &mut *served;
        let mut stretch = port.stretch();
        let (mut arrival, mut cells) = (train.arrival, 0);
        self.counts.clear();
        while cells < train.cells && stretch.slots() < most {
            let before = cells;
            let mut next = arrival;
            while cells < train.cells && next.time < stretch.boundary() {
                next.advance(*cell_time);
                cells += 1;
            }
            if !stretch.add(u64::from(cells - before)) {
                cells = before;
                break;
            }
            if reports.observer.interests().queue_lengths || reports.observer.interests().shares {
                self.counts.push(cells - before);
            }
            arrival = next;
        }
        if cells > 0 {
            if reports.observer.interests().queue_lengths {
                let waiting_before = port.state().occupancy().total();
                reports.observer.queue_moved_by_counts(
                    reports.port,
                    &self.run(stretch.slots(), port),
                    waiting_before,
                    &self.counts,
                );
            }
            let lone = Lone { slots: stretch.slots(), cells, stretch: Some(stretch) };
            self.serve_part(lone, others, served);
        }
        cells > 0
    }

    /// Serves slots in which one head alone brings cells; the `others` arrive later.
    #[inline(always)]
    fn serve_part<O: Observer>(&mut self, lone: Lone, others: Time, served: &mut Served<'_, O, Port<RoundQueue>>) {
        let Served { port, links, reports, .. } = served;
        let Lone { slots, cells, ref stretch } = lone;
        let run = self.run(slots, port);
        let Head { train, cell_time, .. } = &mut self.heads[self.lone];
        let first = train.cell;
        let last = (cells == train.cells).then(|| if cells == 1 { first } else { first.following(true) });
        self.services += slots;
        reports.observer.cells_served(reports.port, &run);
        let mut behind = Behind { exit: &mut self.exit, line: &mut links[self.line].line };
        self.next_service = if reports.observer.interests().shares {
            let of_each = [first];
            let arriving = match stretch {
                None => Arriving::InEach(&of_each),
                Some(_) => Arriving::Counted(first.circuit(), &self.counts),
            };
            lone.pass(port, first, last, &mut Followed { behind, reports, arriving, run })
        } else {
            lone.pass(port, first, last, &mut behind)
        };
        if last.is_none() {
            train.skip(cells, cell_time.times(cells.into()));
            self.next_arrival = others.min(train.arrival.time);
        } else if self.replace(self.lone, links) {
            self.next_arrival = others.min(self.heads[self.lone].train.arrival.time);
        } else {
            self.next_arrival = others.min(self.next_later());
        }
    }

    /// The next `slots` slots.
    #[inline]
    fn run(&self, slots: u64, port: &Port<RoundQueue>) -> SlotRun {
        SlotRun { clock: port.state().boundary(), transmission: self.cell_time, skipped: 0, number: slots }
    }

    /// Makes a round of the next cells of the `due` heads that arrive before `boundary`, several or none. Returns for how many slots each of
    /// them brings one cell, none of them a last one; `None` if one does not.
    fn plan(&mut self, boundary: Time, due: u64, port: &Port<RoundQueue>) -> Option<Plan> {
        let (mut most, mut decides) = (u32::MAX, false);
        self.round.clear();
        for head in self.heads.iter().filter(|head| head.train.arrival.time < boundary) {
            if !head.is_in_step(boundary) {
                return None;
            }
            decides |= !port.lets_in(head.train.cell, due - 1);
            // A last cell ends the batch: the order within its slot decides when it leaves.
            most = most.min(head.train.cells - 1);
            self.round.push(head.train.cell);
        }
        Some(Plan { most: most.into(), decides })
    }

    /// Takes `cells` cells of each head that is due before `boundary`.
    fn skip(&mut self, cells: u64, boundary: Time) {
        let transmission = self.cell_time.times(cells);
        let mut next_arrival = self.next_later();
        for head in &mut self.heads {
            if head.train.arrival.time < boundary {
                #[expect(clippy::cast_possible_truncation, reason = "fewer than the cells of the train")]
                head.train.skip(cells as u32, transmission);
            }
            next_arrival = next_arrival.min(head.train.arrival.time);
        }
        self.next_arrival = next_arrival;
    }
}
