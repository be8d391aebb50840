//! Kills of the commands that write files.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::kill::{Case, Found, check_same, temporaries};
use crate::tally::{Random, Tally};

/// A command and the file that it writes.
struct Saving {
    title: &'static str,
    args: &'static [&'static str],
    target: &'static str,
}

const SAVINGS: [Saving; 6] = [
    Saving { title: "convert to .simx", args: &["convert", "big.simx", "out.simx"], target: "out.simx" },
    Saving { title: "convert to .simb", args: &["convert", "big.simx", "out.simb"], target: "out.simb" },
    Saving {
        title: "run --out .csv",
        args: &["run", "wave.simx", "-q", "--steps", "20000", "--out", "out.csv"],
        target: "out.csv",
    },
    Saving {
        title: "run --out .parquet",
        args: &["run", "wave.simx", "-q", "--steps", "20000", "--out", "out.parquet"],
        target: "out.parquet",
    },
    Saving {
        title: "run --checkpoint",
        args: &["run", "delay.simx", "-q", "--steps", "10", "--checkpoint", "half"],
        target: "half",
    },
    Saving {
        title: "sweep --out .csv",
        args: &["sweep", "wave.simx", "-q", "--vary", "#0.Gain=1:300:300", "--every", "20", "--out", "out.csv"],
        target: "out.csv",
    },
];

/// Kills commands `kills` times in all.
pub fn run(program: &Path, folder: &Path, kills: u64, random: &mut Random, all: &mut Tally) -> Result<(), String> {
    let count = SAVINGS.len() as u64;
    for (saving, number) in SAVINGS.iter().zip(0..) {
        let own = folder.join(format!("command-{number}"));
        fs::create_dir_all(&own).map_err(|error| error.to_string())?;
        for (name, text) in [("big.simx", big(400, 1000)), ("wave.simx", wave()), ("delay.simx", delay())] {
            fs::write(own.join(name), text).map_err(|error| error.to_string())?;
        }
        let tally = one(program, &own, saving, kills * (number + 1) / count - kills * number / count, random)?;
        if kills > 0 {
            println!("{:24} {tally}", saving.title);
        }
        all.add_all(tally);
    }
    Ok(())
}

fn one(program: &Path, folder: &Path, saving: &Saving, kills: u64, random: &mut Random) -> Result<Tally, String> {
    let Saving { args, target, .. } = *saving;
    let mut case = Case { program, folder, args, target, old: None, new: None };
    let new = case.complete()?;
    // Another length and another content.
    let old: Vec<u8> = new.iter().rev().skip(new.len() / 10).copied().collect();
    (case.old, case.new) = (Some(old), Some(new));
    let times = (0..5).map(|_| time(&case)).collect::<Result<Vec<_>, _>>()?;
    let total = times.iter().map(|(total, _)| *total).max().unwrap_or_default();
    let writing = times.iter().map(|(_, writing)| *writing).min().unwrap_or_default();
    let mut tally = Tally::default();
    while tally.kills() < kills {
        let found = case.kill(random.moment(total, writing))?;
        tally.add(found);
        // What was interrupted is done by the next call.
        if tally.kills().is_multiple_of(10) && found != Found::Ended {
            let done = case.complete()?;
            check_same(target, "the new content", Some(&done), case.new.as_deref())?;
            let part = folder.join(format!("{target}.part"));
            if part.exists() {
                return Err(format!("{} is left", part.display()));
            }
        }
    }
    Ok(tally)
}

/// Measures a command, and the part of its time in which its temporary file is there.
fn time(case: &Case) -> Result<(Duration, Duration), String> {
    let begin = Instant::now();
    let mut child = case.start()?;
    let (mut first, mut last) = (begin, begin);
    while matches!(child.try_wait(), Ok(None)) {
        let is_there = !temporaries(case.folder).is_empty();
        let now = Instant::now();
        if is_there && first == begin {
            first = now;
        }
        if is_there {
            last = now;
        }
    }
    Ok((begin.elapsed(), last - first))
}

/// A simulation of `models` models with forty blocks each, of which only the first is used, and with an attribute of
/// `remark` characters.
pub fn big(models: usize, remark: usize) -> String {
    let remark = "remark ".repeat(remark / 7);
    let mut text = format!("<simulation steps=\"10\" root=\"M0\" my:remark=\"{remark}\" xmlns:my=\"urn:my\">\n");
    for model in 0..models {
        text.push_str(&format!("<model name=\"M{model}\">\n"));
        for block in 0..40 {
            let place = format!("view:x=\"{}\" view:y=\"{}\"", block % 8 * 100, block / 8 * 80);
            text.push_str(&format!("<block id=\"{block}\" group=\"Math\" name=\"Gain\" {place}/>\n"));
        }
        text.push_str("</model>\n");
    }
    text + "</simulation>\n"
}

fn wave() -> String {
    chain(2000, "<block id=\"0\" group=\"Math\" name=\"Gain\"/>")
}

/// Its state is long.
fn delay() -> String {
    let delay = "<block id=\"0\" group=\"Discrete\" name=\"Delay\"><option name=\"Length\"><value>1000000</value></option></block>";
    chain(10, delay)
}

/// A sine through block 0.
fn chain(steps: u64, block: &str) -> String {
    format!(
        "<simulation steps=\"{steps}\" delta=\"0.001\" root=\"M\"><model name=\"M\">{block}\
         <block id=\"1\" group=\"Var\" name=\"Sine\"/><exit id=\"2\" name=\"y\"/>\
         <connection from=\"1\" output=\"Output\" to=\"0\" input=\"Input\"/>\
         <connection from=\"0\" output=\"Output\" to=\"2\" input=\"Input\"/></model></simulation>"
    )
}
