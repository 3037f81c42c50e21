//! Properties of every model of a family, tested over the registries: a new model is tested by being listed.

mod background;
mod declarations;
mod drop_policy;
mod fields;
mod flavor;
mod loss_model;
mod network;
mod opening;
mod queue_discipline;
mod receiver;
mod scenario;
mod scheduler;
mod sender;
mod timeout_estimator;
mod traffic;
