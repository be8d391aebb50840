//! The linear analysis shown in the window, computed on a background thread.

use std::sync::Arc;

use crate::engine::{
    AnalysisError, Channel, Context, FrequencyPoint, Linear, LinearState, LinearizeRequest, Margins, Program,
    RootLocus, TimeResponse, Trim, TrimResult,
};
use crate::model::SignalKey;

/// The input of an analysis.
pub struct AnalysisRequest {
    pub program: Arc<Program>,
    /// The values at the start of a step.
    pub context: Context,
    pub wanted: LinearizeRequest,
    /// Linearizes at the nearest equilibrium under these conditions, else at `context`.
    pub rest: Option<Trim>,
    /// The paths of the trim's free parameters.
    pub free: Vec<String>,
}

/// The result of an analysis.
pub struct Analysis {
    pub linear: Linear,
    /// `None` without an input and an output.
    pub way: Option<Way>,
    /// The equilibrium, if requested.
    pub rest: Option<TrimResult>,
    /// The free parameters by path, and their elements.
    pub found: Vec<(String, Vec<f64>)>,
}

/// The responses of one channel, ready to draw.
pub struct Way {
    pub channel: Channel,
    pub response: Vec<FrequencyPoint>,
    /// The margins of the loop that is opened at the input, if there is one.
    pub margins: Option<LoopMargins>,
    /// None if the input does not reach the output, or there are no poles or too many.
    pub locus: Option<RootLocus>,
    pub step: TimeResponse,
    pub impulse: TimeResponse,
}

/// The margins of an opened loop.
pub struct LoopMargins {
    /// Where the loop is opened.
    pub at: SignalKey,
    pub margins: Margins,
    /// Whether the channel is the opened loop itself, so that its curves show the margins.
    pub is_shown: bool,
}

/// The number of points of a curve.
const POINTS: usize = 600;

impl Analysis {
    /// # Errors
    /// Those of [`Linear::new`] and [`Trim::solve`].
    pub fn new(request: AnalysisRequest) -> Result<Analysis, AnalysisError> {
        let AnalysisRequest { program, mut context, wanted, rest, free } = request;
        let rest = rest.map(|trim| trim.solve(&program, &context)).transpose()?;
        let found = free.into_iter().zip(rest.iter().flat_map(|rest| rest.params.clone())).collect();
        if let Some(rest) = &rest {
            context = rest.context.clone();
        }
        let linear = Linear::new(&program, &context, &wanted)?;
        let opened = match wanted.inputs.first().filter(|_| wanted.cuts_inputs) {
            Some(at) => Linear::open_loop(&program, &context, at, wanted.pade_order)?.map(|open| (at, open)),
            None => None,
        };
        let is_shown = wanted.inputs.first() == wanted.outputs.first();
        let margins =
            opened.as_ref().map(|(at, open)| LoopMargins { at: at.signal.clone(), margins: open.margins(), is_shown });
        let of_loop = opened.map(|(_, open)| open).filter(|_| is_shown);
        let way = of_loop.or_else(|| linear.channel(0, 0)).map(|channel| {
            let (from, to) = channel.span();
            let response = channel.frequency_response(from, to, POINTS);
            let horizon = channel.horizon();
            Way {
                margins,
                locus: channel.root_locus(),
                response,
                step: channel.step_response(horizon, POINTS),
                impulse: channel.impulse_response(horizon, POINTS),
                channel,
            }
        });
        Ok(Analysis { linear, way, rest, found })
    }

    /// Returns the states that are not steady at the equilibrium.
    pub fn restless(&self) -> &[LinearState] {
        self.rest.as_ref().map_or(&[], |rest| &rest.unbalanced)
    }
}
