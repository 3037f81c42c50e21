//! Random properties of requests: number, classes and sizes of a document's files, and the times between requests.

use longfat_foundation::config::{AtLeastOne, PositiveNumber, Probability};
use longfat_foundation::random::{RandomSpan, Stream, unit_interval};
use longfat_foundation::units::Span;

longfat_foundation::section! {
    /// A class of files.
    pub struct FileClass {
        /// How often a file of this class is requested.
        pub probability: Probability,
        /// Files of this class have 1, 2, … times this many kilobytes.
        pub unit: PositiveNumber,
    }
}

longfat_foundation::choice! {
    /// Treatment of draws below the smallest or above the largest number.
    pub enum Beyond {
        /// Draws again.
        Redraw = "redraw",
        /// Values outside the range become its lower or upper end.
        Clamp = "clamp",
    }
}

longfat_foundation::section! {
    /// A whole number from 1 on, with a Poisson distribution.
    pub struct TruncatedPoisson {
        /// Mean of the distribution before truncation.
        pub mean: PositiveNumber = "5",
        /// The largest number.
        pub most: AtLeastOne = "9",
        /// Treatment of a draw of 0 or above `most`: with 1 to 9 and mean 5, the resulting mean is 4.85 or 4.95.
        pub beyond: Beyond = "redraw" or ["clamp"],
    }
}

/// Largest mean: above it the weights of a Poisson distribution overflow.
const LARGEST_MEAN: f64 = 500.0;

/// Largest file: more than an hour at 1 Tbit/s.
const LARGEST_FILE: f64 = 1e15;

/// Largest number of files in a document, and of sizes in a class.
const LARGEST_NUMBER: u64 = 1000;

impl TruncatedPoisson {
    /// The error in its parameters, if any.
    pub(in crate::traffic) fn objection(&self) -> Option<String> {
        let (mean, most) = (self.mean.0, self.most.0);
        if mean > LARGEST_MEAN {
            return Some(format!("a mean of {mean} is too large; at most {LARGEST_MEAN}"));
        }
        (most > LARGEST_NUMBER).then(|| format!("{most} is too many; at most {LARGEST_NUMBER}"))
    }

    /// Probability of each number, from 1 on. Uses only products and sums, which give the same bits on every machine: the weights are m,
    /// m^2 / 2, m^3 / 6, … times a factor that cancels out.
    fn probabilities(&self) -> Vec<f64> {
        // A larger mean is refused, but a source may be built before: infinite weights would never end.
        let (mean, most) = (self.mean.0.min(LARGEST_MEAN), self.most.0);
        let mut weights = Vec::new();
        let (mut weight, mut beyond) = (1.0, 0.0);
        for number in 1_u32.. {
            weight *= mean / f64::from(number);
            if u64::from(number) <= most {
                weights.push(weight);
            } else {
                beyond += weight;
                // Above twice the mean, each weight is less than half of the one before, so the remaining sum is at most the last weight.
                if f64::from(number) > 2.0 * mean && weight <= beyond * f64::EPSILON {
                    break;
                }
            }
        }
        if self.beyond == Beyond::Clamp {
            weights[0] += 1.0;
            *weights.last_mut().expect("at least one number") += beyond;
        }
        let sum: f64 = weights.iter().sum();
        weights.iter().map(|weight| weight / sum).collect()
    }
}

/// The error in a list of file classes, if any.
#[expect(clippy::cast_precision_loss, reason = "small numbers")]
pub(in crate::traffic) fn object_to_classes(
    classes: &[FileClass],
    kilobyte: u64,
    sizes: &TruncatedPoisson,
) -> Option<String> {
    const ROUNDING: f64 = 1e-9;
    if classes.is_empty() {
        return Some("no class of files, so nothing can be requested".into());
    }
    let sum: f64 = classes.iter().map(|class| class.probability.0).sum();
    if (sum - 1.0).abs() > ROUNDING {
        return Some(format!("the probabilities add up to {sum}; they must make 1"));
    }
    let largest = |class: &FileClass| bytes_of(sizes.most.0 as f64, class.unit.0 * kilobyte as f64);
    let too_large = classes.iter().position(|class| largest(class) > LARGEST_FILE)?;
    let bytes = largest(&classes[too_large]);
    Some(format!("a file of class {too_large} could have {bytes:e} B; at most {LARGEST_FILE:e} B"))
}

