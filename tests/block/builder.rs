//! What the tape builder refuses: widths that do not match, with the inputs that they come from, and what is too large.

use simulate::block::{
    BlockDef, Body, BuildContext, BuildError, Builder, Face, Kernel, Look, Ports, SampleTime, Setting, Settings,
};

const BASE: BlockDef = BlockDef {
    group: "Test",
    name: "Built",
    doc: "Is built",
    formula: "y = u",
    aliases: &[],
    look: Look { body: Body::Rect, face: Face::Text("!") },
    inputs: Ports::Fixed(&["One", "Two", "Three"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[],
    build: |b| b.output(0, b.input(0)),
    examples: &[],
};

/// The result of a block with inputs of 1, 2 and 3 elements.
fn built(build: fn(&Builder)) -> Result<Kernel, BuildError> {
    let def: &'static BlockDef = Box::leak(Box::new(BlockDef { build, ..BASE }));
    let context = BuildContext::new(0.1);
    Kernel::build(def, &Settings::defaults(def), &[1, 2, 3], context)
}

fn refused(build: fn(&Builder)) -> BuildError {
    built(build).map(drop).expect_err("it is refused")
}

fn width(left: usize, right: usize, left_input: Option<usize>, right_input: Option<usize>) -> BuildError {
    BuildError::Width { left, right, left_input, right_input }
}

#[test]
fn the_inputs_whose_widths_do_not_match_are_named() {
    let both = width(2, 3, Some(1), Some(2));
    assert_eq!(refused(|b| b.output(0, b.input(1) + b.input(2))), both);
    assert_eq!(refused(|b| b.output(0, b.input(2) * b.input(1))), width(3, 2, Some(2), Some(1)));
    // Through other operations and beside what fits.
    assert_eq!(
        refused(|b| b.output(0, (b.input(0) - b.input(1)).abs() / b.input(2).sqrt())),
        width(2, 3, Some(0), Some(2))
    );
    assert_eq!(refused(|b| b.output(0, b.input(2).lt(b.vector(&[1.0, 2.0])))), width(3, 2, Some(2), None));
    assert_eq!(refused(|b| b.output(0, b.select(b.input(0), b.input(1), b.input(2)))), both);
    assert_eq!(refused(|b| b.output(0, b.select(b.input(1), b.input(2), b.input(0)))), both);
    assert_eq!(refused(|b| b.output(0, b.select(b.input(1), b.input(0), b.input(2)))), both);
    fn common<const A: usize, const B: usize, const C: usize>(b: &Builder) {
        b.common_width(&[b.input(A), b.input(B), b.input(C)]);
        b.output(0, b.input(0));
    }
    for build in [common::<0, 1, 2>, common::<1, 0, 2>, common::<1, 2, 0>] {
        assert_eq!(refused(build), both);
    }
}

#[test]
fn the_first_mistake_is_reported() {
    let both = |b: &Builder| {
        b.refuse_width(2, 7);
        b.refuse_width(1, 9);
        b.output(0, b.input(0));
    };
    assert_eq!(refused(both), BuildError::InputWidth { input: 2, width: 7, got: 3 });
}

#[test]
fn common_widths_are_those_of_the_widest() {
    let of = |b: &Builder| {
        assert_eq!(b.common_width(&[]), 1);
        assert_eq!(b.common_width(&[b.input(0)]), 1);
        assert_eq!(b.common_width(&[b.input(0), b.input(2), b.input(0)]), 3);
        assert_eq!(b.common_width(&[b.input(1), b.input(0)]), 2);
        assert_eq!(b.widen(b.input(0), 4).width(), 4);
        assert_eq!(b.widen(b.input(1), 4).width(), 2);
        assert_eq!(b.select(b.input(0), b.input(1), 0.0).width(), 2);
        assert_eq!(b.select(b.input(2), 1.0, b.input(0)).width(), 3);
        assert_eq!(b.join(&[b.input(2), b.input(0), b.input(1)]).width(), 6);
        assert_eq!(b.state(1, b.vector(&[1.0, 2.0])).value.width(), 2);
        assert_eq!(b.state(5, b.constant(0.0)).value.width(), 5);
        b.output(0, b.input(0));
    };
    built(of).expect("all of it fits");
}

#[test]
fn a_state_takes_values_of_its_width_or_single_ones() {
    let next: fn(&Builder) = |b| {
        let x = b.state(2, b.constant(0.0));
        x.next(b.input(2));
        b.output(0, x.value);
    };
    assert_eq!(refused(next), width(3, 2, Some(2), None));
    let rate: fn(&Builder) = |b| {
        let x = b.continuous(3, b.constant(0.0));
        x.derivative(b.input(1));
        b.output(0, x.value);
    };
    assert_eq!(refused(rate), width(2, 3, Some(1), None));
    let pushed: fn(&Builder) = |b| {
        let line = b.history(1, 4, b.constant(0.0));
        line.push(b.input(1));
        b.output(0, line.past(b.constant(1.0)));
    };
    assert_eq!(refused(pushed), width(2, 1, Some(1), None));
    let initial: fn(&Builder) = |b| b.output(0, b.state(2, b.vector(&[1.0, 2.0, 3.0])).value);
    assert_eq!(refused(initial), width(2, 3, Some(0), None));
    let fits: fn(&Builder) = |b| {
        let (x, y) = (b.state(3, b.constant(0.0)), b.continuous(1, b.vector(&[4.0, 5.0])));
        x.next(b.input(0));
        x.next(b.input(2));
        y.derivative(b.input(1));
        y.jump(b.input(0), b.input(0));
        b.output(0, x.value);
    };
    assert!(built(fits).is_ok());
}

#[test]
fn single_values_are_required_where_vectors_make_no_sense() {
    let scalar: fn(&Builder) = |b| b.output(0, b.scalar_input(2));
    assert_eq!(refused(scalar), BuildError::InputWidth { input: 2, width: 1, got: 3 });
    assert!(built(|b| b.output(0, b.scalar_input(0))).is_ok());
    let count: fn(&Builder) = |b| {
        b.iterations(b.input(1));
        b.output(0, b.input(0));
    };
    assert_eq!(refused(count), BuildError::InputWidth { input: 1, width: 1, got: 2 });
}

fn too_large(build: fn(&Builder)) -> String {
    match refused(build) {
        BuildError::TooLarge(text) => text,
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_is_too_large_is_refused_with_the_limit() {
    let matrix = |fits: bool, rows: usize, columns: usize| {
        thread_local!(static SIZE: std::cell::Cell<(usize, usize)> = const { std::cell::Cell::new((0, 0)) });
        SIZE.set((rows, columns));
        let build: fn(&Builder) = |b| {
            let (rows, columns) = SIZE.get();
            b.fits(rows, columns);
            b.output(0, b.input(0));
        };
        assert_eq!(built(build).is_ok(), fits, "{rows} by {columns}");
        if !fits { too_large(build) } else { String::new() }
    };
    matrix(true, 1000, 1000);
    matrix(true, 1, 1_000_000);
    matrix(false, 1 << 40, 1 << 40);
    assert_eq!(matrix(false, 1001, 1000), "a matrix of 1,001 by 1,000; the limit is 1,000,000 elements");
    let signal: fn(&Builder) = |b| {
        let parts = [b.widen(b.input(0), 1000)].repeat(1000);
        let all = b.join(&parts);
        b.output(0, b.join(&[all, b.input(0)]));
    };
    assert_eq!(too_large(signal), "a signal of 1,000,001 elements; the limit is 1,000,000");
    assert!(built(|b| b.output(0, b.join(&[b.widen(b.input(0), 1000)].repeat(1000)))).is_ok());
}

/// 134,217,728 values are the limit, of which two delay lines of 70 million are too much: together, not alone.
#[test]
fn delay_lines_are_counted_together() {
    let lines: [fn(&Builder); 3] = [
        |b| {
            b.history(1000, 70_000, b.constant(0.0));
            b.output(0, b.input(0));
        },
        |b| {
            b.history(1000, 70_000, b.constant(0.0));
            b.history(70_000, 1000, b.constant(0.0));
            b.output(0, b.input(0));
        },
        |b| {
            b.history(1000, 140_000, b.constant(0.0));
            b.output(0, b.input(0));
        },
    ];
    assert!(built(lines[0]).is_ok());
    assert_eq!(too_large(lines[1]), "the block works on more than 1.07 GB, the limit");
    assert_eq!(too_large(lines[2]), "a delay of 140,000 steps by 1,000 elements needs 1.12 GB; the limit is 1.07 GB");
}

/// The rows of a matrix belong to the numbers that were read; others that a program sets are a vector.
#[test]
fn a_setting_from_a_program_has_no_rows() {
    use simulate::block::Registry;
    use simulate::block::language::NoNames;
    let registry = Registry::standard();
    let def = registry.get("Matrix", "Matrix Gain").expect("the block");
    let texts = |name: &str| (name == "Gain").then(|| vec!["1 2; 3 4"]);
    let (settings, errors) = Settings::read(def, texts, &NoNames);
    assert_eq!((errors, settings.rows("Gain")), (Vec::new(), Some(2)));
    let shape = |settings: Settings| simulate::block::SettingsShape(std::sync::Arc::new(settings));
    assert_ne!(shape(settings.clone()), shape(Settings::defaults(def)));
    let set = settings.with("Gain", Setting::Number(vec![1.0, 2.0, 3.0, 4.0]));
    assert_eq!(set.rows("Gain"), None);
}

/// Eleven dimensions of one breakpoint each are one too many.
#[test]
fn a_table_has_at_most_ten_dimensions() {
    use simulate::block::Registry;
    use simulate::block::language::NoNames;
    let registry = Registry::standard();
    let def = registry.iter().find(|def| def.name == "n-D Lookup Table").expect("the block");
    let refused = |count: usize| {
        let (sizes, points) = (vec!["1"; count], vec!["0"; count]);
        let texts = |name: &str| match name {
            "Sizes" => Some(sizes.clone()),
            "Breakpoints" => Some(points.clone()),
            "Table" => Some(vec!["5"]),
            _ => None,
        };
        let (settings, errors) = Settings::read(def, texts, &NoNames);
        assert_eq!(errors, []);
        let context = BuildContext::new(0.1);
        Kernel::build(def, &settings, &vec![1; count], context).err()
    };
    assert_eq!(refused(10), None);
    let problem = "11 dimensions are too many; the limit is 10".to_owned();
    assert_eq!(refused(11), Some(BuildError::Setting { param: "Breakpoints", problem }));
}

/// Breakpoints that do not increase are refused wherever they are.
#[test]
fn breakpoints_increase_or_are_twice_the_same() {
    use simulate::block::Registry;
    use simulate::block::language::NoNames;
    let registry = Registry::standard();
    let def = registry.iter().find(|def| def.name == "1-D Lookup Table").expect("the block");
    for (points, fits) in [
        (["0", "1", "2"], true),
        (["0", "0", "2"], true),
        (["0", "2", "2"], true),
        (["2", "2", "2"], false),
        (["0", "2", "1"], false),
        (["1", "0", "2"], false),
        (["0", "1", "inf"], false),
        (["-inf", "1", "2"], false),
        (["0", "nan", "2"], false),
    ] {
        let texts = |name: &str| match name {
            "Breakpoints" => Some(points.to_vec()),
            "Table" => Some(vec!["5", "6", "7"]),
            _ => None,
        };
        let (settings, _) = Settings::read(def, texts, &NoNames);
        let context = BuildContext::new(0.1);
        assert_eq!(Kernel::build(def, &settings, &[1], context).is_ok(), fits, "{points:?}");
    }
}

/// The slope of a function that has none of its own is a finite difference.
#[test]
fn functions_have_the_slopes_of_their_results() {
    use simulate::block::{CallError, HostFn, HostFunction};
    /// x·y and x³, for finite x.
    #[derive(Debug)]
    struct Product;
    impl HostFunction for Product {
        fn call(&self, args: &[f64], out: &mut [f64]) -> Result<(), CallError> {
            if !args[0].is_finite() {
                return Err(CallError::new("it is infinite"));
            }
            out.copy_from_slice(&[args[0] * args[1], args[0].powi(3)]);
            Ok(())
        }
    }
    #[derive(Debug)]
    struct Broken;
    impl HostFunction for Broken {
        fn call(&self, args: &[f64], _: &mut [f64]) -> Result<(), CallError> {
            panic!("{args:?}")
        }
    }
    let slope = |args: [f64; 2], tangents: [f64; 2]| {
        let mut out = [7.0; 2];
        HostFn(std::sync::Arc::new(Product)).slope(&args, &tangents, &mut out);
        out
    };
    for (args, tangents) in
        [([2.0, 3.0], [1.0, 0.0]), ([2.0, 3.0], [0.0, 1.0]), ([-4e5, 1e6], [2.0, -30.0]), ([0.0, 0.0], [1e-6, 1e-6])]
    {
        let ([x, y], [dx, dy]) = (args, tangents);
        let want = [dx * y + x * dy, 3.0 * x * x * dx];
        for (got, want) in slope(args, tangents).into_iter().zip(want) {
            assert!((got - want).abs() <= 1e-5 * want.abs().max(1e-6), "{args:?}, {tangents:?}: {got}, not {want}");
        }
    }
    assert_eq!(slope([2.0, 3.0], [0.0, 0.0]), [0.0, 0.0]);
    assert_eq!(slope([f64::INFINITY, 3.0], [1.0, 1.0]), [0.0, 0.0], "there is none");
    let mut out = [7.0];
    HostFn(std::sync::Arc::new(Broken)).slope(&[1.0], &[1.0], &mut out);
    assert!(out[0].is_nan());
}

/// What is wrong with a sample time is said of it first, then of its offset.
#[test]
fn sample_times_and_offsets_are_multiples_of_the_step() {
    use simulate::block::SampleTimeError::{NotAMultiple, OffsetNotAMultiple};
    let delta = 0.1;
    for (time, offset, want) in [
        (0.25, 0.0, NotAMultiple { time: 0.25, delta }),
        (0.25, 0.05, NotAMultiple { time: 0.25, delta }),
        (1e-12, 0.0, NotAMultiple { time: 1e-12, delta }),
        (1e-12, 0.05, NotAMultiple { time: 1e-12, delta }),
        (0.3, 0.05, OffsetNotAMultiple { offset: 0.05, delta }),
        (0.3, -0.1, OffsetNotAMultiple { offset: -0.1, delta }),
    ] {
        assert_eq!(SampleTime::of(time, offset, delta), Err(want), "{time}, {offset}");
    }
}
