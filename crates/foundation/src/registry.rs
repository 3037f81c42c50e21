//! Model registries: models are chosen by name, and everything else derives from the list.
//!
//! A model is a [`section!`](crate::section) of parameters and a function that builds the object that runs. Adding one takes a file and a
//! line in its family's list; schema, messages, the `models` verb, reference pages and conformance tests follow.

use std::ops::Deref;
use std::sync::Arc;

use serde_json::Value as Json;

use crate::config::{
    Field, Key, ModelShape, Node, Parameter, Place, Reader, Shape, Value, did_you_mean, listed, parse_fragment,
};

/// The name of models that users provide themselves, in the families that have one.
const EXTERNAL: &str = "external";

const ONLY_CONTROLS: &str =
    "; one of your own can be a congestion control (tcp.flavor), and CONTRIBUTING.md says how other models are added";

/// A family of models: a trait object type such as `dyn DropPolicy`.
pub trait Family: 'static {
    /// Name of a model of this family ("drop policy").
    const KIND: &'static str;
    /// Data that building a model needs.
    type Context;
    /// The model that stands for "none", which a resolved scenario omits.
    const NOTHING: Option<&'static str> = None;
    /// The registered models.
    fn models() -> &'static [Entry<Self>];
}

/// Data that building a model of family `F` needs.
pub type ContextOf<F> = <F as Family>::Context;

/// A registered model: its parameters (`Self`) and how to build it.
pub trait Model<F: Family + ?Sized>: Parameter + Send + Sync + 'static {
    /// The name in scenarios.
    const NAME: &'static str;
    /// The paper or standard it follows.
    const SOURCE: &'static str;
    /// Description in a sentence or two.
    const ABOUT: &'static str;
    /// The declared parameters.
    fn parameters() -> Vec<Field>;
    /// Builds the object that runs.
    fn build(&self, context: &F::Context) -> Box<F>;
    /// Errors of these parameters in this context, as (parameter, message).
    fn objections(&self, _context: &F::Context) -> Vec<(&'static str, String)> {
        Vec::new()
    }
}

/// Function that reads a model's parameters.
type ReadPlan<F> = fn(&Node, &mut Reader) -> Option<Arc<dyn Plan<F>>>;

/// One line of a registry.
pub struct Entry<F: Family + ?Sized> {
    /// The name in scenarios.
    pub name: &'static str,
    /// Description.
    pub about: &'static str,
    /// The paper or standard it follows.
    pub source: &'static str,
    /// The declared parameters.
    pub parameters: fn() -> Vec<Field>,
    read: ReadPlan<F>,
}

impl<F: Family + ?Sized> Entry<F> {
    /// Entry of model `M`.
    #[must_use]
    pub const fn of<M: Model<F>>() -> Self {
        Self {
            name: M::NAME,
            about: M::ABOUT,
            source: M::SOURCE,
            parameters: M::parameters,
            read: |node, reader| M::read(node, reader).map(|model| Arc::new(model) as Arc<dyn Plan<F>>),
        }
    }

    /// The model with its defaults; `None` if a parameter has none.
    #[must_use]
    pub fn with_defaults(&self) -> Option<Chosen<F>> {
        (self.read)(&parse_fragment("{}"), &mut Reader::default()).map(Chosen)
    }

    fn shape(&self) -> ModelShape {
        ModelShape { name: self.name, summary: self.about, source: self.source, fields: (self.parameters)() }
    }
}

/// Type-erased interface of a chosen model before it is built.
pub trait Plan<F: Family + ?Sized>: Send + Sync {
    /// Name of the model.
    fn name(&self) -> &'static str;
    /// Builds the object that runs.
    fn build(&self, context: &F::Context) -> Box<F>;
    /// Errors of the parameters in this context, as (parameter, message).
    fn objections(&self, context: &F::Context) -> Vec<(&'static str, String)>;
    /// Parameters in base units.
    fn resolved(&self) -> Json;
}

impl<F: Family + ?Sized, M: Model<F>> Plan<F> for M {
    fn name(&self) -> &'static str {
        M::NAME
    }
    fn build(&self, context: &F::Context) -> Box<F> {
        Model::build(self, context)
    }
    fn objections(&self, context: &F::Context) -> Vec<(&'static str, String)> {
        Model::objections(self, context)
    }
    fn resolved(&self) -> Json {
        Parameter::resolved(self)
    }
}

/// A model chosen by a scenario, with its parameters.
pub struct Chosen<F: Family + ?Sized>(Arc<dyn Plan<F>>);

impl<F: Family + ?Sized> Clone for Chosen<F> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<F: Family + ?Sized> std::fmt::Debug for Chosen<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.name(), self.0.resolved())
    }
}

