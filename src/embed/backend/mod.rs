//! What runs the model: tract, which comes along, or an ONNX Runtime that is found on the machine.
//!
//! Owns: finding and loading the library, the choice. Does not own: the model.
//!
//! Invariant: the choice is made once for a process, before anything else of `ort` is used, and a
//! library that was passed over is named with the reason.

mod find;

use std::path::PathBuf;
use std::sync::OnceLock;

use super::raw;
use crate::config::Env;

pub use find::libraries;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Tract,
    OnnxRuntime,
}

/// What was chosen, and why not something else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Backend {
    pub kind: Kind,
    /// `tract`, `ONNX Runtime 1.25.0`.
    pub name: String,
    pub library: Option<PathBuf>,
    /// Libraries that were found and not used, with the reason.
    pub passed_over: Vec<String>,
}

/// The process's backend; the first call decides. Looks into folders and may load a library, so it is
/// called where waiting is allowed.
pub fn choose(env: &Env) -> &'static Backend {
    static CHOSEN: OnceLock<Backend> = OnceLock::new();
    CHOSEN.get_or_init(|| {
        let mut passed_over = Vec::new();
        for library in libraries(env) {
            match raw::load_runtime(&library) {
                Ok((api, version)) => {
                    if !ort::set_api(api) {
                        passed_over.push(format!("{}: another backend is in use already", library.display()));
                        break;
                    }
                    let name = format!("ONNX Runtime {version}");
                    return Backend { kind: Kind::OnnxRuntime, name, library: Some(library), passed_over };
                }
                Err(reason) => passed_over.push(format!("{}: {reason}", library.display())),
            }
        }
        // False only when the table is set already, and then it is this one: nobody else sets it.
        ort::set_api(ort_tract::api());
        Backend { kind: Kind::Tract, name: "tract".to_owned(), library: None, passed_over }
    })
}
