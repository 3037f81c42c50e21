//! Congestion controls that are part of a study.

use longfat_engine::config::{Document, Key, NearbyFile, Node, Parameter, Reader, Shape, Value};
use serde_json::Value as Json;

/// Names of controls, each with its file in the study's folder.
#[derive(Clone, Debug, Default)]
pub struct ControlFiles(pub Vec<(String, NearbyFile)>);

impl Parameter for ControlFiles {
    fn shape() -> Shape {
        Shape::Map("names with files, such as mine = \"control.py\"")
    }

    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        let Value::Table(entries) = &node.value else {
            reader.reject(node, format!("expected {}, found {}", Self::shape().expected(), node.describe()));
            return None;
        };
        let file = |(key, node): &(Key, Node)| reader.below(&key.name, |reader| NearbyFile::read(node, reader));
        let files: Vec<_> = entries.iter().map(file).collect();
        let names = entries.iter().map(|(key, _)| key.name.clone());
        names.zip(files).map(|(name, file)| Some((name, file?))).collect::<Option<_>>().map(Self)
    }

    fn resolved(&self) -> Json {
        self.0.iter().map(|(name, file)| (name.clone(), file.resolved())).collect::<serde_json::Map<_, _>>().into()
    }
}

/// Controls that a study file names, each with its file relative to the study's folder.
///
/// # Errors
/// If the file or its entry of controls is no table; everything else is left to [`Study::check`](crate::Study::check).
pub fn control_files(bytes: &[u8], source: &str) -> Result<Vec<(String, String)>, Vec<String>> {
    let document = Document::parse(bytes, source)?;
    let Some(node) = document.root.get("controls") else { return Ok(Vec::new()) };
    let mut reader = Reader::default();
    let files = reader.below("controls", |reader| ControlFiles::read(node, reader));
    match files {
        Some(files) => Ok(files.0.into_iter().map(|(name, file)| (name, file.0)).collect()),
        None => Err(document.report(&reader.problems)),
    }
}