impl<F: Family + ?Sized> Deref for Chosen<F> {
    type Target = dyn Plan<F>;

    fn deref(&self) -> &Self::Target {
        &*self.0
    }
}

impl<F: Family + ?Sized> Parameter for Chosen<F> {
    fn shape() -> Shape {
        Shape::Model { kind: F::KIND, models: F::models().iter().map(Entry::shape).collect() }
    }

    /// Reads `{ kind = "name", parameters… }`, or `"name"` for a model with its defaults.
    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        Self::read_beside_default(node, None, reader)
    }

    fn read_beside_default(node: &Node, default: Option<&'static str>, reader: &mut Reader) -> Option<Self> {
        let (kind, parameters) = match &node.value {
            Value::Text(_) => (node.clone(), Vec::new()),
            Value::Table(entries) => {
                let Some(kind) = node.get("kind").cloned().or_else(|| default.map(parse_fragment)) else {
                    reader.reject(node, format!("no \"kind\"; expected {}", Self::shape().expected()));
                    return None;
                };
                (kind, entries.iter().filter(|(key, _)| key.name != "kind").cloned().collect())
            }
            _ => {
                reader.reject(node, format!("expected {}, found {}", Self::shape().expected(), node.describe()));
                return None;
            }
        };
        let entry = find::<F>(&kind, reader)?;
        let parameters = own_parameters(&kind, entry.name, &(entry.parameters)(), parameters, reader);
        let table = Node { value: Value::Table(parameters), place: node.place.clone() };
        (entry.read)(&table, reader).map(Self)
    }

    fn resolved(&self) -> Json {
        let mut resolved = self.0.resolved();
        if let Json::Object(table) = &mut resolved {
            table.insert("kind".into(), self.name().into());
        }
        resolved
    }

    fn is_absent(&self) -> bool {
        F::NOTHING == Some(self.name())
    }
}

/// The parameters of a table without those of the kind that an override of `kind` alone has replaced, which one message names.
fn own_parameters(
    kind: &Node,
    name: &str,
    fields: &[Field],
    parameters: Vec<(Key, Node)>,
    reader: &mut Reader,
) -> Vec<(Key, Node)> {
    if !matches!(kind.place, Place::Override(_)) {
        return parameters;
    }
    let is_left =
        |key: &Key| matches!(key.place, Place::Text(_)) && !fields.iter().any(|field| field.answers_to(&key.name));
    let (left, own): (Vec<_>, Vec<_>) = parameters.into_iter().partition(|(key, _)| is_left(key));
    if !left.is_empty() {
        let path = reader.path();
        let keys = listed(left.iter().map(|(key, _)| key.name.as_str()));
        let message = format!(
            "\"{name}\" has no {keys}, which the table has for another kind; set {path}={name}, which replaces the whole table"
        );
        reader.below("kind", |reader| reader.reject(kind, message));
    }
    own
}

fn find<F: Family + ?Sized>(kind: &Node, reader: &mut Reader) -> Option<&'static Entry<F>> {
    let names = || F::models().iter().map(|entry| entry.name);
    let Value::Text(name) = &kind.value else {
        reader.reject(kind, format!("expected the name of a {}, found {}", F::KIND, kind.describe()));
        return None;
    };
    let found = F::models().iter().find(|entry| entry.name == name);
    if found.is_none() {
        let near = if name == EXTERNAL { ONLY_CONTROLS.into() } else { did_you_mean(name, names()) };
        reader.reject(kind, format!("unknown {} \"{name}\"; known: {}{near}", F::KIND, listed(names())));
    }
    found
}

/// Declares a model: its parameters, name, sources and description in one place.
///
/// The doc comment of the struct is the model's description everywhere.
#[macro_export]
macro_rules! model {
    (
        $(#[doc = $about:literal])*
        #[name = $name:literal]
        #[source = $source:literal]
        $visibility:vis struct $type:ident : $family:ty { $($body:tt)* }
        build($this:ident, $context:ident) $build:block
        $(objections($objecting:ident, $objected:ident) $objections:block)?
    ) => {
        $crate::section! {
            $(#[doc = $about])*
            $visibility struct $type { $($body)* }
        }

        impl $crate::registry::Model<$family> for $type {
            const NAME: &'static str = $name;
            const SOURCE: &'static str = $source;
            const ABOUT: &'static str = Self::SUMMARY;

            fn parameters() -> Vec<$crate::config::Field> {
                Self::fields()
            }

            fn build(
                &self,
                $context: &$crate::registry::ContextOf<$family>,
            ) -> Box<$family> {
                let $this = self;
                $build
            }

            $(fn objections(
                &self,
                $objected: &$crate::registry::ContextOf<$family>,
            ) -> Vec<(&'static str, String)> {
                let $objecting = self;
                $objections
            })?
        }
    };
}
