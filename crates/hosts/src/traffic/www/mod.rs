//! WWW clients and servers: documents of several files, requested over a persistent connection.

pub(super) mod draw;
mod exchange;

use draw::{Draw, FileClass, TruncatedPoisson};
use exchange::Requests;
use longfat_foundation::config::{Bytes, PositiveSpan};
use longfat_foundation::random::RandomSpan;
use longfat_foundation::units::{Span, Time};

use super::{Exchange, Source, Wake};

longfat_foundation::choice! {
    /// Origin of the interval between two documents.
    pub enum BatchClock {
        /// At the start of the previous document: a cycle of constant length.
        StartToStart = "start-to-start",
        /// At the last request of the previous document.
        AfterLastRequest = "after-last-request",
    }
}

longfat_foundation::model! {
    /// Clients request documents of several files, each client over one persistent connection, and servers answer at once. The connection's
    /// data are the files; requests travel the other way as data of the client's TCP. Requests are pipelined: they do not wait for answers.
    /// Answers are sent in the order of the requests.
    #[name = "www"]
    #[source = "98-0876R1 section 5; SPECweb96; Mah 1997"]
    pub struct Www: dyn Source {
        /// Size of a request.
        request: Bytes = "128 B",
        /// How often files of each class are requested, and the unit of their sizes in kilobytes.
        classes: Vec<FileClass> = "[{ probability = 0.2, unit = 0.1 }, { probability = 0.28, unit = 1 }, { probability = 0.4, unit = 10 }, { probability = 0.112, unit = 100 }, { probability = 0.008, unit = 1000 }]",
        /// Bytes of a kilobyte. With 1024 bytes a mean index of 5 gives the 120.3 kB of 98-0876R1.
        kilobyte: Bytes = "1024 B" or ["1000 B"],
        /// Number of units of its class in a file (X-02): "one of these nine file sizes is selected according to a Poisson Distribution
        /// with mean 5".
        file_size: TruncatedPoisson = "{}",
        /// Number of files in a document: "1 to 9 requests for a single document".
        requests: TruncatedPoisson = "{}",
        /// Time from one request to the next.
        spacing: RandomSpan = "uniform(100 ms, 500 ms)",
        /// Whether the first request of a document is also preceded by a spacing. The paper does not say.
        first_request_waits: bool = "true" or ["false"],
        /// Time from one document to the next.
        interval: PositiveSpan = "10 s",
        /// Where the interval between documents begins. 98-0876R1 has "a time lag between batches of requests", and 10 cycles of it
        /// in 100 s, which fit only if it runs from start to start.
        clock: BatchClock = "start-to-start" or ["after-last-request"],
        /// When a client requests its first document. By default all share a clock, and only the wait before the first request
        /// spreads them; "uniform(0 s, 10 s)" draws a phase for each.
        start: RandomSpan = "0 s" or ["uniform(0 s, 10 s)"],
        /// Each client starts this much later than the one before.
        stagger: Span = "0 s",
    }
    build(config, context) {
        Box::new(Www::application(config, context.start(&config.start, config.stagger), context.chance.clone()))
    }
    objections(config, _context) { config.objections() }
}

impl Www {
    fn application(&self, start: Time, chance: longfat_foundation::random::Stream) -> Client {
        Client {
            draw: Draw::new(&self.classes, self.kilobyte.0, &self.file_size, &self.requests, self.spacing, chance),
            requests: Requests::new(self.request.0, self.classes.len()),
            interval: self.interval.0,
            clock: self.clock,
            first_request_waits: self.first_request_waits,
            start,
            document: 0,
            begun: start,
            made: 0,
        }
    }

    fn objections(&self) -> Vec<(&'static str, String)> {
        let of_classes = draw::object_to_classes(&self.classes, self.kilobyte.0, &self.file_size);
        let mut objections: Vec<_> = of_classes.map(|message| ("classes", message)).into_iter().collect();
        for (key, counts) in [("file_size", &self.file_size), ("requests", &self.requests)] {
            objections.extend(counts.objection().map(|message| (key, message)));
        }
        let waits = self.requests.most.0 - u64::from(!self.first_request_waits);
        let longest = Span(self.spacing.high.0.saturating_mul(waits));
        if self.clock == BatchClock::StartToStart && longest >= self.interval.0 {
            let message = format!(
                "the requests of a document may take {}, so the next would begin before they are over; make it longer, or count it \
                 with clock = \"after-last-request\"",
                longfat_foundation::config::format_span(longest)
            );
            objections.push(("interval", message));
        }
        objections
    }
}

/// A client and its server.
struct Client {
    draw: Draw,
    requests: Requests,
    interval: Span,
    clock: BatchClock,
    first_request_waits: bool,
    start: Time,
    /// Index of the current document, and the time at which it was begun.
    document: u64,
    begun: Time,
    /// Requests made for it.
    made: u64,
}

impl Client {
    /// Time of the next request, given that one was made `now`.
    fn next_request(&mut self, now: Time) -> Time {
        if self.made < self.draw.files_of(self.document) {
            return now + self.draw.spacing(self.document, self.made);
        }
        self.begun = match self.clock {
            BatchClock::StartToStart => self.begun + self.interval,
            BatchClock::AfterLastRequest => now + self.interval,
        };
        self.document += 1;
        self.made = 0;
        self.first_request()
    }

    fn first_request(&self) -> Time {
        let wait = if self.first_request_waits { self.draw.spacing(self.document, 0) } else { Span::ZERO };
        self.begun + wait
    }

    fn ask(&mut self, now: Time) {
        let file = self.draw.file(self.document, self.made);
        self.made += 1;
        let is_last = self.made == self.draw.files_of(self.document);
        self.requests.ask(now, file, is_last);
    }
}

impl Source for Client {
    fn start(&self) -> Time {
        self.start
    }

    /// Opens the connection at the start, even if the first request is later.
    fn wake(&mut self, now: Time) -> Wake {
        let is_first = self.document == 0 && self.made == 0;
        if is_first && now < self.first_request() {
            return Wake { bytes: 0, next: Some(self.first_request()) };
        }
        self.ask(now);
        Wake { bytes: self.requests.bytes_each(), next: Some(self.next_request(now)) }
    }

    fn asks(&self) -> bool {
        true
    }

    fn answer(&mut self, requested: u64) -> u64 {
        self.requests.answer(requested)
    }

    fn note_delivered(&mut self, now: Time, delivered: u64) {
        self.requests.note_delivered(now, delivered);
    }

    fn memory_bytes(&self) -> usize {
        self.requests.memory_bytes()
    }

    fn forget_completions(&mut self) {
        self.requests.forget_completions();
    }

    fn exchange(&self) -> Option<Exchange<'_>> {
        Some(self.requests.exchange())
    }
}
