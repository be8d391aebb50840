//! A linear system with all that is shown of it, made beside the window.

use std::sync::Arc;

use crate::engine::{
    AnalysisError, Channel, Context, FrequencyPoint, Linear, LinearState, LinearizeRequest, Margins, Program,
    TimeResponse, Trim, TrimResult,
};

/// What is to be analysed.
pub struct AnalysisRequest {
    pub program: Arc<Program>,
    /// At a step's begin.
    pub context: Context,
    pub wanted: LinearizeRequest,
    /// The point is the nearest at which nothing moves, but what this says.
    pub rest: Option<Trim>,
    /// What the trim's free parameters are called.
    pub free: Vec<String>,
}

/// What came of it.
pub struct Analysis {
    pub linear: Linear,
    /// None where no input or output was named.
    pub way: Option<Way>,
    /// The point at rest, where that was sought.
    pub rest: Option<TrimResult>,
    /// The parameters that were sought, by their paths, and their lanes.
    pub found: Vec<(String, Vec<f64>)>,
}

/// One way through the system, ready to be drawn.
pub struct Way {
    pub channel: Channel,
    pub response: Vec<FrequencyPoint>,
    pub margins: Margins,
    pub step: TimeResponse,
    pub impulse: TimeResponse,
}

/// Points of a curve.
const POINTS: usize = 600;

impl Analysis {
    /// # Errors
    /// As [`Linear::new`] and [`Trim::solve`].
    pub fn new(request: AnalysisRequest) -> Result<Analysis, AnalysisError> {
        let AnalysisRequest { program, mut context, wanted, rest, free } = request;
        let rest = rest.map(|trim| trim.solve(&program, &context)).transpose()?;
        let found = free.into_iter().zip(rest.iter().flat_map(|rest| rest.params.clone())).collect();
        if let Some(rest) = &rest {
            context = rest.context.clone();
        }
        let linear = Linear::new(&program, &context, &wanted)?;
        let way = linear.channel(0, 0).map(|channel| {
            let (from, to) = channel.span();
            let response = channel.frequency_response(from, to, POINTS);
            let horizon = channel.horizon();
            Way {
                margins: channel.margins(&response),
                response,
                step: channel.step_response(horizon, POINTS),
                impulse: channel.impulse_response(horizon, POINTS),
                channel,
            }
        });
        Ok(Analysis { linear, way, rest, found })
    }

    /// States that move though a point of rest was sought.
    pub fn unbalanced(&self) -> &[LinearState] {
        self.rest.as_ref().map_or(&[], |rest| &rest.unbalanced)
    }
}
