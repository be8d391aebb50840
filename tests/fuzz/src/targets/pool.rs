//! Messages of a pool: whatever arrives is refused, or is read, written and read again as the same.

use simulate::calibration::{CalibrationParam, MeasuredCurve, MeasuredRow};
use simulate::engine::Curve;
use simulate::model::{BlockId, SignalKey};
use simulate::optimize::MinimizeOptions;
use simulate::pool::message::{
    PartHead, PoolMessage, RunRange, SweepChunk, SweepEntry, SweepPart, WorkerGreeting, WorkerRefusal,
};
use simulate::pool::{BundleHead, FitBundle, FitHead, SentExperiment, SweepBundle};

use super::{MEGABYTE, Memory};

pub const MEMORY: Memory = Memory { fixed: 8 * MEGABYTE, times: 200 };

pub fn run(data: &[u8]) {
    if let Some(chunk) = same::<SweepChunk>(data) {
        let pieces = chunk.pieces(chunk.count() / 3, chunk.count().div_ceil(5));
        let count: u64 = pieces.iter().map(SweepChunk::count).sum();
        assert_eq!(count, chunk.count() - chunk.count() / 3);
        assert!(pieces.iter().all(|piece| SweepChunk::of_bytes(&piece.to_bytes()).is_ok()));
    }
    if let Some(part) = same::<SweepPart>(data) {
        for bytes in SweepPart::curves(&part.curves).unwrap_or_default() {
            let Some(curve) = Curve::from_bytes(bytes) else { continue };
            assert_eq!(Curve::from_bytes(&curve.to_bytes()).map(|curve| curve.to_bytes()), Some(curve.to_bytes()));
        }
    }
    same::<WorkerGreeting>(data);
    same::<WorkerRefusal>(data);
    same::<SweepEntry>(data);
    same::<SweepBundle>(data);
    same::<FitBundle>(data);
}

/// Reads, writes and reads again.
pub fn same<T: PoolMessage>(data: &[u8]) -> Option<T> {
    let message = T::of_bytes(data).ok()?;
    let bytes = message.to_bytes();
    assert_eq!(T::of_bytes(&bytes).map(|message| message.to_bytes()), Ok(bytes));
    Some(message)
}

/// A good message of each kind.
pub fn seeds() -> Vec<Vec<u8>> {
    let sweep = "0123456789abcdef".to_owned();
    let model = "5".repeat(64);
    let ranges = [(0, 100), (200, 1), (300, 5)].map(|(first, count)| RunRange { first, count }).to_vec();
    let chunk = SweepChunk { sweep: sweep.clone(), model: model.clone(), ask: 3, ranges };
    let curve = Curve { run: 7, steps: vec![0, 9], values: vec![vec![1.0, f64::NAN]], failure: None };
    let failed = Curve { run: 8, failure: Some("it failed".to_owned()), ..Curve::default() };
    let mut curves = Vec::new();
    [curve, failed].iter().for_each(|curve| SweepPart::append(&mut curves, &curve.to_bytes()));
    let head = PartHead { sweep: sweep.clone(), worker: "host/1".to_owned(), micros: 12, object: None };
    let large = PartHead { object: Some(model.clone()), ..head.clone() };
    let greeting = WorkerGreeting {
        worker: "host/1".to_owned(),
        version: "1.0".to_owned(),
        library: "ab".to_owned(),
        threads: 4,
        sweeps: vec![sweep.clone()],
        runs: 1 << 40,
        is_leaving: false,
        busy: 3,
    };
    let refusal = WorkerRefusal::new(&sweep, "host/1", "the model\nis too large");
    let entry = SweepEntry {
        sweep,
        model,
        version: "1.0".to_owned(),
        library: "ab".to_owned(),
        file: "m.simx".to_owned(),
        host: "host".to_owned(),
        out: "/tmp/out.csv".to_owned(),
        runs: 1000,
        done: 3,
        begun: 1 << 31,
    };
    let head_of_bundle = BundleHead {
        name: "m.simx".to_owned(),
        skip_invalid_models: false,
        vary: vec!["a=1:2:3".to_owned()],
        draws: 1,
        seed: 0,
        set: Vec::new(),
        steps: 10,
        delta: Some(0.5),
        engine: "auto".to_owned(),
        signals: "exits".to_owned(),
        every: None,
        run_limit_ms: 1000,
        tables: std::collections::BTreeMap::new(),
        design: String::new(),
    };
    vec![
        chunk.to_bytes(),
        SweepPart { head, curves }.to_bytes(),
        SweepPart { head: large, curves: Vec::new() }.to_bytes(),
        greeting.to_bytes(),
        refusal.to_bytes(),
        entry.to_bytes(),
        SweepBundle { head: head_of_bundle, file: b"<simulation/>".to_vec() }.to_bytes(),
        fit().to_bytes(),
    ]
}

/// A fit with an experiment of one measured value.
fn fit() -> FitBundle {
    let curve = MeasuredCurve {
        name: "y".to_owned(),
        signal: SignalKey { path: vec![BlockId(2)], block: BlockId(-3), output: "Output".into() },
        element: 0,
        rows: vec![MeasuredRow { time: 0.5, value: 1.0, weight: 2.0 }],
    };
    let head = FitHead {
        name: "m.simx".to_owned(),
        skip_invalid_models: false,
        delta: None,
        engine: "auto".to_owned(),
        experiments: vec![SentExperiment::new("d.csv", &["a=1".to_owned()], &[curve])],
        params: CalibrationParam::parse("a=0.1:10:log").into_iter().collect(),
        minimize: MinimizeOptions::default(),
        starts: vec![vec![0.0], vec![f64::NAN]],
        start_limit_ms: 1000,
        tables: std::collections::BTreeMap::new(),
    };
    FitBundle { head, file: b"<simulation/>".to_vec() }
}
