//! One binary for all tests of behaviour: a folder for each layer.

#[cfg(feature = "app")]
mod app;
#[cfg(feature = "app")]
mod canvas;
mod cli;
mod engine;
mod examples;
mod extension;
mod formats;
mod math;
mod measure;
mod model;
mod simx;
