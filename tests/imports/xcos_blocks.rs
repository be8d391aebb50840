//! The table of Xcos blocks: each with constants at its inputs, the texts of its dialog, and the output that the manual of
//! Scilab gives for them.

use super::xcos::{block, clock, diagram, imported, links, recorder, values};
use simulate::import::Class;

/// A function, the texts of its dialog, the values at its inputs, and the output.
type Case = (&'static str, &'static [&'static str], &'static [&'static str], f64);

const CASES: &[Case] = &[
    ("CONST_m", &["7"], &[], 7.0),
    ("CONST", &["2+%pi-%pi"], &[], 2.0),
    ("GAINBLK", &["5", "0"], &["3"], 15.0),
    ("GAIN_f", &["-2"], &["3"], -6.0),
    ("SUMMATION", &["1", "[1;-1]", "0"], &["3", "5"], -2.0),
    ("SUMMATION", &["[1;1;-1]"], &["3", "5", "1"], 7.0),
    ("BIGSOM_f", &["[1;-1;0.5]"], &["3", "5", "8"], 2.0),
    ("SUM_f", &[], &["1", "2", "3"], 6.0),
    ("PROD_f", &[], &["4", "5"], 20.0),
    ("PRODUCT", &["[1;-1]", "0"], &["8", "4"], 2.0),
    ("ABS_VALUE", &["1"], &["-4"], 4.0),
    ("SIGNUM", &["1"], &["-4"], -1.0),
    ("SQRT", &[], &["9"], 3.0),
    ("INVBLK", &["1"], &["4"], 0.25),
    ("POWBLK_f", &["3"], &["2"], 8.0),
    ("EXPBLK_m", &["%e"], &["0"], 1.0),
    ("EXPBLK_f", &["2"], &["3"], 8.0),
    ("LOGBLK_f", &["%e"], &["1"], 0.0),
    ("LOGBLK_f", &["2"], &["8"], 3.0),
    ("SINBLK_f", &[], &["%pi/2"], 1.0),
    ("TrigFun", &["cos"], &["0"], 1.0),
    ("MAXMIN", &["2", "2", "1"], &["3", "7"], 7.0),
    ("MAXMIN", &["1", "2", "1"], &["3", "7"], 3.0),
    ("MAX_f", &["1"], &["[3;9;1]"], 9.0),
    ("MIN_f", &["1"], &["[3;9;1]"], 1.0),
    ("QUANT_f", &["0.5", "1"], &["1.3"], 1.5),
    ("QUANT_f", &["0.5", "3"], &["1.3"], 1.0),
    ("EXPRESSION", &["2", "(u1>0)*sin(u2)+u1^2", "1"], &["3", "0"], 9.0),
    ("EXPRESSION", &["1", "u2-u1", "1"], &["[3;10]"], 7.0),
    ("CONVERT", &["1", "5", "0"], &["130"], -126.0),
    ("CONVERT", &["1", "8", "1"], &["300"], 255.0),
    ("CONVERT", &["3", "1", "0"], &["3"], 3.0),
    ("SWITCH2_m", &["1", "0", "2", "1"], &["10", "3", "20"], 10.0),
    ("SWITCH2_m", &["1", "1", "3", "1"], &["10", "3", "20"], 20.0),
    ("SWITCH_f", &["2", "2"], &["10", "20"], 20.0),
    ("M_SWITCH", &["2", "1", "3"], &["2", "10", "20"], 20.0),
    ("RELATIONALOP", &["2", "1"], &["1", "2"], 1.0),
    ("RELATIONALOP", &["5", "1"], &["1", "2"], 0.0),
    ("LOGICAL_OP", &["2", "4", "1", "0"], &["1", "2"], 0.0),
    ("LOGICAL_OP", &["2", "0", "5", "1"], &["6", "3"], 2.0),
    ("LOGICAL_OP", &["1", "5", "1", "0"], &["0"], 1.0),
    ("LOGIC", &["[0;1;0;0]", "1"], &["1", "0"], 1.0),
    ("LOGIC", &["[0;1;0;0]", "1"], &["0", "1"], 0.0),
    ("SATURATION", &["2", "-1", "1"], &["5"], 2.0),
    ("SAT_f", &["-1", "1", "0.5"], &["1"], 0.5),
    ("DEADBAND", &["0.5", "-0.5", "1"], &["2"], 1.5),
    ("HYSTHERESIS", &["1", "0", "5", "-5", "0"], &["2"], 5.0),
    ("BACKLASH", &["0", "1", "1"], &["3"], 2.5),
    ("RATELIMITER", &["1", "-1"], &["3"], 3.0),
    ("MATMUL", &["1", "2", "0"], &["3", "4"], 12.0),
    ("MATMUL", &["1"], &["3", "4"], 12.0),
    ("MATTRAN", &["1"], &["3"], 3.0),
    ("MATSUM", &["1", "0"], &["[3;4]"], 7.0),
    ("BITSET", &["3", "0"], &["4"], 5.0),
    ("BITCLEAR", &["5", "2"], &["5"], 1.0),
    ("SHIFT", &["3", "2", "0"], &["5"], 20.0),
    ("LOOKUP_c", &["1", "[0;2]", "[0;4]", "0", "n"], &["1"], 2.0),
    ("INTRPLBLK_f", &["[0;2]", "[0;4]"], &["1"], 2.0),
    ("scifunc_block_m", &["[1,1]", "[1,1]", "[]", "[]", "[]", "[]", "[]", "[]", "0", "y1=2*sin(u1)"], &["%pi/2"], 2.0),
    ("EXTRACTOR", &["2"], &["[5;6]"], 6.0),
    ("STEP", &["0", "0", "4"], &[], 4.0),
    ("RAMP", &["2", "0", "1"], &[], 1.0),
    ("GENSIN_f", &["3", "1", "%pi/2"], &[], 3.0),
    ("PULSE_SC", &["0", "50", "1", "4"], &[], 4.0),
    ("TIME_DELAY", &["1", "6", "1024"], &["3"], 6.0),
    ("VARIABLE_DELAY", &["1", "6", "1024"], &["3", "0.5"], 6.0),
    ("INTEGRAL_f", &["8"], &["3"], 8.0),
    ("INTEGRAL_m", &["8", "0", "1", "5", "-5"], &["3"], 5.0),
    ("CLR", &["s+1", "s+2"], &["3"], 3.0),
    ("CLSS", &["-1", "1", "2", "0", "4"], &["3"], 8.0),
    ("DERIV", &[], &["3"], 0.0),
    ("EXTRACT", &["1", "[1]", "[1]"], &["3"], 3.0),
    ("Modulo_Count", &["2", "5"], &[], 2.0),
    ("Counter_f", &["3", "9", "1"], &[], 3.0),
    ("DOLLAR_f", &["6", "1"], &["3"], 6.0),
    ("DOLLAR_m", &["6", "0"], &["3"], 6.0),
    ("REGISTER", &["[6;6]", "1"], &["3"], 6.0),
    ("SAMPHOLD_m", &["1"], &["3"], 3.0),
    ("DLR", &["1", "z-0.5"], &["3"], 0.0),
    ("DLSS", &["0.5", "1", "2", "0", "4"], &["3"], 8.0),
    ("SAWTOOTH_f", &[], &[], 0.0),
    ("GENSQR_f", &["4"], &[], 4.0),
];

/// Blocks that a clock activates.
const CLOCKED: [&str; 11] = [
    "Modulo_Count",
    "Counter_f",
    "DOLLAR_f",
    "DOLLAR_m",
    "REGISTER",
    "SAMPHOLD_m",
    "DLR",
    "DLSS",
    "SAWTOOTH_f",
    "GENSQR_f",
    "RAND_m",
];

fn text(function: &str, exprs: &[&str], inputs: &[&str]) -> String {
    let has_clock = CLOCKED.contains(&function);
    let ports = "i".repeat(inputs.len()) + "o" + if has_clock { "e" } else { "" };
    let mut content = block("b", function, exprs, &ports);
    let mut list = vec!["b.o1 r.i1".to_owned(), "x.c1 r.e1".to_owned(), "c.c1 x.e1".to_owned()];
    for (number, value) in inputs.iter().enumerate() {
        content += &block(&format!("k{number}"), "CONST_m", &[value], "o");
        list.push(format!("k{number}.o1 b.i{}", number + 1));
    }
    if has_clock {
        list.push("x.c2 b.e1".to_owned());
    }
    let list: Vec<&str> = list.iter().map(String::as_str).collect();
    content += &(recorder() + &clock("c", "0.1", "0") + &block("x", "CLKSPLIT_f", &[], "ecc") + &links(&list));
    diagram("finalIntegrationTime=\"0.1\"", "", &content)
}

#[test]
fn each_block_has_the_output_that_the_manual_gives() {
    let mut faults = String::new();
    for (function, exprs, inputs, wanted) in CASES {
        let text = text(function, exprs, inputs);
        let found = imported(&text);
        let placeholders: Vec<_> =
            found.report.entries.iter().filter(|entry| entry.class == Class::Placeholder).collect();
        if let Some(entry) = placeholders.first() {
            faults += &format!("{function} {exprs:?}: {:?}\n", entry.notes);
            continue;
        }
        match std::panic::catch_unwind(|| values(&text)[0].1) {
            Ok(value) if (value - wanted).abs() < 1e-9 => {}
            Ok(value) => faults += &format!("{function} {exprs:?}: {value}, not {wanted}\n"),
            Err(problem) => {
                let problem = problem.downcast_ref::<String>().cloned().unwrap_or_default();
                faults += &format!("{function} {exprs:?}: {}\n", problem.chars().take(200).collect::<String>());
            }
        }
    }
    assert!(faults.is_empty(), "{faults}");
}

#[test]
fn a_cumulative_sum_goes_down_the_columns_or_along_the_rows() {
    for (way, wanted) in [("1", 9.0), ("2", 15.0)] {
        // The helper states columns; these blocks have 3 × 3.
        let square =
            |text: String| text.replace("dataLines=\"-1\" dataColumns=\"1\"", "dataLines=\"3\" dataColumns=\"3\"");
        let content = square(block("k", "CONST_m", &["[1 2 3;4 5 6;7 8 9]"], "o"))
            + &square(block("b", "CUMSUM", &["1", way], "io"))
            + &square(block("e", "EXTRACT", &["1", "[2]", "[3]"], "i"))
            + "<ExplicitOutputPort id=\"e.o1\" parent=\"e\" ordering=\"1\" dataLines=\"1\" dataColumns=\"1\"/>"
            + &recorder()
            + &clock("c", "0.1", "0")
            + &links(&["k.o1 b.i1", "b.o1 e.i1", "e.o1 r.i1", "c.c1 r.e1"]);
        assert_eq!(values(&diagram("finalIntegrationTime=\"0.1\"", "", &content))[0].1, wanted, "{way}");
    }
}
