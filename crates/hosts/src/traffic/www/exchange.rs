//! Requests of a client, from being made to the delivery of the last byte of the response.

use std::collections::VecDeque;

use longfat_foundation::units::Time;

use super::draw::File;
use crate::traffic::{Exchange, Kind};

/// A request whose file has not been delivered.
struct Pending {
    class: usize,
    made: Time,
    /// Total bytes of responses when the file is delivered.
    ends: u64,
    /// Set on the last request of a page: the time of the page's first request.
    completes: Option<Time>,
}

/// Requests of a client. Responses arrive in the order of the requests, so byte counts identify them.
pub(super) struct Requests {
    bytes_each: u64,
    made: u64,
    answered: u64,
    bytes_asked: u64,
    bytes_answered: u64,
    /// Sizes of the files whose requests have not reached the server.
    unanswered: VecDeque<u64>,
    pending: VecDeque<Pending>,
    /// Time of the first request of the current page.
    page_begun: Option<Time>,
    /// One kind per file class, then pages.
    kinds: Vec<Kind>,
}

impl Requests {
    pub(super) fn new(bytes_each: u64, classes: usize) -> Self {
        let names = (0..classes).map(|class| format!("class {class}")).chain(["page".into()]);
        Self {
            bytes_each,
            made: 0,
            answered: 0,
            bytes_asked: 0,
            bytes_answered: 0,
            unanswered: VecDeque::new(),
            pending: VecDeque::new(),
            page_begun: None,
            kinds: names.map(Kind::new).collect(),
        }
    }

    /// Size of a request in bytes.
    pub(super) fn bytes_each(&self) -> u64 {
        self.bytes_each
    }

    /// Records a request; `is_last` if it is the last of its page.
    pub(super) fn ask(&mut self, now: Time, file: File, is_last: bool) {
        self.made += 1;
        self.bytes_asked += file.bytes;
        self.unanswered.push_back(file.bytes);
        let begun = *self.page_begun.get_or_insert_with(|| {
            self.kinds.last_mut().expect("pages").asked += 1;
            now
        });
        self.kinds[file.class].asked += 1;
        let completes = is_last.then_some(begun);
        self.pending.push_back(Pending { class: file.class, made: now, ends: self.bytes_asked, completes });
        if is_last {
            self.page_begun = None;
        }
    }

    /// Records that `requested` bytes of requests, in total, have reached the server. Returns the bytes of the responses sent now.
    pub(super) fn answer(&mut self, requested: u64) -> u64 {
        let before = self.bytes_answered;
        while (self.answered + 1) * self.bytes_each <= requested {
            self.bytes_answered += self.unanswered.pop_front().expect("no request arrives that was not made");
            self.answered += 1;
        }
        self.bytes_answered - before
    }

    /// Records that `delivered` bytes of responses, in total, have reached the client.
    #[inline]
    pub(super) fn note_delivered(&mut self, now: Time, delivered: u64) {
        // Most packets end no file.
        if self.pending.front().is_some_and(|file| file.ends <= delivered) {
            self.complete(now, delivered);
        }
    }

    #[inline(never)]
    fn complete(&mut self, now: Time, delivered: u64) {
        while let Some(file) = self.pending.front().filter(|file| file.ends <= delivered) {
            self.kinds[file.class].times.record(now - file.made);
            if let Some(begun) = file.completes {
                self.kinds.last_mut().expect("pages").times.record(now - begun);
            }
            self.pending.pop_front();
        }
    }

    /// Bytes that are allocated for requests that are not answered, or not delivered.
    pub(super) fn memory_bytes(&self) -> usize {
        self.unanswered.capacity() * size_of::<u64>() + self.pending.capacity() * size_of::<Pending>()
    }

    pub(super) fn forget_completions(&mut self) {
        self.kinds.iter_mut().for_each(Kind::forget_arrived);
    }

    pub(super) fn exchange(&self) -> Exchange<'_> {
        Exchange {
            made: self.made,
            answered: self.answered,
            request_bytes: self.bytes_each,
            bytes_asked: self.bytes_asked,
            bytes_answered: self.bytes_answered,
            files_delivered: self.made - self.pending.len() as u64,
            kinds: &self.kinds,
            is_in_order: true,
        }
    }
}

#[cfg(test)]
mod tests {
    use longfat_foundation::measure::Histogram;
    use longfat_foundation::units::Span;

    use super::*;

    fn at(milliseconds: u64) -> Time {
        Time::ZERO + Span::from_microseconds(1000 * milliseconds)
    }

    #[test]
    fn files_are_told_apart_by_the_number_of_bytes() {
        let mut requests = Requests::new(100, 2);
        requests.ask(at(0), File { class: 0, bytes: 10 }, false);
        requests.ask(at(5), File { class: 1, bytes: 1000 }, true);
        requests.ask(at(9), File { class: 0, bytes: 20 }, false);
        assert_eq!(requests.answer(99), 0, "a request answers nothing until it is whole");
        assert_eq!(requests.answer(250), 1010, "two at once");
        requests.note_delivered(at(20), 9);
        requests.note_delivered(at(30), 10);
        requests.note_delivered(at(50), 1009);
        requests.note_delivered(at(60), 1010);
        assert_eq!(requests.answer(300), 20);
        let exchange = requests.exchange();
        assert_eq!((exchange.made, exchange.answered, exchange.request_bytes), (3, 3, 100));
        assert_eq!((exchange.bytes_asked, exchange.bytes_answered), (1030, 1030));
        let counts: Vec<_> =
            exchange.kinds.iter().map(|kind| (kind.name.as_str(), kind.asked, kind.times.count())).collect();
        assert_eq!(counts, [("class 0", 2, 1), ("class 1", 1, 1), ("page", 2, 1)]);
    }

    #[test]
    fn a_file_takes_from_its_request_and_a_page_from_its_first_to_the_last_byte() {
        let mut requests = Requests::new(1, 1);
        requests.ask(at(10), File { class: 0, bytes: 10 }, false);
        requests.ask(at(40), File { class: 0, bytes: 10 }, true);
        requests.answer(2);
        requests.note_delivered(at(100), 20);
        let mut files = Histogram::default();
        [90, 60].iter().for_each(|ms| files.record(at(*ms) - Time::ZERO));
        let mut pages = Histogram::default();
        pages.record(at(90) - Time::ZERO);
        let exchange = requests.exchange();
        assert_eq!((&exchange.kinds[0].times, &exchange.kinds[1].times), (&files, &pages));
    }
}
