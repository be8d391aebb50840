//! Everything that outlives a frame: files, settings, runs, and everything that is computed on other threads.
//!
//! | module | contents |
//! |---|---|
//! | `files` | simulations as files; the stamp by which a change by another program is seen |
//! | `recovery`, `unsaved_work` | copies of unsaved work; the work for those who keep it without the window |
//! | `settings`, `speed` | the settings of the program |
//! | [`pools`], `pool_watch` | the pools of computers that the user has set up; the observed state of one |
//! | `libraries`, `examples`, `manual`, `licences` | the user's own blocks; the examples, the manual and the licences that come with the program |
//! | [`run`], [`runs`], [`run_file`], `spill_file` | the current run; all runs, in memory and in files |
//! | `report_run`, [`example_results`] | a run from start to end without the window's controls; the results of the examples for the welcome page |
//! | [`figures`], [`lab`] | results computed from samples and steps |
//! | `comparison`, `both_runs` | the comparison of the document with another state, and of their runs |
//! | `document_check`, `document_search`, `engines` | checks of the document, search and advice, and the engines that can run it |
//! | `background`, `jobs`, `latest` | work on other threads: with a result, as jobs of the window, and work that delivers only its latest result |
//! | `log`, `report` | the log of the program, and the report that a user sends with a question |
//! | [`driving`] | lets other programs drive the window |
//! | [`instance`] | hands a file over to the window that is already open |

pub(crate) mod background;
pub(crate) mod both_runs;
pub(crate) mod comparison;
pub(crate) mod document_check;
pub(crate) mod document_search;
pub mod driving;
pub(crate) mod engines;
pub mod example_results;
pub mod examples;
pub mod figures;
pub(crate) mod files;
pub mod instance;
pub(crate) mod jobs;
pub mod lab;
pub(crate) mod latest;
pub(crate) mod libraries;
pub(crate) mod licences;
pub(crate) mod log;
pub(crate) mod manual;
#[cfg(feature = "pool")]
pub(crate) mod pool_watch;
pub mod pools;
pub mod preferences;
pub(crate) mod recovery;
pub(crate) mod report;
pub(crate) mod report_run;
pub mod run;
pub mod run_file;
pub mod runs;
pub mod settings;
pub mod speed;
pub mod spill_file;
pub(crate) mod unsaved_work;
