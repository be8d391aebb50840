//! Blocks of the table, compared with their closed forms.

use super::{block, check, imported, line, line_from, lines, model, out, run};
use simulate::import::Class;

/// A root of blocks in a chain, the last of which leads to the exit y.
fn chain(blocks: &[(&str, &str, &str)]) -> String {
    let mut root: String = blocks.iter().map(|(kind, name, params)| block(kind, name, params)).collect();
    root += &out("y", 1);
    let names: Vec<&str> = blocks.iter().map(|(_, name, _)| *name).chain(["y"]).collect();
    names.windows(2).for_each(|pair| root += &line(pair[0], pair[1], 1));
    root
}

#[test]
fn a_first_order_system_follows_its_exponential() {
    let root = chain(&[("Step", "s", "Time \"0\""), ("TransferFcn", "g", "Numerator \"[3]\"\nDenominator \"[2 1]\"")]);
    check(&model("ode4", 0.01, 5.0, &root), "y", 1e-8, |t| 3.0 * (1.0 - (-t / 2.0).exp()));
}

#[test]
fn an_oscillator_of_two_integrators_follows_its_cosine() {
    let root = block("Integrator", "v", "")
        + &block("Integrator", "x", "InitialCondition \"1\"")
        + &block("Gain", "k", "Gain \"-4\"")
        + &out("y", 1)
        + &line("v", "x", 1)
        + &line("x", "k", 1)
        + &line("k", "v", 1)
        + &line("x", "y", 1);
    check(&model("ode4", 0.001, 3.0, &root), "y", 1e-9, |t| (2.0 * t).cos());
}

#[test]
fn an_accumulator_counts_its_samples() {
    let params =
        "IntegratorMethod \"Integration: Forward Euler\"\nSampleTime \"0.5\"\ngainval \"2\"\nInitialCondition \"1\"";
    let root = chain(&[("Constant", "c", "Value \"3\""), ("DiscreteIntegrator", "i", params)]);
    check(&model("FixedStepDiscrete", 0.5, 4.0, &root), "y", 1e-12, |t| 1.0 + 6.0 * t);
}

#[test]
fn defaults_of_the_program_are_those_of_blocks_without_parameters() {
    // A sum of two, a gain of 1, a saturation at ±0.5, a step at 1 s.
    let root = chain(&[("Step", "s", ""), ("Gain", "g", ""), ("Saturate", "l", "")]);
    check(&model("ode4", 0.1, 2.0, &root), "y", 0.0, |t| if t < 1.0 - 1e-9 { 0.0 } else { 0.5 });
}

#[test]
fn defaults_of_the_file_go_before_those_of_the_program() {
    let text = model("ode4", 0.1, 1.0, &chain(&[("Constant", "c", ""), ("Gain", "g", "")]));
    let defaults =
        "  BlockParameterDefaults {\n    Block {\n      BlockType Gain\n      Gain \"7\"\n    }\n  }\n  System {\n";
    check(&text.replacen("  System {\n", defaults, 1), "y", 0.0, |_| 7.0);
}

#[test]
fn signs_skip_the_place_that_a_bar_leaves_free() {
    let root = block("Constant", "a", "Value \"5\"")
        + &block("Constant", "b", "Value \"2\"")
        + &block("Sum", "d", "Inputs \"|+-\"")
        + &out("y", 1)
        + &line("a", "d", 1)
        + &line("b", "d", 2)
        + &line("d", "y", 1);
    check(&model("ode4", 0.1, 1.0, &root), "y", 0.0, |_| 3.0);
}

#[test]
fn a_product_of_a_number_of_inputs_and_one_with_signs() {
    let constants = block("Constant", "a", "Value \"6\"") + &block("Constant", "b", "Value \"4\"");
    let wires = line("a", "p", 1) + &line("b", "p", 2) + &line("p", "y", 1);
    let root = |inputs: &str| {
        constants.clone() + &block("Product", "p", &format!("Inputs \"{inputs}\"")) + &out("y", 1) + &wires
    };
    check(&model("ode4", 0.1, 1.0, &root("2")), "y", 0.0, |_| 24.0);
    check(&model("ode4", 0.1, 1.0, &root("*/")), "y", 0.0, |_| 1.5);
}

