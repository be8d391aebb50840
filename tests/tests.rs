//! One binary for all tests of behaviour: a folder for each layer.

mod cli;
mod engine;
mod examples;
mod simx;
