//! What a simulation lets others see. Observers watch and never touch.

use crate::framing::{Cell, Content};
use crate::switch::Port;
use crate::switch::drop_policy::Verdict;
use crate::switch::scheduler::Class;
use crate::transport::{Acknowledgment, Segment, Sender, Window};
use crate::units::Time;

/// Told of everything that happens; every method does nothing by default.
///
/// Flow c, from 0, carries the data of connection c. Where the receiving ends of n connections ask for what is sent, flow n + c
/// carries the requests of connection c.
pub trait Observer {
    /// Whether it may be told of ports ahead of what end systems do, of each in the order of time. If so, the fast driver may be used.
    fn takes_ports_ahead(&self) -> bool {
        false
    }
    /// Whether the fast driver may tell of many slots of a port by [`queue_moved`](Self::queue_moved) alone.
    fn takes_rounds(&self) -> bool {
        true
    }
    /// Another in its place that has been told of nothing yet; this one will hear no more. Who takes ports ahead can do that: the
    /// fast driver may have to begin again, by events.
    fn again(&mut self) -> Option<Self>
    where
        Self: Sized,
    {
        None
    }
    /// A sender hands a segment to its network interface.
    fn segment_sent(&mut self, _now: Time, _flow: usize, _segment: Segment, _window: &Window) {}
    /// A whole segment reaches its receiver, which now expects byte `next`.
    fn segment_received(&mut self, _now: Time, _flow: usize, _sequence: u64, _length: u64, _next: u64) {}
    /// A receiver hands an acknowledgment to its network interface.
    fn acknowledgment_sent(&mut self, _now: Time, _flow: usize, _acknowledgment: &Acknowledgment) {}
    /// An acknowledgment reaches a sender, before it acts on it.
    fn acknowledgment_received(
        &mut self,
        _now: Time,
        _flow: usize,
        _acknowledgment: &Acknowledgment,
        _window: &Window,
    ) {
    }
    /// A retransmission timer expires; the window is as it was before.
    fn timed_out(&mut self, _now: Time, _flow: usize, _window: &Window) {}
    /// A synchronizing segment reaches the receiver, which answers it.
    fn synchronize_received(&mut self, _now: Time, _flow: usize) {}
    /// The answer to it reaches the sender: the connection is open.
    fn synchronized(&mut self, _now: Time, _flow: usize) {}
    /// A sender has acted: on an acknowledgment, a timer or its application. Its state is as it stays until it acts again.
    fn sender_acted(&mut self, _now: Time, _flow: usize, _sender: &Sender) {}
    /// A loss model loses a packet, or its first cell.
    fn packet_lost(&mut self, _now: Time, _flow: usize, _content: &Content) {}
    /// A port begins to send a cell of a class: what each class gets of the line over time.
    fn cell_served(&mut self, _now: Time, _port: usize, _class: Class) {}
    /// What waits at a port may have changed, and stays like this until the port is heard of again.
    fn queue_changed(&mut self, _now: Time, _port: usize, _state: &Port) {}
    /// The same, where a port is served many slots at once and all cells are of one class: so many wait.
    fn queue_moved(&mut self, _now: Time, _port: usize, _cells: u64) {}
    /// A port drops a cell of a packet that was whole until then; [`cell_dropped`](Self::cell_dropped) has told of the cell. Background
    /// belongs to no flow.
    fn packet_dropped(
        &mut self,
        _now: Time,
        _port: usize,
        _flow: usize,
        _cell: Cell,
        _content: &Content,
        _reason: Verdict,
    ) {
    }
    /// A port drops a cell.
    fn cell_dropped(&mut self, _now: Time, _port: usize, _cell: Cell, _reason: Verdict) {}
}

/// Nobody watches: costs nothing.
pub struct Unobserved;

impl Observer for Unobserved {
    fn takes_ports_ahead(&self) -> bool {
        true
    }

    fn again(&mut self) -> Option<Self> {
        Some(Self)
    }
}
