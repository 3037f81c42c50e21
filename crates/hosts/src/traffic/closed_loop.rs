//! Users who wait for one page before they ask for the next.

use std::sync::Arc;

use longfat_foundation::random::{RandomSpan, Stream};
use longfat_foundation::registry::Chosen;
use longfat_foundation::units::{Span, Time};

use super::messages::Count;
use super::size::SizeDistribution;
use super::{Source, SourceContext, Turn, Wake};

longfat_foundation::model! {
    /// A closed loop: a user asks for a page, waits until all of it has come, pauses, and asks for the next. A page is a file, and the files that
    /// are asked for when the first has come. Each file has a connection of its own, so a page that takes longer delays those behind it: the load
    /// depends on the network. Completion times are reported of pages, from the request for the first file to the last byte of all.
    #[name = "closed-loop"]
    #[source = "RFC 2415 section 2 (web clients, file transfers); RFC 2884 section 5.3 (transactions)"]
    pub struct ClosedLoop: dyn Source {
        /// The distribution of the sizes of files.
        size: Chosen<dyn SizeDistribution>,
        /// How many pages each user asks for.
        count: Count,
        /// How many files are asked for together when the first of a page has come.
        embedded: u64 = "0",
        /// Time from the last byte of a page to the request for the next.
        pause: RandomSpan = "0 s",
        /// Time from asking for a file until its sender begins, such as half a round trip: the request itself is no packet.
        request: Span = "0 s",
        /// Name of the pages in results. Pages with the same name are counted together.
        name: String = "page",
        /// When a user begins; "uniform(0 ms, 1 ms)" draws a time for each.
        start: RandomSpan = "0 s",
        /// Each user begins this much later than the one before.
        stagger: Span = "0 s",
    }
    build(config, context) { Box::new(config.user(context)) }
    objections(config, context) { config.objections(context) }
}

/// Pages of a user beyond which nothing is counted: one more than a run has connections.
const TOO_MANY_PAGES: u64 = 1_000_001;

/// Most embedded files of a page.
const MOST_EMBEDDED: u64 = 1000;

impl ClosedLoop {
    fn user(&self, context: &SourceContext) -> User {
        // Without any pause there is no bound on pages, which is an error; a source may be built before that is found.
        let count = if self.takes_no_time() { self.count.0.or(Some(1)) } else { self.count.0 };
        User {
            start: context.start(&self.start, self.stagger),
            size: self.size.build(&()),
            count: count.unwrap_or(TOO_MANY_PAGES).min(TOO_MANY_PAGES),
            embedded: self.embedded.min(MOST_EMBEDDED),
            pause: self.pause,
            request: self.request,
            name: self.name.as_str().into(),
            chance: context.chance.clone(),
        }
    }

    fn takes_no_time(&self) -> bool {
        self.pause.high == Span::ZERO && self.request == Span::ZERO
    }

    fn objections(&self, _context: &SourceContext) -> Vec<(&'static str, String)> {
        let of_size = self.size.objections(&()).into_iter().map(|(key, message)| ("size", format!("{key}: {message}")));
        let endless = (self.count.0.is_none() && self.takes_no_time()).then(|| {
            (
                "count",
                "without a pause and a request time a run could have any number of pages; a number of them".into(),
            )
        });
        let nameless = self.name.trim().is_empty().then(|| ("name", "no name; a word for what is asked for".into()));
        let many = (self.embedded > MOST_EMBEDDED)
            .then(|| ("embedded", format!("{} files are too many; at most {MOST_EMBEDDED}", self.embedded)));
        of_size.chain(endless).chain(many).chain(nameless).collect()
    }
}

/// The user behind one sender.
struct User {
    start: Time,
    size: Box<dyn SizeDistribution>,
    count: u64,
    embedded: u64,
    pause: RandomSpan,
    request: Span,
    name: Arc<str>,
    chance: Stream,
}

impl User {
    /// Random bits of a file of a page. Block 0 of the stream is reserved for the start of the user.
    fn bits(&self, page: u64, place: u64) -> [u64; 4] {
        self.chance.block(1 + page * (1 + self.embedded) + place)
    }

    /// Pause before a page; none before the first.
    fn pause_before(&self, page: u64) -> Span {
        if page == 0 { Span::ZERO } else { self.pause.at(self.bits(page, 0)[0]) }
    }

    /// Pages that could begin before `until` if all of them came at once. The first always counts, because results name every sender.
    fn pages(&self, until: Time) -> impl Iterator<Item = u64> {
        let turns = if self.embedded > 0 { 2 } else { 1 };
        let requests = Span(self.request.0.saturating_mul(turns));
        let mut earliest = self.start;
        (0..self.count).take_while(move |&page| {
            earliest = earliest.saturating_add(self.pause_before(page));
            let is_in_time = page == 0 || earliest < until;
            earliest = earliest.saturating_add(requests);
            is_in_time
        })
    }

    fn file(&self, page: u64, place: u64) -> File {
        let is_first = place == 0;
        let turns_before = if self.embedded > 0 { 2 * page + u64::from(!is_first) } else { page };
        let begins = match (page, is_first) {
            (0, true) => self.start,
            (_, true) => Time::ZERO + self.pause_before(page),
            _ => Time::ZERO,
        };
        let [_, first, second, _] = self.bits(page, place);
        File {
            bytes: self.size.bytes([first, second]),
            begins: begins.saturating_add(self.request),
            behind: Span::ZERO,
            turn: turns_before,
            opens: is_first,
            closes: self.embedded == 0 || !is_first,
            request: self.request,
            name: Arc::clone(&self.name),
        }
    }
}

impl Source for User {
    fn start(&self) -> Time {
        self.file(0, 0).start()
    }

    fn wake(&mut self, now: Time) -> Wake {
        self.file(0, 0).wake(now)
    }

    fn connections(&self, until: Time) -> Option<Vec<Box<dyn Source>>> {
        let files = |page| (0..=self.embedded).map(move |place| Box::new(self.file(page, place)) as Box<dyn Source>);
        Some(self.pages(until).flat_map(files).collect())
    }

    fn number_of_connections(&self, until: Time) -> Option<usize> {
        let each = usize::try_from(1 + self.embedded).unwrap_or(usize::MAX);
        Some(self.pages(until).count().saturating_mul(each))
    }
}

/// A file with a connection of its own.
struct File {
    bytes: u64,
    /// When it is handed over: of the first turn since the beginning, of others since the turn before was over.
    begins: Time,
    behind: Span,
    turn: u64,
    opens: bool,
    closes: bool,
    request: Span,
    name: Arc<str>,
}

impl Source for File {
    fn start(&self) -> Time {
        self.begins.saturating_add(self.behind)
    }

    fn wake(&mut self, _now: Time) -> Wake {
        Wake { bytes: self.bytes, next: None }
    }

    fn size(&self) -> Option<u64> {
        Some(self.bytes)
    }

    fn turn(&self) -> Option<Turn<'_>> {
        let Self { turn: number, opens, closes, request, .. } = *self;
        Some(Turn { number, opens, closes, request, name: &self.name })
    }

    fn begin_later(&mut self, by: Span) {
        self.behind = by;
    }
}
