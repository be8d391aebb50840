//! The canvas: geometry and routes as pure functions, gestures against the document.

mod arrange;
mod bench;
mod gestures;
mod insert;
mod keys;
mod layout;
mod nets;
mod rates;
mod routes;
mod scene;
mod several;
mod titles;
