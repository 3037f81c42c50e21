//! Window laws that come from outside: the engine knows no files and no other languages, so whoever runs it provides them by name.

use std::any::Any;
use std::collections::BTreeMap;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;

use longfat_foundation::config::{Node, Numbers, Parameter, Reader, Shape, Value};
use serde_json::Value as Json;

use super::Window;
use super::law::{Classical, WindowLaw};

/// What makes the law of each connection that it controls.
pub trait Control: Send + Sync {
    /// What tells this version of it from every other: a hash of its text.
    fn digest(&self) -> &str;
    /// The law of one connection, with the numbers that the scenario gives it.
    fn law(&self, parameters: &Numbers) -> Box<dyn WindowLaw>;
}

/// The controls that are provided: every version of each, and which of them is meant by the name alone.
#[derive(Clone, Default)]
pub struct Controls {
    versions: BTreeMap<(String, String), Arc<dyn Control>>,
    latest: BTreeMap<String, String>,
}

impl Controls {
    /// Provides a control; from now on the name alone means this version.
    pub fn provide(&mut self, name: &str, control: Arc<dyn Control>) {
        let digest = control.digest().to_owned();
        self.latest.insert(name.to_owned(), digest.clone());
        self.versions.insert((name.to_owned(), digest), control);
    }

    /// Their names, each with the digest of its latest version.
    pub fn latest(&self) -> impl Iterator<Item = (&str, &str)> {
        self.latest.iter().map(|(name, digest)| (name.as_str(), digest.as_str()))
    }

    /// The version with that digest, or the latest.
    fn find(&self, name: &str, digest: Option<&str>) -> Option<Arc<dyn Control>> {
        let digest = digest.or_else(|| self.latest.get(name).map(String::as_str))?;
        self.versions.get(&(name.to_owned(), digest.to_owned())).cloned()
    }
}

impl fmt::Debug for Controls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.latest()).finish()
    }
}

/// The control that the engine has itself.
pub const CLASSICAL: &str = "classical";

/// Between a name and its digest, in a resolved scenario.
const AT: char = '@';

/// A control as a scenario names it: with its digest once that is known, so that runs of two versions have two names.
#[derive(Clone)]
pub struct NamedControl {
    name: String,
    digest: Option<String>,
    provided: Option<Arc<dyn Control>>,
}

impl NamedControl {
    /// Its name, without the digest.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The digest of the version that is meant, if that is known.
    #[must_use]
    pub fn digest(&self) -> Option<&str> {
        self.digest.as_deref().or_else(|| self.provided.as_deref().map(Control::digest))
    }

    /// Whether it can be asked.
    #[must_use]
    pub fn is_provided(&self) -> bool {
        self.provided.is_some() || self.name == CLASSICAL
    }

    /// The law of one connection.
    ///
    /// # Panics
    /// If it is not provided: whoever simulates asks for `Scenario::missing_controls` first.
    #[must_use]
    pub fn law(&self, parameters: &Numbers) -> Box<dyn WindowLaw> {
        match &self.provided {
            Some(control) => control.law(parameters),
            None if self.name == CLASSICAL => Box::new(Classical),
            None => panic!("the control \"{}\" is not provided", self.name),
        }
    }

    fn is_well_named(&self) -> bool {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        !self.name.is_empty() && self.name.chars().all(is_plain)
    }
}

impl fmt::Debug for NamedControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.resolved())
    }
}

impl Parameter for NamedControl {
    fn shape() -> Shape {
        Shape::Text
    }

    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        let Value::Text(text) = &node.value else {
            reader.reject(node, format!("expected the name of a control, found {}", node.describe()));
            return None;
        };
        let (name, digest) = match text.split_once(AT) {
            Some((name, digest)) => (name, Some(digest.to_owned())),
            None => (text.as_str(), None),
        };
        let provided = reader.provision.of::<Controls>().and_then(|controls| controls.find(name, digest.as_deref()));
        let control = Self { name: name.to_owned(), digest, provided };
        if !control.is_well_named() {
            reader.reject(node, "expected the name of a control: letters, digits, \"-\", \"_\" and \".\"");
            return None;
        }
        Some(control)
    }

    fn resolved(&self) -> Json {
        match self.digest() {
            Some(digest) => format!("{}{AT}{digest}", self.name).into(),
            None => self.name.as_str().into(),
        }
    }
}

/// What a control asks for is checked before it counts.
impl Window {
    /// Makes it so many bytes, but at least a segment and no more than the scenario allows.
    ///
    /// # Errors
    /// If that is no size.
    pub fn ask_for_cwnd(&mut self, bytes: f64) -> Result<(), String> {
        if !(bytes.is_finite() && bytes >= 0.0) {
            return Err(format!("cwnd is a number of bytes, not {bytes}"));
        }
        self.set(bytes.max(self.mss()));
        Ok(())
    }

    /// Sets the threshold, which may be infinite.
    ///
    /// # Errors
    /// If that is no size.
    pub fn ask_for_ssthresh(&mut self, bytes: f64) -> Result<(), String> {
        if bytes.is_nan() || bytes < 0.0 {
            return Err(format!("ssthresh is a number of bytes or infinite, not {bytes}"));
        }
        self.ssthresh = bytes;
        Ok(())
    }
}

/// Why a control cannot go on: what unwinds its run.
struct ControlFailed(String);

/// Ends the run, as the control with that name cannot go on.
pub fn fail(name: &str, why: impl fmt::Display) -> ! {
    resume_unwind(Box::new(ControlFailed(format!("the congestion control \"{name}\" failed: {why}"))))
}

/// Does what may fail by a control, or panic.
///
/// # Errors
/// What went wrong.
pub fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| match panic.downcast::<ControlFailed>() {
        Ok(failed) => failed.0,
        Err(panic) => format!("the engine panicked: {}", panic_text(&*panic)),
    })
}

fn panic_text(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message")
}