/// Size in bytes of a file of `units` units, rounded.
fn bytes_of(units: f64, unit: f64) -> f64 {
    (units * unit).round().max(1.0)
}

/// A discrete distribution, as cumulative probabilities.
struct Lottery(Vec<f64>);

impl Lottery {
    fn new(probabilities: impl IntoIterator<Item = f64>) -> Self {
        let mut sum = 0.0;
        let add = |probability| {
            sum += probability;
            sum
        };
        Self(probabilities.into_iter().map(add).collect())
    }

    /// Index at the point given by a random word.
    fn at(&self, word: u64) -> usize {
        let point = unit_interval(word);
        // Rounding may leave the last sum just below 1.
        self.0.iter().position(|sum| point < *sum).unwrap_or(self.0.len() - 1)
    }
}

/// A requested file: class and size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::traffic) struct File {
    pub(in crate::traffic) class: usize,
    pub(in crate::traffic) bytes: u64,
}

/// Random draws of one client.
///
/// Each draw is a function of the client, the document's index and the position in it, so a request does not depend on anything else in the
/// scenario.
pub(in crate::traffic) struct Draw {
    classes: Lottery,
    units: Vec<f64>,
    sizes: Lottery,
    counts: Lottery,
    most: u64,
    spacing: RandomSpan,
    chance: Stream,
}

impl Draw {
    pub(in crate::traffic) fn new(
        classes: &[FileClass],
        kilobyte: u64,
        sizes: &TruncatedPoisson,
        counts: &TruncatedPoisson,
        spacing: RandomSpan,
        chance: Stream,
    ) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "a kilobyte is a small number")]
        let kilobyte = kilobyte as f64;
        Self {
            classes: Lottery::new(classes.iter().map(|class| class.probability.0)),
            units: classes.iter().map(|class| class.unit.0 * kilobyte).collect(),
            sizes: Lottery::new(sizes.probabilities()),
            counts: Lottery::new(counts.probabilities()),
            most: counts.most.0,
            spacing,
            chance,
        }
    }

    /// Random bits of a document: block 0 for draws per document, then one block for each request.
    ///
    /// Block 0 of the stream is reserved for the start of the client.
    fn bits(&self, document: u64, block: u64) -> [u64; 4] {
        self.chance.block(1 + document * (self.most + 1) + block)
    }

    /// Number of files of a document.
    pub(in crate::traffic) fn files_of(&self, document: u64) -> u64 {
        1 + self.counts.at(self.bits(document, 0)[0]) as u64
    }

    /// Time between request number `place`, from 0, and the event before it.
    pub(in crate::traffic) fn spacing(&self, document: u64, place: u64) -> Span {
        self.spacing.at(self.bits(document, 1 + place)[0])
    }

    /// File requested by request number `place`, from 0.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "sizes are checked"
    )]
    pub(in crate::traffic) fn file(&self, document: u64, place: u64) -> File {
        let [_, class, size, _] = self.bits(document, 1 + place);
        let class = self.classes.at(class);
        let units = 1 + self.sizes.at(size);
        File { class, bytes: bytes_of(units as f64, self.units[class]) as u64 }
    }
}

#[cfg(test)]
mod tests {
    use longfat_foundation::random::Chance;

    use super::*;

    fn poisson(mean: f64, most: u64, beyond: Beyond) -> Vec<f64> {
        TruncatedPoisson { mean: PositiveNumber(mean), most: AtLeastOne(most), beyond }.probabilities()
    }

    fn mean(probabilities: &[f64]) -> f64 {
        (1_u32..).zip(probabilities).map(|(number, probability)| f64::from(number) * probability).sum()
    }

