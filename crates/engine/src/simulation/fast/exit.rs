//! The bottleneck's line as the fast driver sees it: only the last cells of packets are followed, the others counted.

use std::collections::VecDeque;

use super::order::Moment;
use crate::framing::Cell;
use crate::link::{Line, Outlet};
use crate::units::{LineClock, Time};

/// A last cell on its way to its receiver.
#[derive(Clone, Copy)]
pub(super) struct Leaving {
    /// When it gets there.
    pub moment: Moment,
    /// The cell.
    pub cell: Cell,
}

/// Cells sent back to back.
struct Block {
    /// When the transmission of the first began, and when that of one after the last would.
    from: LineClock,
    until: LineClock,
    cells: u64,
}

/// More blocks than are under way on most lines, and few enough to stay near the processor.
const LONG: usize = 1024;

/// What has left the port and not arrived.
#[derive(Default)]
pub(super) struct Exit {
    /// Last cells, in the order in which they arrive.
    pub last_cells: VecDeque<Leaving>,
    /// All cells.
    blocks: VecDeque<Block>,
}

impl Exit {
    /// Cells on their way.
    pub fn cells_under_way(&self) -> u64 {
        self.blocks.iter().map(|block| block.cells).sum()
    }

    /// Takes note of cells sent back to back from `clock` until `free`.
    #[inline]
    fn push(&mut self, clock: LineClock, free: LineClock, cells: u64) {
        match self.blocks.back_mut() {
            Some(block) if block.until == clock => {
                block.cells += cells;
                block.until = free;
            }
            _ => self.blocks.push_back(Block { from: clock, until: free, cells }),
        }
    }

    /// Takes note of a last cell sent at `clock`, right after what is in the blocks or later.
    #[inline]
    fn push_last(&mut self, clock: LineClock, cell: Cell, line: &Line) {
        // By events, a cell is put into the calendar when the one before it arrives, or when it is sent, if the line is empty.
        let exit = line.exit(clock);
        let before = self.blocks.back().map(|block| line.exit(block.until.before(line.cell_time())));
        let moment = match before {
            Some(before) if before >= clock.time => Moment::new(exit, before),
            _ => Moment::by_service(exit, clock.time),
        };
        self.last_cells.push_back(Leaving { moment, cell });
    }

    /// Whether it is time to forget what has arrived.
    #[inline]
    pub fn is_long(&self) -> bool {
        self.blocks.len() > LONG
    }

    /// Counts the cells that have arrived before `until`; gives how many.
    pub fn settle(&mut self, until: Time, line: &mut Line) -> u64 {
        let mut arrived = 0;
        while let Some(block) = self.blocks.front_mut() {
            let cells = block.take_arrived(until, line);
            arrived += cells;
            // The latest is needed to tell when the next cell was put into the calendar.
            if block.cells > 0 || self.blocks.len() == 1 {
                break;
            }
            self.blocks.pop_front();
        }
        line.count_carried(arrived, 0);
        arrived
    }
}

impl Block {
    /// Takes off the cells that arrive before `until`; gives how many.
    fn take_arrived(&mut self, until: Time, line: &Line) -> u64 {
        let sent_after = |cells: u64| {
            let mut clock = self.from;
            clock.advance_by(line.cell_time(), cells);
            clock
        };
        // The last that arrives in time is found by halves.
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
        self.send_train_at(clock, 1, cell.is_last().then_some(cell))
    }

    fn send_anonymous_cell_at(&mut self, clock: LineClock) -> LineClock {
        self.line.send_anonymous_cell_at(clock)
    }

    #[inline]
    fn send_train_at(&mut self, clock: LineClock, cells: u64, last: Option<Cell>) -> LineClock {
        let cell_time = self.line.cell_time();
        let mut at_last = clock;
        if cells > 1 {
            at_last.advance(cell_time.times(cells - 1));
            self.exit.push(clock, at_last, cells - 1);
        }
        let free = at_last.after(cell_time);
        if let Some(last) = last {
            self.exit.push_last(at_last, last, self.line);
        }
        self.exit.push(at_last, free, 1);
        free
    }
}