#[test]
fn functions_under_their_old_and_new_names() {
    let of = |params: &str| chain(&[("Constant", "c", "Value \"2\""), ("Math", "f", params)]);
    check(&model("ode4", 0.1, 1.0, &of("Function \"log\"")), "y", 1e-15, |_| 2f64.ln());
    check(&model("ode4", 0.1, 1.0, &of("Operator \"reciprocal\"")), "y", 1e-15, |_| 0.5);
    check(&model("ode4", 0.1, 1.0, &of("Operator \"magnitude^2\"")), "y", 1e-15, |_| 4.0);
    let root = chain(&[("Constant", "c", "Value \"pi/6\""), ("Trigonometry", "f", "Operator \"sin\"")]);
    check(&model("ode4", 0.1, 1.0, &root), "y", 1e-15, |_| 0.5);
}

#[test]
fn a_switch_keeps_the_order_of_its_inputs() {
    let root = block("Clock", "t", "")
        + &block("Constant", "late", "Value \"1\"")
        + &block("Constant", "early", "Value \"-1\"")
        + &block("Switch", "s", "Threshold \"0.5\"")
        + &out("y", 1)
        + &line("late", "s", 1)
        + &line("t", "s", 2)
        + &line("early", "s", 3)
        + &line("s", "y", 1);
    check(&model("ode4", 0.25, 1.0, &root), "y", 0.0, |t| if t >= 0.5 { 1.0 } else { -1.0 });
}

#[test]
fn a_table_of_two_dimensions_is_read_by_rows() {
    let params = "NumberOfTableDimensions \"2\"\nTable \"[1 2 3;4 5 6]\"\nBreakpointsForDimension1 \"[0 1]\"\n\
                  BreakpointsForDimension2 \"[0 1 2]\"";
    let root = block("Constant", "r", "Value \"1\"")
        + &block("Constant", "c", "Value \"1.5\"")
        + &block("Lookup_n-D", "l", params)
        + &out("y", 1)
        + &line("r", "l", 1)
        + &line("c", "l", 2)
        + &line("l", "y", 1);
    check(&model("ode4", 0.1, 1.0, &root), "y", 1e-12, |_| 5.5);
}

#[test]
fn an_expression_uses_the_elements_of_its_input() {
    let root =
        block("Constant", "a", "Value \"[3 4]\"") + &block("Fcn", "f", "Expr \"sqrt(u(1)^2 + u[2]^2)\"") + &out("y", 1);
    let root = root + &line("a", "f", 1) + &line("f", "y", 1);
    check(&model("ode4", 0.1, 1.0, &root), "y", 1e-15, |_| 5.0);
}

#[test]
fn a_matrix_gain_multiplies_from_the_left() {
    let params = "Gain \"[1 2;3 4]\"\nMultiplication \"Matrix(K*u) (u vector)\"";
    let root = block("Constant", "a", "Value \"[1;10]\"")
        + &block("Gain", "k", params)
        + &block("Demux", "d", "Outputs \"2\"");
    let root = root + &out("y", 1) + &out("z", 2) + &line("a", "k", 1) + &line("k", "d", 1) + &line("d", "y", 1);
    let root = root + &line_from("d", 2, "z", 1);
    let imported = imported(&model("ode4", 0.1, 1.0, &root));
    let run = run(&imported, &["y", "z"]);
    assert_eq!((run.last("y").expect("y"), run.last("z").expect("z")), (&[21.0][..], &[43.0][..]));
}

#[test]
fn a_number_of_outputs_share_a_vector() {
    // Of five elements the first of two outputs has three.
    let root = block("Constant", "a", "Value \"[1 2 3 4 5]\"") + &block("Demux", "d", "Outputs \"2\"");
    let root = root
        + &block("Sum", "s", "Inputs \"+\"")
        + &out("y", 1)
        + &line("a", "d", 1)
        + &line("d", "s", 1)
        + &line("s", "y", 1);
    let root = root + &block("Terminator", "t", "") + &line_from("d", 2, "t", 1);
    check(&model("ode4", 0.1, 1.0, &root), "y", 0.0, |_| 6.0);
}

