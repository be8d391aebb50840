//! Requirements on the response and the search for parameters that meet them, in the window: the simulated response and the
//! search itself, both on background threads.
//!
//! | module | contents |
//! |---|---|
//! | `experiment` | the input: simulation, question, options; the response with certain values |
//! | `reference` | reads reference curves from the folder of the simulation |
//! | `running` | a search, in progress or finished |

mod experiment;
mod reference;
mod running;

use std::sync::Arc;

pub use self::experiment::{CheckRequirement, ResponseInput, SimulatedResponse};
pub use self::running::{ResponseProgress, ResponseResult, RunningResponse};
use crate::app::store::lab::preview::Preview;
use crate::block::Cancel;
use crate::model::Simulation;

/// The simulated response and the search of the panel, computed on threads.
pub struct ResponseLab {
    /// The response with the values of the simulation.
    pub preview: Preview<ResponseInput, Arc<SimulatedResponse>>,
    pub search: Option<RunningResponse>,
}

impl ResponseLab {
    pub fn new(wake: &Arc<dyn Fn() + Send + Sync>) -> ResponseLab {
        let simulate = |input: &ResponseInput, cancel: &Cancel| {
            input.simulated(cancel).map(Arc::new).map_err(|error| error.to_string())
        };
        ResponseLab { preview: Preview::new(wake, simulate), search: None }
    }

    /// Starts a search; `wake` is called when there is something new.
    pub fn begin(&mut self, input: ResponseInput, wake: impl Fn() + Send + 'static) {
        self.preview.forget();
        self.search = Some(RunningResponse::begin(input, wake));
    }

    pub fn is_searching(&self) -> bool {
        self.search.as_ref().is_some_and(RunningResponse::is_going_on)
    }

    /// Takes results. A search in a simulation that has changed ends, since its values would be those of another one.
    pub fn poll(&mut self, simulation: &Arc<Simulation>) {
        self.preview.poll();
        if let Some(search) = &mut self.search {
            search.poll(simulation);
        }
    }

    /// The response that is drawn: that of the best values so far, else that of the simulation.
    pub fn now(&self) -> Option<&Arc<SimulatedResponse>> {
        match &self.search {
            Some(search) => search.now.as_ref(),
            None => self.preview.result.as_ref()?.as_ref().ok(),
        }
    }
}
