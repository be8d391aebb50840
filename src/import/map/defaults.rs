//! The values that parameters have unless the file sets them: those of the program.

use std::collections::BTreeMap;

use super::super::source::{Block as Foreign, Params};

/// Rows of block type, parameter and value. A parameter that is not here is empty, `off` or its first choice.
const ROWS: &[(&str, &[(&str, &str)])] = &[
    ("Abs", &[]),
    (
        "Assignment",
        &[
            ("NumberOfDimensions", "1"),
            ("IndexMode", "One-based"),
            ("IndexOptions", "Index vector (dialog)"),
            ("Indices", "1"),
        ],
    ),
    ("Backlash", &[("BacklashWidth", "1"), ("InitialOutput", "0")]),
    ("Bias", &[("Bias", "0")]),
    ("BusCreator", &[("Inputs", "2")]),
    ("CombinatorialLogic", &[("TruthTable", "[0 0;0 1;0 1;1 0;0 1;1 0;1 0;1 1]")]),
    ("Concatenate", &[("NumInputs", "2"), ("Mode", "Vector"), ("ConcatenateDimension", "1")]),
    ("Constant", &[("Value", "1"), ("SampleTime", "inf")]),
    ("DataStoreMemory", &[("DataStoreName", "A"), ("InitialValue", "0")]),
    ("DataStoreRead", &[("DataStoreName", "A"), ("SampleTime", "0")]),
    ("DataStoreWrite", &[("DataStoreName", "A"), ("SampleTime", "-1")]),
    ("DataTypeConversion", &[("OutDataTypeStr", "Inherit: Inherit via back propagation"), ("RndMeth", "Floor")]),
    ("DeadZone", &[("LowerValue", "-0.5"), ("UpperValue", "0.5")]),
    (
        "Delay",
        &[
            ("DelayLength", "2"),
            ("DelayLengthSource", "Dialog"),
            ("InitialCondition", "0.0"),
            ("InitialConditionSource", "Dialog"),
            ("ExternalReset", "None"),
            ("SampleTime", "-1"),
        ],
    ),
    ("Demux", &[("Outputs", "2")]),
    ("Derivative", &[("CoefficientInTFapproximation", "inf"), ("LinearizePole", "inf")]),
    ("DigitalClock", &[("SampleTime", "1")]),
    (
        "DiscreteFilter",
        &[("Numerator", "[1]"), ("Denominator", "[1 0.5]"), ("InitialStates", "0"), ("SampleTime", "-1")],
    ),
    ("DiscreteFir", &[("Coefficients", "[0.5 0.5]"), ("InitialStates", "0"), ("SampleTime", "-1")]),
    (
        "DiscreteIntegrator",
        &[
            ("IntegratorMethod", "Integration: Forward Euler"),
            ("gainval", "1.0"),
            ("InitialCondition", "0"),
            ("InitialConditionSource", "internal"),
            ("InitialConditionSetting", "State (most efficient)"),
            ("ExternalReset", "none"),
            ("LimitOutput", "off"),
            ("UpperSaturationLimit", "inf"),
            ("LowerSaturationLimit", "-inf"),
            ("SampleTime", "-1"),
        ],
    ),
    (
        "DiscretePulseGenerator",
        &[
            ("PulseType", "Time based"),
            ("Amplitude", "1"),
            ("Period", "10"),
            ("PulseWidth", "5"),
            ("PhaseDelay", "0"),
            ("SampleTime", "1"),
            ("TimeSource", "Use simulation time"),
        ],
    ),
    (
        "DiscreteStateSpace",
        &[("A", "1"), ("B", "1"), ("C", "1"), ("D", "1"), ("InitialCondition", "0"), ("SampleTime", "-1")],
    ),
    (
        "DiscreteTransferFcn",
        &[("Numerator", "[1]"), ("Denominator", "[1 0.5]"), ("InitialStates", "0"), ("SampleTime", "-1")],
    ),
    ("DiscreteZeroPole", &[("Zeros", "[1]"), ("Poles", "[0 0.5]"), ("Gain", "1"), ("SampleTime", "-1")]),
    ("EnablePort", &[("StatesWhenEnabling", "held")]),
    ("Fcn", &[("Expr", "sin(u(1)*exp(2.3*(-u(2))))")]),
    (
        "ForIterator",
        &[
            ("IterationLimit", "5"),
            ("IterationSource", "internal"),
            ("IndexMode", "One-based"),
            ("ResetStates", "held"),
        ],
    ),
    ("From", &[("GotoTag", "A")]),
    (
        "FromWorkspace",
        &[
            ("VariableName", "simin"),
            ("Interpolate", "on"),
            ("OutputAfterFinalValue", "Extrapolation"),
            ("SampleTime", "0"),
        ],
    ),
    ("Gain", &[("Gain", "1"), ("Multiplication", "Element-wise(K.*u)")]),
    ("Goto", &[("GotoTag", "A"), ("TagVisibility", "local")]),
    ("HitCross", &[("HitCrossingOffset", "0"), ("HitCrossingDirection", "either")]),
    ("If", &[("NumInputs", "1"), ("IfExpression", "u1 > 0"), ("ElseIfExpressions", ""), ("ShowElse", "on")]),
    ("InitialCondition", &[("Value", "1")]),
    (
        "Integrator",
        &[
            ("ExternalReset", "none"),
            ("InitialConditionSource", "internal"),
            ("InitialCondition", "0"),
            ("LimitOutput", "off"),
            ("UpperSaturationLimit", "inf"),
            ("LowerSaturationLimit", "-inf"),
        ],
    ),
    (
        "Interpolation_n-D",
        &[("Table", "sqrt([1:11]'*[1:11])"), ("NumberOfTableDimensions", "2"), ("InterpMethod", "Linear point-slope")],
    ),
    ("Logic", &[("Operator", "AND"), ("Inputs", "2")]),
    (
        "Lookup",
        &[
            ("InputValues", "[-5:5]"),
            ("OutputValues", "tanh([-5:5])"),
            ("Table", "tanh([-5:5])"),
            ("LookUpMeth", "Interpolation-Extrapolation"),
        ],
    ),
    (
        "Lookup2D",
        &[
            ("RowIndex", "[1:3]"),
            ("ColumnIndex", "[1:3]"),
            ("Table", "[4 5 6;16 19 20;10 18 23]"),
            ("LookUpMeth", "Interpolation-Extrapolation"),
        ],
    ),
    (
        "Lookup_n-D",
        &[
            ("NumberOfTableDimensions", "1"),
            ("Table", "tanh([-5:5])"),
            ("BreakpointsForDimension1", "[-5:5]"),
            ("BreakpointsForDimension2", "[1:3]"),
            ("BreakpointsForDimension3", "[5 7]"),
            ("InterpMethod", "Linear point-slope"),
            ("ExtrapMethod", "Linear"),
            ("DataSpecification", "Table and breakpoints"),
            ("BreakpointsSpecification", "Explicit values"),
            ("BreakpointsForDimension1FirstPoint", "1"),
            ("BreakpointsForDimension1Spacing", "1"),
            ("BreakpointsForDimension2FirstPoint", "1"),
            ("BreakpointsForDimension2Spacing", "1"),
        ],
    ),
    (
        "LookupNDDirect",
        &[
            ("NumberOfTableDimensions", "2"),
            ("Table", "[4 5 6;16 19 20;10 18 23]"),
            ("InputsSelectThisObjectFromTable", "Element"),
        ],
    ),
    ("ManualSwitch", &[("sw", "1")]),
    ("Math", &[("Operator", "exp")]),
    ("Memory", &[("InitialCondition", "0")]),
    ("Merge", &[("Inputs", "2"), ("InitialOutput", "[]")]),
    ("MinMax", &[("Function", "min"), ("Inputs", "1")]),
    ("MultiPortSwitch", &[("Inputs", "3"), ("DataPortOrder", "One-based contiguous")]),
    ("Mux", &[("Inputs", "4")]),
    ("PreLookup", &[("BreakpointsData", "[10:10:110]"), ("ExtrapMethod", "Clip")]),
    ("Product", &[("Inputs", "2"), ("Multiplication", "Element-wise(.*)")]),
    ("Quantizer", &[("QuantizationInterval", "0.5")]),
    ("RandomNumber", &[("Mean", "0"), ("Variance", "1"), ("Seed", "0"), ("SampleTime", "0")]),
    ("RateLimiter", &[("RisingSlewLimit", "1"), ("FallingSlewLimit", "-1"), ("InitialCondition", "0")]),
    ("RateTransition", &[("OutPortSampleTime", "-1"), ("InitialCondition", "0"), ("X0", "0")]),
    ("RelationalOperator", &[("Operator", "<=")]),
    ("Relay", &[("OnSwitchValue", "eps"), ("OffSwitchValue", "eps"), ("OnOutputValue", "1"), ("OffOutputValue", "0")]),
    ("Rounding", &[("Operator", "floor")]),
    ("Saturate", &[("UpperLimit", "0.5"), ("LowerLimit", "-0.5")]),
    ("Scope", &[("NumInputPorts", "1")]),
    (
        "Selector",
        &[
            ("NumberOfDimensions", "1"),
            ("IndexMode", "One-based"),
            ("IndexOptions", "Index vector (dialog)"),
            ("Indices", "[1 3]"),
            ("Elements", "[1 3]"),
            ("OutputSizes", "1"),
        ],
    ),
    ("SignalGenerator", &[("WaveForm", "sine"), ("Amplitude", "1"), ("Frequency", "1"), ("Units", "Hertz")]),
    (
        "Sin",
        &[
            ("SineType", "Time based"),
            ("Amplitude", "1"),
            ("Bias", "0"),
            ("Frequency", "1"),
            ("Phase", "0"),
            ("Samples", "10"),
            ("Offset", "0"),
            ("SampleTime", "0"),
            ("TimeSource", "Use simulation time"),
        ],
    ),
    ("Sqrt", &[("Operator", "sqrt")]),
    ("StateSpace", &[("A", "1"), ("B", "1"), ("C", "1"), ("D", "1"), ("InitialCondition", "0"), ("X0", "0")]),
    ("Step", &[("Time", "1"), ("Before", "0"), ("After", "1"), ("SampleTime", "0")]),
    ("SubSystem", &[("Permissions", "ReadWrite")]),
    ("Sum", &[("Inputs", "++"), ("IconShape", "rectangular")]),
    ("Switch", &[("Criteria", "u2 >= Threshold"), ("Threshold", "0")]),
    ("SwitchCase", &[("CaseConditions", "{1}"), ("ShowDefaultCase", "on")]),
    ("ToFile", &[("Filename", "untitled.mat"), ("Decimation", "1")]),
    ("ToWorkspace", &[("VariableName", "simout"), ("Decimation", "1")]),
    ("TransferFcn", &[("Numerator", "[1]"), ("Denominator", "[1 1]")]),
    ("TransportDelay", &[("DelayTime", "1"), ("InitialOutput", "0"), ("InitialInput", "0")]),
    ("TriggerPort", &[("TriggerType", "rising"), ("StatesWhenEnabling", "inherit")]),
    ("Trigonometry", &[("Operator", "sin")]),
    ("UniformRandomNumber", &[("Minimum", "-1"), ("Maximum", "1"), ("Seed", "0"), ("SampleTime", "0")]),
    ("UnitDelay", &[("InitialCondition", "0"), ("X0", "0"), ("SampleTime", "-1")]),
    (
        "VariableTransportDelay",
        &[("MaximumDelay", "10"), ("InitialOutput", "0"), ("VariableDelayType", "Variable transport delay")],
    ),
    ("WhileIterator", &[("MaxIters", "5"), ("WhileBlockType", "while"), ("ResetStates", "held")]),
    ("ZeroOrderHold", &[("SampleTime", "1")]),
    ("ZeroPole", &[("Zeros", "[1]"), ("Poles", "[0 -1]"), ("Gain", "[1]")]),
    // Blocks of the program's libraries, by name.
    ("Band-Limited White Noise", &[("Cov", "[0.1]"), ("Ts", "0.1"), ("seed", "[23341]")]),
    ("Chirp Signal", &[("f1", "0.1"), ("T", "100"), ("f2", "1")]),
    ("Counter Free-Running", &[("NumBits", "16"), ("tsamp", "-1")]),
    ("Counter Limited", &[("uplimit", "7"), ("tsamp", "-1")]),
    (
        "LookupNDInterp",
        &[("NumberOfTableDimensions", "1"), ("Table", "tanh([-5:5])"), ("BreakpointsForDimension1", "[-5:5]")],
    ),
    ("PermuteDimensions", &[("Order", "[2,1]")]),
    (
        "Polyval",
        &[(
            "Coefs",
            "[+2.081618890e-019, -1.441693666e-014, +4.719686976e-010, -8.536869453e-006, +1.621573104e-001, -8.087801117e+001]",
        )],
    ),
    ("PreLookupIndexSearch", &[("bpData", "[10:10:110]")]),
    (
        "Pulse Generator",
        &[("PulseType", "Time based"), ("Amplitude", "1"), ("Period", "10"), ("PulseWidth", "5"), ("PhaseDelay", "0")],
    ),
    ("Repeating Sequence", &[("rep_seq_t", "[0 2]"), ("rep_seq_y", "[0 2]")]),
    ("Repeating Sequence Stair", &[("OutValues", "[3 1 4 2 1]"), ("tsamp", "-1")]),
    ("VariableTimeDelay", &[("MaximumDelay", "10"), ("InitialOutput", "0")]),
    ("Wrap To Zero", &[("Threshold", "255")]),
];

/// Returns the program's own value of a parameter.
fn factory(kind: &str, name: &str) -> Option<&'static str> {
    let (_, values) = ROWS.iter().find(|(known, _)| *known == kind)?;
    values.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
}

/// Returns the text of a parameter: of the block, of the defaults of its file, or of the program.
pub fn parameter<'a>(block: &'a Foreign, defaults: &'a BTreeMap<String, Params>, name: &str) -> Option<&'a str> {
    let file = || defaults.get(&block.kind).and_then(|of| of.get(name));
    // The name of the block that a link leads to.
    let linked = || factory(block.params.get("SourceBlock")?.rsplit('/').next()?.trim(), name);
    block.params.get(name).or_else(file).or_else(|| factory(&block.kind, name)).or_else(linked)
}