#[test]
fn matrices_are_multiplied_and_selected_by_their_sizes() {
    let matrix = |name: &str, value: &str| block("Constant", name, &format!("Value \"{value}\"\nVectorParams1D off"));
    // [1 2; 3 4]·[5 6; 7 8] = [19 22; 43 50]; of it the second column.
    let params = "NumberOfDimensions \"2\"\nIndexOptionArray \"{'Select all','Index vector (dialog)'}\"\n\
                  IndexParamArray \"{'1','2'}\"\nOutputSizeArray \"{'1','1'}\"";
    let root = matrix("a", "[1 2;3 4]")
        + &matrix("b", "[5 6;7 8]")
        + &block("Product", "p", "Inputs \"2\"\nMultiplication \"Matrix(*)\"");
    let root =
        root + &block("Selector", "s", params) + &block("Demux", "d", "Outputs \"2\"") + &out("y", 1) + &out("z", 2);
    let root = root + &line("a", "p", 1) + &line("b", "p", 2) + &line("p", "s", 1) + &line("s", "d", 1);
    let root = root + &line("d", "y", 1) + &line_from("d", 2, "z", 1);
    let imported = imported(&model("ode4", 0.1, 1.0, &root));
    let run = run(&imported, &["y", "z"]);
    assert_eq!((run.last("y").expect("y"), run.last("z").expect("z")), (&[22.0][..], &[50.0][..]));
}

#[test]
fn a_source_with_a_sample_time_holds_its_value() {
    let root = chain(&[("Sin", "s", "SampleTime \"0.5\"")]);
    check(&model("ode4", 0.1, 2.0, &root), "y", 1e-9, |t| ((t / 0.5 + 1e-9).floor() * 0.5).sin());
}

#[test]
fn an_unknown_block_keeps_all_that_it_had() {
    let root = block("Constant", "c", "")
        + &block("S-Function", "mine", "Ports [2, 3]\nFunctionName \"sfun\"\nParameters \"a, [1 2]\"");
    let root = root + &out("y", 1) + &line("c", "mine", 2) + &line_from("mine", 3, "y", 1);
    let imported = imported(&model("ode4", 0.1, 1.0, &root));
    assert_eq!(lines(&imported, Class::Placeholder), ["mine: its code is compiled or lies in another file"]);
    let formats = &simulate::Components::standard().formats;
    let bytes = formats.bytes_of(std::path::Path::new("m.simx"), &imported.simulation).expect("it is written");
    let again =
        formats.parse(std::path::Path::new("m.simx"), &bytes, &Default::default()).expect("it is read").simulation;
    let root = again.root_model().expect("the root");
    let block = root.blocks.values().find(|block| block.is_placeholder()).expect("the placeholder");
    assert_eq!((block.title(), block.kind.title()), ("mine", "S-Function"));
    assert_eq!(block.view("source:Parameters"), Some("a, [1 2]"));
    assert_eq!(block.view("source:FunctionName"), Some("sfun"));
    let ports = simulate::model::block_ports(&again, &simulate::Registry::standard(), root, block);
    assert_eq!((ports.inputs.len(), ports.outputs.len()), (2, 3));
    assert_eq!(root.sources(block.id).map(|wire| &*wire.input).collect::<Vec<_>>(), ["Input 2"]);
    assert!(root.connections.values().any(|wire| wire.from == block.id && &*wire.output == "Output 3"));
    let found = simulate::engine::diagnose(&again, &simulate::Registry::standard());
    assert!(found.iter().any(|found| found.code == "placeholder" && found.is_error()), "{found:?}");
}

#[test]
fn wires_without_a_direction_stay_between_placeholders() {
    let physical = |from: &str, to: &str| {
        format!(
            "Line {{\nLineType \"Connection\"\nSrcBlock \"{from}\"\nSrcPort RConn1\nDstBlock \"{to}\"\nDstPort LConn1\n}}\n"
        )
    };
    let part = |name: &str| block("SimscapeBlock", name, "Ports [0, 0, 0, 0, 0, 1, 1]");
    let root = part("a") + &part("b") + &part("c") + &physical("a", "c") + &physical("b", "c");
    let imported = imported(&model("ode4", 0.1, 1.0, &root));
    let root = imported.simulation.root_model().expect("the root");
    assert_eq!(root.connections.iter().count(), 2);
    assert!(imported.report.notes.iter().all(|note| !note.contains("ports that")), "{:?}", imported.report.notes);
}

