//! The ledger of one line's idle time: from when to when it is idle, and the cause to which that is charged.

use longfat_foundation::measure::{ByCause, SendLimit};
use longfat_foundation::units::Time;
use longfat_network::topology::Graph;

use super::legs::Numbers;

/// Idle time is charged to the limit of the most advanced of the senders whose data crosses the line.
pub struct LineLedger {
    /// Of each flow, whether its data, and its acknowledgments, cross the line.
    crosses: Vec<(bool, bool)>,
    /// How many senders whose data crosses have each limit, and the most advanced limit of any.
    senders: [usize; SendLimit::ALL.len()],
    most_advanced: SendLimit,
    /// The line is idle between these times. All idle time before is charged, but for that in `idle_before`.
    idle_since: Time,
    idle_until: Time,
    /// Earlier idle times that are not charged yet, in order.
    idle_before: Vec<(Time, Time)>,
    idle_ps: ByCause,
}

impl LineLedger {
    /// Of `line`, in a network with `flows` flows: the data of a connection or of one of its legs, or its requests.
    pub fn open(graph: &Graph, line: Option<usize>, flows: usize) -> Self {
        let numbers = Numbers::of(graph);
        let has_line =
            |circuit| graph.links_of_circuit(circuit).unwrap_or_default().iter().any(|&number| Some(number) == line);
        let of_flow = |number| {
            let (data, acknowledgments) = numbers.circuits(number);
            (has_line(data), has_line(acknowledgments))
        };
        let crosses: Vec<_> = (0..flows).map(of_flow).collect();
        let mut senders = [0; SendLimit::ALL.len()];
        senders[SendLimit::NoData as usize] = crosses.iter().filter(|(data, _)| *data).count();
        Self {
            crosses,
            senders,
            most_advanced: SendLimit::NoData,
            idle_since: Time::ZERO,
            idle_until: Time::NEVER,
            idle_before: Vec::new(),
            idle_ps: ByCause::default(),
        }
    }

    /// Of each flow, whether its data, and its acknowledgments, cross the line.
    pub fn crosses(&self) -> &[(bool, bool)] {
        &self.crosses
    }

    /// Bytes that are allocated.
    pub fn memory_bytes(&self) -> usize {
        size_of_val(self.crosses.as_slice()) + self.idle_before.capacity() * size_of::<(Time, Time)>()
    }

    /// The line becomes idle until, perhaps, some time that is known. Idle time is charged later, when the most advanced sender of that
    /// time is known.
    pub fn rests(&mut self, now: Time, until: Option<Time>) {
        let ended = self.idle_until.min(now);
        if self.idle_since < ended {
            self.idle_before.push((self.idle_since, ended));
        }
        (self.idle_since, self.idle_until) = (now, until.unwrap_or(Time::NEVER));
    }

    /// The line, which is idle, sends from `time` on.
    pub fn will_send(&mut self, time: Time) {
        self.idle_until = time;
    }

    /// Whether the line sends at the end of the run.
    pub fn sends_at(&self, end: Time) -> bool {
        self.idle_until < end
    }

    /// Idle times that are not charged yet, but for the latest.
    #[inline]
    pub fn uncharged(&self) -> usize {
        self.idle_before.len()
    }

    /// Charges the idle time until `now`.
    pub fn charge(&mut self, now: Time) {
        let over = self.idle_before.partition_point(|(_, until)| *until <= now);
        let mut passed = self.idle_before.drain(..over).map(|(since, until)| (until - since).0).sum();
        let first = self
            .idle_before
            .first_mut()
            .map_or((&mut self.idle_since, self.idle_until), |first| (&mut first.0, first.1));
        let until = first.1.min(now);
        if *first.0 < until {
            passed += (until - *first.0).0;
            *first.0 = until;
        }
        self.idle_ps.add(self.most_advanced.into(), passed);
    }

    /// The idle time that is charged, by cause.
    pub fn idle_ps(&self) -> ByCause {
        self.idle_ps
    }

    /// The limit of the sender of a flow changes at `now`.
    pub fn change_limit(&mut self, now: Time, number: usize, before: SendLimit, limit: SendLimit) {
        if !self.crosses[number].0 {
            return;
        }
        self.senders[before as usize] -= 1;
        self.senders[limit as usize] += 1;
        let most_advanced = SendLimit::ALL.into_iter().rev().find(|limit| self.senders[*limit as usize] > 0);
        let most_advanced = most_advanced.unwrap_or(SendLimit::NoData);
        if most_advanced != self.most_advanced {
            self.charge(now);
            self.most_advanced = most_advanced;
        }
    }
}
