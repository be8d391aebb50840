//! The canvas: geometry and routes as plain functions, gestures against the document.

mod bench;
mod gestures;
mod layout;
mod routes;
mod scene;
