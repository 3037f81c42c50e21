//! Declarations of fields, choices and models, and the macros that make them.

/// Shape of a parameter: the values that it accepts.
#[derive(Clone, Debug)]
pub enum Shape {
    /// A number with a unit, as text.
    Quantity {
        /// Description with the units accepted: "a length of time (ps ns us ms s min h)".
        expected: &'static str,
        /// Examples of accepted texts.
        examples: &'static [&'static str],
    },
    /// A whole number.
    Integer {
        /// Smallest accepted value.
        minimum: u64,
        /// Largest accepted value.
        maximum: u64,
    },
    /// A number.
    Number {
        /// Exclusive lower bound.
        above: f64,
        /// Inclusive upper bound.
        up_to: Option<f64>,
    },
    /// A number between bounds, both included.
    Within {
        /// Smallest accepted value.
        low: f64,
        /// Largest accepted value.
        high: f64,
    },
    /// A number in [0, 1].
    Probability,
    /// True or false.
    Boolean,
    /// A free text.
    Text,
    /// One word of a closed vocabulary.
    Choice(Vec<VariantShape>),
    /// A table of fields.
    Section(Vec<Field>),
    /// A registered model.
    Model {
        /// Kind of model ("drop policy").
        kind: &'static str,
        /// The registered models.
        models: Vec<ModelShape>,
    },
    /// One of several shapes.
    Either(Vec<Shape>),
    /// A list of one shape.
    List(Box<Shape>),
    /// A table with free keys; the text describes its values.
    Map(&'static str),
}

/// A word of a closed vocabulary and its meaning.
#[derive(Clone, Debug)]
pub struct VariantShape {
    /// The word.
    pub name: &'static str,
    /// Its meaning.
    pub doc: &'static str,
}

/// A registered model and its parameters.
#[derive(Clone, Debug)]
pub struct ModelShape {
    /// The name in scenarios.
    pub name: &'static str,
    /// Description.
    pub summary: &'static str,
    /// The paper or standard it follows.
    pub source: &'static str,
    /// Its parameters.
    pub fields: Vec<Field>,
}

/// One field of a section.
#[derive(Clone, Debug)]
pub struct Field {
    /// The key.
    pub name: &'static str,
    /// Suffix of the resolved key, which names the base unit.
    pub suffix: &'static str,
    /// Description, with its source.
    pub doc: &'static str,
    /// Default as written, if the field is optional.
    pub default: Option<&'static str>,
    /// Alternatives that the source leaves open; they make the field a knob.
    pub alternatives: &'static [&'static str],
    /// Accepted values. A function, because a scenario without mistakes never needs them.
    pub written: fn() -> Shape,
    /// Shape of the resolved value, if the key has a suffix.
    pub resolved: fn() -> Shape,
}

impl Field {
    /// Accepted values.
    #[must_use]
    pub fn shape(&self) -> Shape {
        (self.written)()
    }

    /// Shape of the resolved value, if the key has a suffix.
    #[must_use]
    pub fn resolved_shape(&self) -> Shape {
        (self.resolved)()
    }

    /// True if `key` names this field, as written or resolved.
    #[must_use]
    pub fn answers_to(&self, key: &str) -> bool {
        key.strip_prefix(self.name).is_some_and(|rest| rest.is_empty() || (rest == self.suffix))
    }

    /// Key of the resolved value.
    #[must_use]
    pub fn resolved_name(&self) -> String {
        format!("{}{}", self.name, self.suffix)
    }
}

impl Shape {
    /// Description of the accepted values, for messages.
    #[must_use]
    pub fn expected(&self) -> String {
        match self {
            Self::Quantity { expected, examples } => format!("{expected}, such as \"{}\"", examples[0]),
            Self::Integer { minimum, maximum } if minimum == maximum => format!("{minimum}"),
            Self::Integer { minimum, maximum: u64::MAX } => format!("a whole number of at least {minimum}"),
            Self::Integer { minimum, maximum } => format!("a whole number from {minimum} to {maximum}"),
            Self::Number { above, up_to: None } => format!("a number above {above}"),
            Self::Number { above, up_to: Some(limit) } => format!("a number above {above}, at most {limit}"),
            Self::Within { low, high } => format!("a number from {low} to {high}"),
            Self::Probability => "a number from 0 to 1".into(),
            Self::Boolean => "true or false".into(),
            Self::Text => "a text".into(),
            Self::Choice(variants) => {
                format!("one of {}", super::listed(variants.iter().map(|variant| variant.name)))
            }
            Self::Section(fields) => {
                format!("a table with {}", super::listed(fields.iter().map(|field| field.name)))
            }
            Self::Model { kind, models } => {
                format!("a {kind}: one of {}", super::listed(models.iter().map(|model| model.name)))
            }
            Self::Either(shapes) => shapes.iter().map(Self::expected).collect::<Vec<_>>().join("; or "),
            Self::List(shape) => format!("a list of {}", shape.expected()),
            Self::Map(expected) => format!("a table of {expected}"),
        }
    }
}

