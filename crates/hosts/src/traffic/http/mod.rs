//! Pages over HTTP: files that share a connection, each on a stream of its own or all on one.

mod multiplex;

use std::collections::{BTreeMap, VecDeque};

use longfat_foundation::config::{Bytes, PositiveSpan};
use longfat_foundation::random::{RandomSpan, Stream};
use longfat_foundation::units::{Span, Time};

use self::multiplex::Multiplex;
use super::www::draw::{Draw, FileClass, TruncatedPoisson, object_to_classes};
use super::{Exchange, Kind, Messages, Source, Wake};
use crate::end_system::{End, Message};

longfat_foundation::choice! {
    /// When a client asks for the files of a page.
    pub enum Discovery {
        /// The first is the document. It names the others, which are asked for together when it has arrived.
        Document = "document",
        /// All together, as by a client that knows the page.
        AtOnce = "at-once",
    }
}

longfat_foundation::choice! {
    /// Order in which a server sends answers that wait at once (RFC 9218 section 10).
    pub enum Schedule {
        /// They share the connection: a packet of each by turns, or a frame where they share one stream. Incremental responses of one urgency.
        RoundRobin = "round-robin",
        /// One after the other, in the order of the requests. Responses of one urgency that are not incremental, as RFC 9218 assumes of those
        /// that do not say.
        Sequential = "sequential",
    }
}

longfat_foundation::model! {
    /// Clients load pages of several files, each client over one connection: it asks for a document, and for the files that this names when it
    /// has arrived. Where the transport has streams (stacks "quic" and "quinn"), each file has one, as with HTTP/3: a loss holds back the files
    /// of which bytes are lost. Elsewhere all share one stream of bytes in frames, as with HTTP/2 over TCP: a loss holds back everything behind it.
    #[name = "http"]
    #[source = "RFC 9113; RFC 9114; RFC 9218; sizes: 98-0876R1 section 5, as of \"www\""]
    pub struct Http: dyn Source {
        /// Size of a request, with its frame: as of "www".
        request: Bytes = "128 B",
        /// Size of what comes before a file in its answer: a frame of header fields, and the headers of frames of data. By default as much as
        /// a request.
        response_header: Bytes = "128 B",
        /// How often files of each class are on a page, and the unit of their sizes in kilobytes.
        classes: Vec<FileClass> = "[{ probability = 0.2, unit = 0.1 }, { probability = 0.28, unit = 1 }, { probability = 0.4, unit = 10 }, { probability = 0.112, unit = 100 }, { probability = 0.008, unit = 1000 }]",
        /// Bytes of a kilobyte.
        kilobyte: Bytes = "1024 B" or ["1000 B"],
        /// Number of units of its class in a file.
        file_size: TruncatedPoisson = "{}",
        /// Number of files of a page, with its document.
        files: TruncatedPoisson = "{}",
        /// When the files of a page are asked for.
        discovery: Discovery = "document" or ["at-once"],
        /// Order in which a server sends what waits.
        schedule: Schedule = "round-robin" or ["sequential"],
        /// Data of an answer before it is another's turn, where answers share one stream: the largest frame, if not agreed otherwise (RFC 9113
        /// section 4.2).
        frame: Bytes = "16384 B",
        /// Time from the beginning of a page to that of the next.
        interval: PositiveSpan = "10 s",
        /// When a client asks for its first page.
        start: RandomSpan = "0 s" or ["uniform(0 s, 10 s)"],
        /// Each client starts this much later than the one before.
        stagger: Span = "0 s",
    }
    build(config, context) {
        Box::new(config.client(context.start(&config.start, config.stagger), context.chance.clone()))
    }
    objections(config, _context) {
        let of_classes = object_to_classes(&config.classes, config.kilobyte.0, &config.file_size);
        let mut objections: Vec<_> = of_classes.map(|message| ("classes", message)).into_iter().collect();
        for (key, counts) in [("file_size", &config.file_size), ("files", &config.files)] {
            objections.extend(counts.objection().map(|message| (key, message)));
        }
        objections
    }
}

impl Http {
    fn client(&self, start: Time, chance: Stream) -> Client {
        let at_once = RandomSpan { low: Span::ZERO, high: Span::ZERO };
        let draw = Draw::new(&self.classes, self.kilobyte.0, &self.file_size, &self.files, at_once, chance);
        let takes_turns = self.schedule == Schedule::RoundRobin;
        let names = (0..self.classes.len()).map(|class| format!("class {class}")).chain(["page".into()]);
        Client {
            draw,
            request: self.request.0,
            response_header: self.response_header.0,
            discovery: self.discovery,
            takes_turns,
            interval: self.interval.0,
            start,
            next_page: (0, start),
            pages: BTreeMap::new(),
            files: BTreeMap::new(),
            read: Vec::new(),
            counts: Counts::default(),
            said: 0,
            answers: VecDeque::new(),
            shared: Multiplex::new(self.frame.0, takes_turns),
            kinds: names.map(Kind::new).collect(),
        }
    }
}

/// A page of which not all has arrived.
struct Page {
    begun: Time,
    /// Files that have not arrived.
    left: u64,
}

/// A file that was asked for and has not arrived.
struct File {
    page: u64,
    /// Place in the page; that of the document is 0.
    place: u64,
    class: usize,
    /// Size of its answer.
    bytes: u64,
    asked: Time,
}

