//! Details of a step, which are computed on request.

mod causes;
mod forensics;
mod step_trace;
