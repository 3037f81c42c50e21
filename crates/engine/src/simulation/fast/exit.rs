//! The bottleneck's line for cells: the last cells of packets are followed, the others are counted in blocks.

use longfat_foundation::row::Row;
use longfat_foundation::units::{LineClock, Time, TransmissionTime};
use longfat_network::framing::Cell;
use longfat_network::link::Line;
use longfat_network::switch::{Outlet, TrainOutlet};

use super::order::Moment;

/// A last cell on its way to its receiver, or admitted to the port with its transmission known.
#[derive(Clone, Copy)]
struct LastCell {
    /// When it arrives.
    exit: Time,
    cell: Cell,
    /// When its transmission began.
    sent: LineClock,
    /// When the cell before it arrives; never, if that was sent right before.
    exit_before: Time,
}

/// Cells sent back to back.
#[derive(Clone, Copy)]
struct Block {
    /// When the transmission of the first began, and when that of one after the last would.
    from: LineClock,
    until: LineClock,
    cells: u64,
}

/// The cells that have left the port and not arrived.
pub(super) struct Exit {
    /// Last cells, in the order in which they arrive.
    last_cells: Row<LastCell>,
    /// When the first of them arrives.
    next_time: Time,
    /// Last cells that have been taken and are not counted.
    taken: u64,
    /// All cells: the block that was sent last and, before it, the blocks that do not arrive completely before `until`, the time at which
    /// state must be complete. The others count as `arrived`.
    latest: Option<Block>,
    before: Row<Block>,
    until: Time,
    arrived: u64,
    /// Transmission time of a cell on the line.
    cell_time: TransmissionTime,
    /// Time of a cell from the beginning of its transmission to the end of the line, the relay included.
    time_to_end: TransmissionTime,
}

impl Exit {
    /// An empty line.
    pub fn new(line: &Line) -> Self {
        Self {
            last_cells: Row::default(),
            next_time: Time::NEVER,
            taken: 0,
            latest: None,
            before: Row::default(),
            until: Time::ZERO,
            arrived: 0,
            cell_time: line.cell_time(),
            time_to_end: line.time_to_end(),
        }
    }

    /// State need not be complete before `until`.
    pub fn proceed(&mut self, until: Time) {
        self.until = until;
    }

    /// When a cell arrives whose transmission begins at `clock`.
    #[inline]
    fn end_of(&self, clock: LineClock) -> Time {
        clock.after(self.time_to_end).time
    }

    /// Bytes that are allocated.
    pub fn memory_bytes(&self) -> usize {
        self.last_cells.memory_bytes() + self.before.memory_bytes()
    }

    /// Cells under way.
    pub fn cells_under_way(&self) -> u64 {
        self.before.iter().chain(&self.latest).map(|block| block.cells).sum()
    }

    /// Last cells under way that are sent before the next service.
    pub fn last_cells_before(&self, next_service: Time) -> impl Iterator<Item = Cell> {
        self.last_cells.iter().take_while(move |last| last.sent.time < next_service).map(|last| last.cell)
    }

    /// When the next last cell arrives; never, if there is none.
    #[inline]
    pub fn next_time(&self) -> Time {
        self.next_time
    }

    /// The next last cell's arrival, with the time at which the event driver would have scheduled it: when the cell before it arrived, or
    /// when it was sent, if the line was empty.
    pub fn next(&self) -> Moment {
        let Some(&LastCell { exit, sent, exit_before, .. }) = self.last_cells.front() else { return Moment::NEVER };
        match exit_before {
            Time::NEVER => Moment::new(exit, self.end_of(sent.before(self.cell_time))),
            before if before >= sent.time => Moment::new(exit, before),
            _ => Moment::by_service(exit, sent.time),
        }
    }

    /// Takes the next last cell. Calls `soon` for one that arrives soon, to prefetch its packet.
    #[inline]
    pub fn take_last(&mut self, soon: impl FnOnce(&Cell)) -> Option<Cell> {
        self.last_cells.ahead().map(|last| &last.cell).map(soon);
        let cell = self.last_cells.pop_front().map(|last| last.cell);
        self.taken += 1;
        self.next_time = self.last_cells.front().map_or(Time::NEVER, |last| last.exit);
        cell
    }

