//! Calls from outside: what a script or an assistant asks of a simulation, over JSON-RPC or the Model Context Protocol.
//!
//! | module | contents |
//! |---|---|
//! | `argument` | the arguments of a call: their documentation, schema and check in one table |
//! | `call` | [`RpcCall`]: a name, arguments, an effect and a function |
//! | `call_result` | the result of a call, bounded in size |
//! | [`calls`] | the calls, one file for each topic |
//! | `edit` | the operations of an edit: one change of the document |
//! | `error` | the errors of calls |
//! | `host` | [`SimulationHost`]: where the simulations are: in a folder, or in the window |
//! | `json_rpc` | messages of JSON-RPC 2.0 |
//! | `mcp` | the Model Context Protocol over the same calls |
//! | `server` | reads messages from a stream and answers them |
//! | `session` | the state of a client: simulations and runs |
//!
//! A change from outside is one change of the document, refused as a whole, and one undo away. This room knows neither the
//! window nor the command line: they give it a [`SimulationHost`], and the functions that draw. Next: `cli::serve` serves a
//! folder on standard input and output.

mod argument;
mod call;
mod call_result;
pub mod calls;
mod edit;
mod error;
mod host;
mod json_rpc;
mod mcp;
mod server;
mod session;

pub use self::{
    call::{CallControl, Effect, RpcCall},
    call_result::{CallResult, number},
    error::RpcError,
    host::{FolderHost, HistoryStep, Overwriting, SimulationHost},
    mcp::PROTOCOL_VERSIONS,
    server::{Protocol, serve},
    session::{Artist, PlotCurve, Session},
};