    /// and by hand for mean 1 and at most 2: weights 1 and 1/2; clamped, 2 and 1/2 + (e - 1 - 1 - 1/2) of e.
    #[test]
    fn a_truncated_poisson_has_the_means_that_the_notes_on_the_model_have() {
        assert!((mean(&poisson(5.0, 9, Beyond::Redraw)) - 4.85).abs() < 0.005);
        assert!((mean(&poisson(5.0, 9, Beyond::Clamp)) - 4.95).abs() < 0.005);
        assert_eq!(poisson(1.0, 2, Beyond::Redraw), [2.0 / 3.0, 1.0 / 3.0]);
        let clamped = poisson(1.0, 2, Beyond::Clamp);
        let e = std::f64::consts::E;
        assert!((clamped[0] - 2.0 / e).abs() < 1e-15 && (clamped[1] - (e - 2.0) / e).abs() < 1e-15, "{clamped:?}");
        assert_eq!(poisson(5.0, 1, Beyond::Redraw), [1.0]);
    }

    #[test]
    fn a_truncated_poisson_stays_finite_and_adds_up_to_one() {
        for (mean, most) in [(1e-9, 3), (0.5, 1000), (500.0, 9), (500.0, 1000)] {
            for beyond in [Beyond::Redraw, Beyond::Clamp] {
                let probabilities = poisson(mean, most, beyond);
                let sum: f64 = probabilities.iter().sum();
                assert!((sum - 1.0).abs() < 1e-12, "mean {mean}, at most {most}: {sum}");
                assert!(probabilities.iter().all(|probability| (0.0..=1.0).contains(probability)), "{mean} {most}");
            }
        }
    }

    #[test]
    fn a_lottery_gives_each_thing_its_part_of_all_words() {
        let lottery = Lottery::new([0.25, 0.0, 0.5, 0.25]);
        let words = [0, u64::MAX / 4, u64::MAX / 4 + 1, u64::MAX / 4 * 3 - 4096, u64::MAX];
        assert_eq!(words.map(|word| lottery.at(word)), [0, 0, 2, 2, 3]);
        // Three thirds add up to less than 1; the last index must still be returned.
        assert_eq!(Lottery::new([0.3, 0.3, 0.3]).at(u64::MAX), 2);
    }

    fn draw(beyond: Beyond) -> Draw {
        let class = |probability, unit| FileClass { probability: Probability(probability), unit: PositiveNumber(unit) };
        let counts = TruncatedPoisson { mean: PositiveNumber(5.0), most: AtLeastOne(9), beyond };
        let spacing = RandomSpan { low: Span(100), high: Span(500) };
        let chance = Chance { seed: 1, replication: 0 }.stream("client");
        Draw::new(&[class(0.5, 0.1), class(0.5, 10.0)], 1024, &counts, &counts, spacing, chance)
    }

    #[test]
    fn sizes_are_whole_units_of_their_class_rounded_to_bytes() {
        let draw = draw(Beyond::Redraw);
        // Multiples of 102.4.
        let small = [102, 205, 307, 410, 512, 614, 717, 819, 922];
        for place in 0..200 {
            let file = draw.file(place / 9, place % 9);
            match file.class {
                0 => assert!(small.contains(&file.bytes), "{file:?}"),
                _ => assert!(file.bytes.is_multiple_of(10_240) && (1..=9).contains(&(file.bytes / 10_240)), "{file:?}"),
            }
        }
    }

    #[test]
    fn a_request_is_the_same_whatever_becomes_of_the_others() {
        let (redrawn, clamped) = (draw(Beyond::Redraw), draw(Beyond::Clamp));
        let classes = |draw: &Draw| (0..90).map(|place| draw.file(place / 9, place % 9).class).collect::<Vec<_>>();
        let spacings = |draw: &Draw| (0..90).map(|place| draw.spacing(place / 9, place % 9)).collect::<Vec<_>>();
        assert_eq!(classes(&redrawn), classes(&clamped));
        assert_eq!(spacings(&redrawn), spacings(&clamped));
        let counts = |draw: &Draw| (0..90).map(|document| draw.files_of(document)).collect::<Vec<_>>();
        assert_ne!(counts(&redrawn), counts(&clamped));
    }
}