/// Totals of requests and answers.
#[derive(Clone, Copy, Default)]
struct Counts {
    made: u64,
    answered: u64,
    bytes_asked: u64,
    bytes_answered: u64,
}

/// A client and its server.
struct Client {
    draw: Draw,
    request: u64,
    response_header: u64,
    discovery: Discovery,
    takes_turns: bool,
    interval: Span,
    start: Time,
    /// The page that comes next, and when.
    next_page: (u64, Time),
    pages: BTreeMap<u64, Page>,
    /// Files by the number of the request, from 1, which is that of its stream.
    files: BTreeMap<u64, File>,
    /// Pages whose document has arrived, and whose other files were not asked for.
    read: Vec<u64>,
    counts: Counts,
    /// Requests that went on streams, and answers that are to.
    said: u64,
    answers: VecDeque<Message>,
    /// Order of the answers' bytes where they share one stream.
    shared: Multiplex,
    /// One kind per file class, then pages.
    kinds: Vec<Kind>,
}

impl Client {
    /// Asks for the files of a page from `place` on: for all, or for the document alone.
    fn ask(&mut self, now: Time, page: u64, place: u64) {
        let all = self.draw.files_of(page);
        let end = if place == 0 && self.discovery == Discovery::Document { 1 } else { all };
        for place in place..end {
            let drawn = self.draw.file(page, place);
            let (class, bytes) = (drawn.class, self.response_header + drawn.bytes);
            self.counts.made += 1;
            self.counts.bytes_asked += bytes;
            self.kinds[class].asked += 1;
            self.files.insert(self.counts.made, File { page, place, class, bytes, asked: now });
        }
    }

    fn begin_page(&mut self, now: Time) {
        let (page, _) = self.next_page;
        self.next_page = (page + 1, now + self.interval);
        self.pages.insert(page, Page { begun: now, left: self.draw.files_of(page) });
        self.kinds.last_mut().expect("pages").asked += 1;
        self.ask(now, page, 0);
    }

    /// A request has reached the server. Returns the size of the answer.
    fn take_request(&mut self, number: u64) -> u64 {
        let bytes = self.files.get(&number).expect("no request arrives that was not made").bytes;
        self.counts.answered += 1;
        self.counts.bytes_answered += bytes;
        bytes
    }

    /// All of an answer has reached the client.
    fn take_answer(&mut self, now: Time, number: u64) {
        let file = self.files.remove(&number).expect("no answer arrives that was not asked for");
        self.kinds[file.class].times.record(now - file.asked);
        let page = self.pages.get_mut(&file.page).expect("a page ends with its last file");
        page.left -= 1;
        if page.left == 0 {
            self.kinds.last_mut().expect("pages").times.record(now - page.begun);
            self.pages.remove(&file.page);
        } else if file.place == 0 && self.discovery == Discovery::Document {
            self.read.push(file.page);
        }
    }
}

impl Source for Client {
    fn start(&self) -> Time {
        self.start
    }

    fn wake(&mut self, now: Time) -> Wake {
        let before = self.counts.made;
        for page in std::mem::take(&mut self.read) {
            self.ask(now, page, 1);
        }
        if self.next_page.1 <= now {
            self.begin_page(now);
        }
        Wake { bytes: (self.counts.made - before) * self.request, next: Some(self.next_page.1) }
    }

    fn asks(&self) -> bool {
        true
    }

    fn note_committed(&mut self, committed: u64) {
        self.shared.place(committed);
    }

    fn answer(&mut self, requested: u64) -> u64 {
        let before = self.counts.bytes_answered;
        while (self.counts.answered + 1) * self.request <= requested {
            let number = self.counts.answered + 1;
            let bytes = self.take_request(number);
            self.shared.add(number, bytes);
        }
        self.counts.bytes_answered - before
    }

    fn note_delivered(&mut self, now: Time, delivered: u64) {
        while let Some(number) = self.shared.take_whole(delivered) {
            self.take_answer(now, number);
        }
    }

    fn messages(&mut self) -> Option<&mut dyn Messages> {
        Some(self)
    }

    fn is_ready(&self) -> bool {
        !self.read.is_empty()
    }

    fn memory_bytes(&self) -> usize {
        self.pages.len() * size_of::<(u64, Page)>()
            + self.files.len() * size_of::<(u64, File)>()
            + self.answers.capacity() * size_of::<Message>()
            + self.shared.memory_bytes()
    }

    fn forget_completions(&mut self) {
        self.kinds.iter_mut().for_each(Kind::forget_arrived);
    }

    fn exchange(&self) -> Option<Exchange<'_>> {
        let Counts { made, answered, bytes_asked, bytes_answered } = self.counts;
        Some(Exchange {
            made,
            answered,
            request_bytes: self.request,
            bytes_asked,
            bytes_answered,
            files_delivered: made - self.files.len() as u64,
            kinds: &self.kinds,
            is_in_order: self.said == 0,
        })
    }
}

impl Messages for Client {
    fn say(&mut self, from: End) -> Option<Message> {
        if from == End::Near {
            return self.answers.pop_front();
        }
        (self.said < self.counts.made).then(|| {
            self.said += 1;
            Message { stream: self.said, bytes: self.request, takes_turns: self.takes_turns }
        })
    }

    fn hear(&mut self, now: Time, at: End, stream: u64) {
        if at == End::Far {
            return self.take_answer(now, stream);
        }
        let bytes = self.take_request(stream);
        self.answers.push_back(Message { stream, bytes, takes_turns: self.takes_turns });
    }
}
