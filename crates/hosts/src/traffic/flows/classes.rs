//! Size classes of flows, by which completion times are reported.

use serde_json::Value as Json;

use longfat_foundation::config::{Bytes, Node, Parameter, Reader, Shape, Value};

/// Size classes, ascending.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SizeClasses {
    /// Upper bounds of all classes but the last, in bytes, ascending.
    largest: Vec<u64>,
    names: Vec<String>,
}

/// Name under which all flows are reported together.
pub const ALL: &str = "flow";

impl SizeClasses {
    fn new(largest: Vec<u64>) -> Self {
        let up_to = largest.iter().map(|&largest| format!("flow up to {}", size(largest)));
        let above = largest.last().map(|&largest| format!("flow above {}", size(largest)));
        let names = up_to.chain(above).chain([ALL.into()]).collect();
        Self { largest, names }
    }

    /// Index of the class of a flow of `bytes` bytes.
    #[must_use]
    pub fn of(&self, bytes: u64) -> usize {
        self.largest.partition_point(|&largest| largest < bytes)
    }

    /// Names of the classes, followed by the name for all flows. Sizes are written as in scenarios.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }
}

impl Parameter for SizeClasses {
    fn shape() -> Shape {
        Shape::List(Box::new(Bytes::shape()))
    }

    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        let bounds: Vec<u64> = <Vec<Bytes>>::read(node, reader)?.iter().map(|bytes| bytes.0).collect();
        if let (false, Value::Array(items)) = (bounds.is_sorted_by(|one, next| one < next), &node.value) {
            let place = bounds.windows(2).position(|pair| pair[0] >= pair[1]).map_or(0, |place| place + 1);
            reader.reject(
                &items[place],
                "not larger than the one before; write the largest size of each class, ascending",
            );
            return None;
        }
        Some(Self::new(bounds))
    }

    fn resolved(&self) -> Json {
        self.largest.iter().map(|&bytes| Json::from(size(bytes))).collect()
    }
}

/// Formats a size in the largest decimal unit that represents it exactly.
fn size(bytes: u64) -> String {
    let units = [("GB", 1_000_000_000), ("MB", 1_000_000), ("kB", 1_000)];
    let unit = units.into_iter().find(|(_, factor)| bytes.is_multiple_of(*factor));
    let (name, factor) = unit.unwrap_or(("B", 1));
    format!("{} {name}", bytes / factor)
}

#[cfg(test)]
mod tests {
    use longfat_foundation::config::parse_fragment;

    use super::*;

    fn read(text: &str) -> Result<SizeClasses, Vec<String>> {
        let mut reader = Reader::default();
        SizeClasses::read(&parse_fragment(text), &mut reader)
            .ok_or_else(|| reader.problems.iter().map(|problem| problem.message.clone()).collect())
    }

    #[test]
    fn a_class_includes_its_largest_size_and_the_last_has_none() {
        let classes = read("['10 kB', '1 MB']").expect("ascending");
        assert_eq!([1, 10_000, 10_001, 1_000_000, 1_000_001].map(|bytes| classes.of(bytes)), [0, 0, 1, 1, 2]);
        assert_eq!(classes.names(), ["flow up to 10 kB", "flow up to 1 MB", "flow above 1 MB", "flow"]);
        assert_eq!(read("[]").expect("no classes").names(), ["flow"]);
    }

    #[test]
    fn classes_that_do_not_ascend_are_refused_and_what_is_resolved_can_be_read_again() {
        assert!(read("['10 kB', '10 kB']").unwrap_err()[0].contains("ascending"));
        let classes = read("['1234 B', '2 GB']").expect("ascending");
        assert_eq!(read(&classes.resolved().to_string()), Ok(classes));
    }
}