    /// Whether a cell that is sent at `clock` is sent right behind another.
    #[inline]
    fn goes_on_at(&self, clock: LineClock) -> bool {
        self.latest.is_some_and(|block| block.until == clock)
    }

    /// Adds cells sent back to back from `clock` until `free`.
    #[inline]
    fn push(&mut self, clock: LineClock, free: LineClock, cells: u64) {
        match &mut self.latest {
            Some(block) if block.until == clock => {
                block.cells += cells;
                block.until = free;
            }
            _ => self.begin_block(Block { from: clock, until: free, cells }),
        }
    }

    /// Adds cells that are not sent right behind others.
    fn begin_block(&mut self, block: Block) {
        let Some(before) = self.latest.replace(block) else { return };
        if self.end_of(before.until.before(self.cell_time)) < self.until {
            self.arrived += before.cells;
        } else {
            self.before.push_back(before);
        }
    }

    /// Adds a last cell that is sent after `before` others from `clock` on, right after the blocks or later.
    #[inline]
    fn push_last(&mut self, clock: LineClock, before: u64, cell: Cell) {
        let mut sent = clock;
        let mut exit_before = Time::NEVER;
        if before > 0 {
            sent.advance(self.cell_time.times(before));
        } else if !self.goes_on_at(clock) {
            // None arrives before the first of all.
            let latest = self.latest.map(|block| self.end_of(block.until.before(self.cell_time)));
            exit_before = latest.unwrap_or(Time::ZERO);
        }
        let exit = self.end_of(sent);
        self.next_time = self.next_time.min(exit);
        self.last_cells.push_back(LastCell { exit, cell, sent, exit_before });
    }

    /// Counts the cells that have arrived before `until`; returns their number.
    pub fn settle(&mut self, until: Time, line: &mut Line) -> u64 {
        let mut arrived = std::mem::take(&mut self.arrived);
        while let Some(block) = self.before.front_mut() {
            arrived += block.take_arrived(until, line);
            if block.cells > 0 {
                break;
            }
            self.before.pop_front();
        }
        arrived += self.latest.as_mut().map_or(0, |block| block.take_arrived(until, line));
        line.count_carried(arrived, std::mem::take(&mut self.taken));
        arrived
    }
}

impl Block {
    /// Removes the cells that arrive before `until`; returns their number.
    fn take_arrived(&mut self, until: Time, line: &Line) -> u64 {
        let sent_after = |cells: u64| {
            let mut clock = self.from;
            clock.advance_by(line.cell_time(), cells);
            clock
        };
        // Bisection for the last cell that arrives in time.
        let (mut arrived, mut beyond) = (0, self.cells + 1);
        while arrived + 1 < beyond {
            let cells = arrived.midpoint(beyond);
            if line.exit(sent_after(cells - 1)) < until {
                arrived = cells;
            } else {
                beyond = cells;
            }
        }
        self.from = sent_after(arrived);
        self.cells -= arrived;
        arrived
    }
}

/// The exit with the line that its cells travel on.
pub(super) struct Behind<'a> {
    pub exit: &'a mut Exit,
    pub line: &'a mut Line,
}

impl Outlet for Behind<'_> {
    #[inline]
    fn send_cell_at(&mut self, clock: LineClock, cell: Cell) -> LineClock {
        if cell.is_last() {
            self.exit.push_last(clock, 0, cell);
        }
        let free = clock.after(self.exit.cell_time);
        self.exit.push(clock, free, 1);
        free
    }

    fn send_anonymous_cell_at(&mut self, clock: LineClock) -> LineClock {
        self.line.send_anonymous_cell_at(clock)
    }

    fn pass_slot_at(&mut self, clock: LineClock) -> LineClock {
        self.line.pass_slot_at(clock)
    }
}

impl TrainOutlet for Behind<'_> {
    #[inline]
    fn send_train_at(&mut self, clock: LineClock, cells: u64, free: LineClock) {
        self.exit.push(clock, free, cells);
    }

    #[inline]
    fn note_last_at(&mut self, clock: LineClock, after: u64, last: Cell) {
        self.exit.push_last(clock, after, last);
    }
}
