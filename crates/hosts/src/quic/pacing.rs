//! Departures at a rate, with bursts (RFC 9002 section 7.7): a bucket of bytes that may leave at once.

use longfat_foundation::units::{PICOSECONDS_PER_SECOND, Span, Time};

/// The bucket of a connection.
#[derive(Debug)]
pub struct Bucket {
    bytes: f64,
    filled_at: Time,
}

/// The rate at which a bucket fills and how far.
#[derive(Clone, Copy, Debug)]
pub struct Flow {
    /// Bytes per second.
    pub rate: f64,
    /// Most bytes that it holds.
    pub capacity: f64,
    /// True if it is filled only when it lacks bytes for a packet, in whole bytes, and then to the brim before the next.
    pub fills_first: bool,
}

impl Bucket {
    /// A bucket with so many bytes.
    #[must_use]
    pub fn new(bytes: f64) -> Self {
        Self { bytes, filled_at: Time::ZERO }
    }

    /// When a packet of so many bytes may leave; `None` for now.
    #[expect(clippy::cast_precision_loss, reason = "a packet has far less than 2^53 bytes")]
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "positive; a cast of too much saturates"
    )]
    pub fn wait(&mut self, now: Time, bytes: u64, flow: Flow) -> Option<Time> {
        /// At most a day, so that it may be added to any time of a run.
        const LONGEST: u64 = 24 * 3600 * PICOSECONDS_PER_SECOND;
        const NANOSECOND: u64 = 1000;
        if flow.fills_first && self.bytes >= bytes as f64 {
            self.bytes = self.bytes.min(flow.capacity);
            return None;
        }
        let gained = (now - self.filled_at).as_seconds() * flow.rate;
        let gained = if flow.fills_first { gained.floor() } else { gained };
        (self.bytes, self.filled_at) = ((self.bytes + gained).min(flow.capacity.max(bytes as f64)), now);
        if self.bytes >= bytes as f64 {
            return None;
        }
        let needed = if flow.fills_first { flow.capacity.max(bytes as f64) } else { bytes as f64 };
        let picoseconds = ((needed - self.bytes) / flow.rate * PICOSECONDS_PER_SECOND as f64) as u64;
        // Rounded up, so that the bytes are there then; or down as quinn does, whose bucket therefore lacks a byte of its capacity.
        let wait = if flow.fills_first { picoseconds - picoseconds % NANOSECOND } else { picoseconds + 1 };
        Some(now + Span(wait.clamp(1, LONGEST)))
    }

    /// A packet leaves.
    #[expect(clippy::cast_precision_loss, reason = "a packet has far less than 2^53 bytes")]
    pub fn take(&mut self, bytes: u64) {
        self.bytes = (self.bytes - bytes as f64).max(0.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(milliseconds: u64) -> Time {
        Time::ZERO + Span::from_microseconds(1000 * milliseconds)
    }

    /// 1 byte per millisecond and 300 bytes at once: three packets of 100, then one each 100 ms, or three each 300 ms.
    #[test]
    fn a_burst_and_then_one_by_one_or_burst_by_burst() {
        for (fills_first, next) in [(false, 100), (true, 300)] {
            let flow = Flow { rate: 1000.0, capacity: 300.0, fills_first };
            let mut bucket = Bucket::new(300.0);
            for _ in 0..3 {
                assert_eq!(bucket.wait(ms(0), 100, flow), None);
                bucket.take(100);
            }
            let due = bucket.wait(ms(0), 100, flow).expect("the bucket is empty");
            assert_eq!(due, ms(next) + Span(u64::from(!fills_first)));
            assert_eq!(bucket.wait(due, 100, flow), None);
        }
    }

    /// Two packets leave 100 bytes; 300 ms later the third takes them, and only then the bucket is filled: four packets leave together.
    #[test]
    fn a_bucket_that_is_filled_when_it_is_empty_allows_more_than_one_burst() {
        let flow = Flow { rate: 1000.0, capacity: 300.0, fills_first: true };
        let mut bucket = Bucket::new(300.0);
        let mut leave = |at| {
            let mut packets = 0;
            while packets < 2 + at / 100 && bucket.wait(ms(at), 100, flow).is_none() {
                bucket.take(100);
                packets += 1;
            }
            packets
        };
        assert_eq!([0, 300].map(&mut leave), [2, 4]);
    }

    #[test]
    fn a_pause_allows_no_more_than_one_burst() {
        let flow = Flow { rate: 1000.0, capacity: 300.0, fills_first: false };
        let mut bucket = Bucket::new(300.0);
        let mut packets = 0;
        while bucket.wait(ms(100_000), 100, flow).is_none() {
            bucket.take(100);
            packets += 1;
        }
        assert_eq!(packets, 3);
    }
}