#[test]
fn a_table_of_three_dimensions_varies_its_first_dimension_fastest() {
    // In the file f(a, b, c) = a + 10·b + 100·c at a, b = 0, 1 and c = 0, 1, 2.
    let reshaped = "reshape([0 1 10 11 100 101 110 111 200 201 210 211], [2 2 3])";
    let joined = "cat(3, [0 10; 1 11], [100 110; 101 111], [200 210; 201 211])";
    for table in [reshaped, joined] {
        let params = format!(
            "NumberOfTableDimensions \"3\"\nTable \"{table}\"\nBreakpointsForDimension1 \"[0 1]\"\n\
             BreakpointsForDimension2 \"[0 1]\"\nBreakpointsForDimension3 \"[0 1 2]\""
        );
        let root = block("Constant", "a", "Value \"0.5\"")
            + &block("Constant", "b", "Value \"0.25\"")
            + &block("Constant", "c", "Value \"1.5\"")
            + &block("Lookup_n-D", "l", &params)
            + &out("y", 1)
            + &line("a", "l", 1)
            + &line("b", "l", 2)
            + &line("c", "l", 3)
            + &line("l", "y", 1);
        check(&model("ode4", 0.1, 1.0, &root), "y", 1e-12, |_| 0.5 + 2.5 + 150.0);
    }
}

#[test]
fn a_check_with_bounds_at_its_inputs_takes_the_upper_one_first() {
    let of = |low: &str| {
        block("Constant", "high", "Value \"3\"")
            + &block("Constant", "low", &format!("Value \"{low}\""))
            + &block("Constant", "u", "Value \"2\"")
            + &block(
                "Reference",
                "check",
                "SourceBlock \"simulink/Model Verification/Check Dynamic Range\"\nexport \"on\"",
            )
            + &out("y", 1)
            + &line("high", "check", 1)
            + &line("low", "check", 2)
            + &line("u", "check", 3)
            + &line("check", "y", 1)
    };
    check(&model("ode4", 0.1, 1.0, &of("1").replace("export", "enabled \"off\"\nexport")), "y", 0.0, |_| 1.0);
    check(&model("ode4", 0.1, 1.0, &of("2.5").replace("export", "enabled \"off\"\nexport")), "y", 0.0, |_| 0.0);
}

#[test]
fn bits_of_a_number_are_taken_set_and_cleared() {
    let of = |name: &str, params: &str| {
        let source = format!("SourceBlock \"simulink/Logic and Bit Operations/{name}\"\n{params}");
        chain(&[("Constant", "c", "Value \"217\""), ("Reference", "b", &source)])
    };
    // 217 = 1101 1001 in binary.
    let range = "bitsToExtract \"Range of bits\"\nbitIdxRange \"[3 6]\"";
    let whole = format!("{range}\noutScalingMode \"Treat bit field as an integer\"");
    check(&model("ode4", 0.1, 1.0, &of("Extract Bits", &whole)), "y", 0.0, |_| 11.0);
    check(&model("ode4", 0.1, 1.0, &of("Extract Bits", range)), "y", 0.0, |_| 88.0);
    check(&model("ode4", 0.1, 1.0, &of("Bit Set", "iBit \"1\"")), "y", 0.0, |_| 219.0);
    check(&model("ode4", 0.1, 1.0, &of("Bit Clear", "iBit \"3\"")), "y", 0.0, |_| 209.0);
}

#[test]
fn a_variant_source_follows_the_variable_of_its_conditions() {
    let root = block("Constant", "a", "Value \"10\"")
        + &block("Constant", "b", "Value \"20\"")
        + &block("VariantSource", "v", "Ports [2, 1]\nVariantControls \"{'MODE == 1','MODE == 2'}\"")
        + &out("y", 1)
        + &line("a", "v", 1)
        + &line("b", "v", 2)
        + &line("v", "y", 1);
    let text = model("ode4", 0.1, 1.0, &root);
    for (value, wanted) in [("1", 10.0), ("2", 20.0)] {
        let options = simulate::import::ImportOptions { set: vec![format!("MODE={value}")], ..Default::default() };
        let imported = super::imported_with(&text, &options);
        assert_eq!(run(&imported, &["y"]).last("y").expect("y"), [wanted]);
    }
}
