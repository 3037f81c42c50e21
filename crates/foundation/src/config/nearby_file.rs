//! Files that a document names. They must be in its folder, so that a document from a stranger cannot make anybody read other files.

use serde_json::Value as Json;

use super::{Node, Parameter, Reader, Shape};

/// A path relative to the document's folder and inside it; empty for none.
#[derive(Clone, Debug)]
pub struct NearbyFile(pub String);

impl Parameter for NearbyFile {
    fn shape() -> Shape {
        Shape::Text
    }

    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        let path = String::read(node, reader)?;
        if leads_elsewhere(&path) {
            reader.reject(
                node,
                format!("\"{path}\" leads out of its folder; expected a file in it, such as \"scenario.toml\""),
            );
            return None;
        }
        Some(Self(path))
    }

    fn resolved(&self) -> Json {
        self.0.as_str().into()
    }
}

/// True if a path is absolute or goes up, on any operating system.
fn leads_elsewhere(path: &str) -> bool {
    let mut parts = path.split(['/', '\\']);
    let is_absolute = path.starts_with(['/', '\\']) || path.as_bytes().get(1) == Some(&b':');
    is_absolute || parts.any(|part| part == "..")
}

#[cfg(test)]
mod tests {
    use super::leads_elsewhere;

    #[test]
    fn only_paths_below_a_folder_stay_in_it() {
        for inside in ["", "scenario.toml", "reference/table-2.csv", "./a", "a..b/..c", "a/b/c.json", "Ü:x"] {
            assert!(!leads_elsewhere(inside), "{inside}");
        }
        for outside in ["/etc/passwd", "..", "../a", "a/../../b", "a\\..\\b", "\\\\server\\share", "C:\\a", "c:a"] {
            assert!(leads_elsewhere(outside), "{outside}");
        }
    }
}
