//! `simulate optimize`: chooses parameters so that runs meet all requirements and an objective is best.

use std::process::ExitCode;

use clap::Args;

use super::report::OptimumReport;
use super::{StudyArgs, StudyFailure, params, printed};
use crate::cli::interrupt::{Interrupt, StopSignal};
use crate::cli::output::{FAILURE, OutputFormat, SUCCESS, complain, json, spinner};
use crate::cli::written::{WriteError, replace};
use crate::components::Components;
use crate::requirement::{Objective, OptimumProgress, Question, parse_figure};
use crate::trial::change_of;

#[derive(Debug, Args)]
pub struct OptimizeArgs {
    #[command(flatten)]
    study: StudyArgs,
    /// An uncertain parameter with its tolerance; may be repeated. Requirements must be met with its value in the
    /// file and with all combinations of bounds
    #[arg(long, value_name = "PATH=low:high")]
    tolerance: Vec<String>,
    /// A figure that is to be small among the values that meet all requirements; without one the search ends with the
    /// first that do
    #[arg(long, value_name = "FIGURE of SIGNAL")]
    minimize: Option<String>,
    /// A figure that is to be large
    #[arg(long, value_name = "FIGURE of SIGNAL", conflicts_with = "minimize")]
    maximize: Option<String>,
    /// Writes the values into the file, if they meet all requirements
    #[arg(long)]
    write: bool,
    /// Replaces expressions by numbers, too
    #[arg(long, requires = "write")]
    replace_expressions: bool,
}

/// The number of significant digits that are written.
const DIGITS: usize = 10;

pub fn run(args: &OptimizeArgs, components: &Components) -> ExitCode {
    printed(search(args, components), &args.study.file)
}

fn search(args: &OptimizeArgs, components: &Components) -> Result<(String, u8), StudyFailure> {
    let name = args.minimize.as_ref().or(args.maximize.as_ref());
    let parsed = name.map(|text| parse_figure(text)).transpose().map_err(StudyFailure::Objective)?;
    let is_maximized = args.maximize.is_some();
    let objective = parsed.map(|(figure, signal)| Objective { figure, signal, is_maximized });
    let question = Question { objective, uncertain: params("tolerance", &args.tolerance)?, ..Question::default() };
    let (_, study) = args.study.study(question, components)?;
    let (bar, interrupt) = (spinner(args.study.quiet), Interrupt::listen());
    let mut look = |progress: OptimumProgress| {
        let values: Vec<String> = progress.values.iter().map(|value| crate::cli::values::short(*value)).collect();
        bar.set_message(format!(
            "start {} of {}, {} evaluations, {}",
            progress.start + 1,
            args.study.starts,
            progress.evaluations,
            values.join(", ")
        ));
    };
    let found = study.optimize(&args.study.options(), interrupt.cancel(), &mut look);
    bar.finish_and_clear();
    let found = found?;
    let signal = interrupt.signal();
    if let Some(signal) = signal {
        complain(&format!("{signal} stopped the search; the best values so far follow"));
    }
    let is_written = args.write && signal.is_none() && found.after.is_met();
    if is_written {
        let values: Vec<(&str, f64)> = study.params().zip(found.values.iter().copied()).collect();
        write(args, components, &values)?;
    } else if args.write {
        let why = if signal.is_some() { "the search was stopped" } else { "they do not meet all requirements" };
        complain(&format!("warning: the values are not written, since {why}"));
    }
    let code = if found.after.is_met() { SUCCESS } else { FAILURE };
    let report = OptimumReport::new(&study, &found, name.cloned(), is_written);
    let text = match args.study.format {
        OutputFormat::Json => json(&report),
        OutputFormat::Text => report.text(),
    };
    Ok((text, signal.map_or(code, StopSignal::code)))
}

/// Writes the values into the file as it is, without those of `--set`.
fn write(args: &OptimizeArgs, components: &Components, values: &[(&str, f64)]) -> Result<(), StudyFailure> {
    let (file, files) = (&args.study.file, &args.study.files);
    let simulation = components.formats.open(file, &files.options()).map_err(WriteError::from)?.simulation;
    let registry = files.registry(components, file).map_err(StudyFailure::Blocks)?;
    let library = (&simulation, &registry);
    let change = change_of("Optimize parameters", values, Some(DIGITS), library, args.replace_expressions)?;
    Ok(replace(components, &registry, (file, &simulation), change)?)
}
