//! Frames and messages between a program and its worker, whole, changed and random.

use proptest::prelude::*;
use simulate::format::fmu::{FmiVersion, FmuType, Simulated};
use simulate::worker::{
    Answer, Frame, FrameError, Load, MAX_FRAME, Request, Service, ServiceError, Slot, VERSION, serve,
};

use crate::random_cases;

/// Answers steps with twice the values.
struct Twice;

impl Service for Twice {
    fn answer(&mut self, request: Request) -> Result<Vec<f64>, ServiceError> {
        match request {
            Request::Step(values) => Ok(values.iter().map(|value| 2.0 * value).collect()),
            _ => Err(ServiceError::new("only steps")),
        }
    }
}

fn load() -> Request {
    let slot = Slot { reference: 7, kind: FmuType::Int64, width: 3, is_continuous: false };
    Request::Load(Box::new(Load {
        version: FmiVersion::Three,
        simulated: Simulated::CoSimulation,
        library: "/a/ü.so".to_owned(),
        resources: String::new(),
        name: "a".to_owned(),
        token: "{}".to_owned(),
        parameters: vec![slot],
        inputs: vec![slot, slot],
        outputs: Vec::new(),
        texts: vec![(4, "text".to_owned())],
        states: 2,
        indicators: 0,
        can_save: true,
    }))
}

fn requests() -> Vec<Request> {
    let values = vec![0.0, -0.0, 1.5, f64::INFINITY, 5e-324];
    vec![
        load(),
        Request::Start(values.clone()),
        Request::Step(values.clone()),
        Request::StepAfter(Vec::new()),
        Request::Evaluate(values.clone()),
        Request::Decide(values),
        Request::Save,
        Request::Restore(u32::MAX),
        Request::Forget(0),
        Request::Close,
    ]
}

/// Serves these bytes and returns the answers.
fn served(mut input: &[u8]) -> (Result<(), FrameError>, Vec<Answer>) {
    let mut output = Vec::new();
    let result = serve(&mut input, &mut output, &mut Twice);
    let (mut rest, mut frame, mut answers) = (output.as_slice(), Frame::default(), Vec::new());
    while frame.read(&mut rest, MAX_FRAME).expect("what is written is read") {
        answers.push(Answer::of_frame(&frame).expect("an answer"));
    }
    (result, answers)
}

fn bytes(requests: &[Request]) -> Vec<u8> {
    requests.iter().flat_map(|request| request.to_frame().to_bytes().expect("it is short")).collect()
}

#[test]
fn requests_and_answers_are_read_as_they_were_written() {
    for request in requests() {
        assert_eq!(Request::of_frame(&request.to_frame()).expect("a request"), request);
    }
    for answer in [Answer::Hello(VERSION), Answer::Values(vec![1.0, -0.0]), Answer::Failed("no".to_owned())] {
        assert_eq!(Answer::of_frame(&answer.to_frame()).expect("an answer"), answer);
    }
    // A text of a library is bounded, and has no control characters when it is shown.
    let text = Answer::Failed(format!("\u{1b}[2J\n{}", "ü".repeat(10_000)));
    let Answer::Failed(text) = Answer::of_frame(&text.to_frame()).expect("an answer") else { panic!("a failure") };
    assert!(text.len() <= 4096 && text.starts_with(" [2J ü"), "{}", text.len());
}

#[test]
fn a_worker_answers_each_request_and_ends_when_it_is_closed() {
    let step = Request::Step(vec![1.0, 2.5]);
    let (result, answers) = served(&bytes(&[step.clone(), Request::Save, step.clone(), Request::Close, step]));
    assert!(result.is_ok());
    let values = Answer::Values(vec![2.0, 5.0]);
    let failed = Answer::Failed("only steps".to_owned());
    assert_eq!(answers, [Answer::Hello(VERSION), values.clone(), failed, values]);
}

/// A length is refused before memory is taken for it, and a message that ends too early is no message.
#[test]
fn lengths_are_bounded() {
    let head = [u32::MAX.to_le_bytes().as_slice(), &[3]].concat();
    assert!(matches!(served(&head).0, Err(FrameError::TooLong { .. })));
    let whole = bytes(&[Request::Step(vec![1.0])]);
    for length in 1..whole.len() {
        assert!(matches!(served(&whole[..length]).0, Err(FrameError::Cut)), "{length} bytes");
    }
    let frame = Frame { kind: 3, content: vec![0; MAX_FRAME + 1] };
    assert!(matches!(frame.to_bytes(), Err(FrameError::TooLong { .. })));
}

proptest! {
    #![proptest_config(random_cases(500))]

    /// A worker survives any bytes: it answers what is a request, and ends.
    #[test]
    fn random_bytes_end_a_worker_or_are_answered(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let (_, answers) = served(&bytes);
        prop_assert_eq!(&answers[0], &Answer::Hello(VERSION));
    }

    /// A byte of a conversation is changed.
    #[test]
    fn changed_bytes_end_a_worker_or_are_answered(at in 0..10_000_usize, byte in any::<u8>()) {
        let mut all = bytes(&requests());
        let at = at % all.len();
        all[at] = byte;
        let (_, answers) = served(&all);
        prop_assert!(!answers.is_empty());
        // The reader of answers survives too.
        let frame = Frame { kind: 127 + at as u8 % 5, content: all };
        let _ = Answer::of_frame(&frame);
    }
}
