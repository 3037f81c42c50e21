//! Log-on of terminals to a return link. Before it a terminal is granted nothing, and requests nothing.

/// How far a terminal is with its log-on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogOn {
    /// Not heard yet: it sends a burst in the frame with this number, or in the first one after it in which its line is open.
    Due(u64),
    /// Heard: the answer comes with the frame of this number, the first that may have capacity.
    Answered(u64),
    /// Done.
    Done,
}

impl LogOn {
    /// At the beginning of a run; all terminals log on together if they have to.
    pub fn at_start(is_needed: bool) -> Self {
        if is_needed { Self::Due(0) } else { Self::Done }
    }

    /// The frame with this number begins. Returns true if the answer comes with it.
    pub fn begin_frame(&mut self, frame: u64) -> bool {
        let is_answered = matches!(*self, Self::Answered(from) if from <= frame);
        if is_answered {
            *self = Self::Done;
        }
        is_answered
    }

    /// The control centre knows the terminal.
    pub fn is_heard(self) -> bool {
        !matches!(self, Self::Due(_))
    }
}