/// Key of a field whose name is a Rust keyword (`r#where`).
#[must_use]
pub fn plain_name(field: &'static str) -> &'static str {
    field.strip_prefix("r#").unwrap_or(field)
}

/// Declares a struct whose fields are parameters.
///
/// ```
/// longfat_foundation::section! {
///     /// A line between two nodes.
///     pub struct Line {
///         /// Bits per second on the line.
///         pub rate: longfat_foundation::units::Rate,
///         /// One-way propagation delay.
///         pub delay: longfat_foundation::units::Span = "5 us",
///         /// Size of a packet; the papers leave it open.
///         pub packet: longfat_foundation::config::Bytes = "512 B" or ["1024 B"],
///     }
/// }
/// ```
#[macro_export]
macro_rules! section {
    (
        $(#[doc = $summary:literal])*
        $visibility:vis struct $name:ident {
            $(
                $(#[doc = $doc:literal])*
                $field_visibility:vis $field:ident : $type:ty $(= $default:literal $(or [$($alternative:literal),* $(,)?])?)?
            ),* $(,)?
        }
    ) => {
        $(#[doc = $summary])*
        #[derive(Clone, Debug)]
        $visibility struct $name {
            $($(#[doc = $doc])* $field_visibility $field: $type,)*
        }

        impl $name {
            /// Description of this section.
            #[allow(dead_code)]
            pub const SUMMARY: &'static str = concat!($($summary, "\n",)*);

            /// The declared fields, in order.
            #[must_use]
            pub fn fields() -> Vec<$crate::config::Field> {
                vec![$($crate::config::Field {
                    name: $crate::config::plain_name(stringify!($field)),
                    suffix: <$type as $crate::config::Parameter>::SUFFIX,
                    doc: concat!($($doc, "\n",)*),
                    default: $crate::section!(@default $($default)?),
                    alternatives: $crate::section!(@alternatives $($($($alternative),*)?)?),
                    written: <$type as $crate::config::Parameter>::shape,
                    resolved: <$type as $crate::config::Parameter>::resolved_shape,
                },)*]
            }

            #[allow(unused_variables, unused_mut, unused_assignments, clippy::unnecessary_wraps)]
            fn read_fields(
                entries: &$crate::config::Entries<'_>,
                fields: &[$crate::config::Field],
                reader: &mut $crate::config::Reader,
            ) -> Option<Self> {
                let mut index = 0;
                $(
                    let $field = entries.field::<$type>(&fields[index], reader);
                    index += 1;
                )*
                Some(Self { $($field: $field?,)* })
            }
        }

        impl $crate::config::Parameter for $name {
            fn shape() -> $crate::config::Shape {
                $crate::config::Shape::Section(Self::fields())
            }

            fn read(node: &$crate::config::Node, reader: &mut $crate::config::Reader) -> Option<Self> {
                let fields = Self::fields();
                let entries = reader.entries(node, &fields)?;
                Self::read_fields(&entries, &fields, reader)
            }

            fn resolved(&self) -> $crate::serde_json::Value {
                #[allow(unused_mut)]
                let mut table = $crate::serde_json::Map::new();
                $(
                    if !$crate::config::Parameter::is_absent(&self.$field) {
                        table.insert(
                            $crate::config::plain_name(stringify!($field)).to_owned() + <$type as $crate::config::Parameter>::SUFFIX,
                            $crate::config::Parameter::resolved(&self.$field),
                        );
                    }
                )*
                $crate::serde_json::Value::Object(table)
            }
        }
    };
    (@default) => { None };
    (@default $default:literal) => { Some($default) };
    (@alternatives) => { &[] };
    (@alternatives $($alternative:literal),+) => { &[$($alternative),+] };
}

/// Declares a closed vocabulary: an enum whose variants are words of the configuration. A trailing `absent Variant` names the variant that
/// stands for "none", which a resolved scenario omits.
#[macro_export]
macro_rules! choice {
    (
        $(#[doc = $summary:literal])*
        $visibility:vis enum $name:ident {
            $($(#[doc = $doc:literal])* $variant:ident = $word:literal),* $(,)?
        }
        $(absent $absent:ident)?
    ) => {
        $(#[doc = $summary])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        $visibility enum $name {
            $($(#[doc = $doc])* $variant,)*
        }

        impl $crate::config::Parameter for $name {
            fn shape() -> $crate::config::Shape {
                $crate::config::Shape::Choice(vec![
                    $($crate::config::VariantShape { name: $word, doc: concat!($($doc, "\n",)*) },)*
                ])
            }

            fn read(node: &$crate::config::Node, reader: &mut $crate::config::Reader) -> Option<Self> {
                match &node.value {
                    $($crate::config::Value::Text(text) if text == $word => Some(Self::$variant),)*
                    $crate::config::Value::Text(text) => {
                        let near = $crate::config::did_you_mean(text, [$($word),*]);
                        let known = $crate::config::listed([$($word),*]);
                        reader.reject(node, format!("unknown choice \"{text}\"; known: {known}{near}"));
                        None
                    }
                    _ => {
                        let known = $crate::config::listed([$($word),*]);
                        reader.reject(node, format!("expected one of {known}, found {}", node.describe()));
                        None
                    }
                }
            }

            fn resolved(&self) -> $crate::serde_json::Value {
                match self { $(Self::$variant => $word.into(),)* }
            }

            $(fn is_absent(&self) -> bool {
                *self == Self::$absent
            })?
        }
    };
}
