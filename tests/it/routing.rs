//! The encoder that comes with the program, and how well routing does with it.

use std::path::{Path, PathBuf};
use std::process::Command;

use octomind::config::Env;
use octomind::embed::model::{Model, ModelError};
use octomind::embed::onnx::OnnxEncoder;
use octomind::embed::{Encoder, Vector, backend, similarity};
use serde_json::Value;

/// What the registry's transformed phrases must reach. The one place for these numbers: two points
/// under what was measured for the model that is committed.
const FLOORS: &str = "top1=0.95,right=0.90,wrong=0.025,null=0.02";

/// One row in so many is measured, so that a debug build does it in seconds. The order of the file is
/// by label, so every label keeps rows.
const EVERY: usize = 3;

/// Cosine that a vector must have with the one that the training wrote down. Dynamic quantisation
/// rounds differently in another runtime, which moves a vector further than reading it wrongly would
/// not: that moves it by tenths.
const PARITY_SAME_RUNTIME: f32 = 0.999;
const PARITY_OTHER_RUNTIME: f32 = 0.99;

fn manifest() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// `None` in a build without a model: there is then nothing to measure.
fn embedded() -> Option<Model> {
    match Model::embedded() {
        Ok(model) => Some(model),
        Err(ModelError::NotInBuild) => {
            println!("skipped: this build has no model");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

fn shared() -> PathBuf {
    std::env::var_os("OCTOMIND_SHARED").map_or_else(|| manifest().join("../shared"), PathBuf::from)
}

#[test]
fn vectors_are_those_that_the_training_wrote_down() {
    let Some(model) = embedded() else { return };
    let file = manifest().join("assets/encoder/parity.json");
    let text = std::fs::read_to_string(&file).unwrap_or_else(|error| {
        panic!("{}: {error}; it is committed together with the model", file.display());
    });
    let rows: Vec<Value> = serde_json::from_str(&text).unwrap();
    assert!(rows.len() >= 20, "{} rows are too few", rows.len());
    let backend = backend::choose(&Env::from_process());
    let least = match backend.kind {
        backend::Kind::OnnxRuntime => PARITY_SAME_RUNTIME,
        backend::Kind::Tract => PARITY_OTHER_RUNTIME,
    };
    let encoder = OnnxEncoder::load(model, backend).unwrap();
    let mut faults = Vec::new();
    let mut lowest = f32::MAX;
    for row in &rows {
        let text = row["text"].as_str().unwrap();
        let numbers: Vec<f32> = row["vector"].as_array().unwrap().iter().map(|n| n.as_f64().unwrap() as f32).collect();
        assert_eq!(numbers.len(), encoder.identity().dimensions, "`{text}`");
        let cosine = similarity(&encoder.encode(text).unwrap(), &Vector::new(numbers).unwrap());
        lowest = lowest.min(cosine);
        if cosine < least {
            faults.push(format!("{cosine:.4} {text}"));
        }
    }
    println!("lowest cosine on {}: {lowest:.5}", backend.name);
    assert!(faults.is_empty(), "below {least} on {}:\n{}", backend.name, faults.join("\n"));
}

#[test]
fn routing_reaches_its_floors() {
    let (rows, tap) = (shared().join("data/routing/dev.jsonl"), shared().join("data/tap"));
    if embedded().is_none() {
        return;
    }
    let Ok(text) = std::fs::read_to_string(&rows) else {
        println!("skipped: {} is not there", rows.display());
        return;
    };
    let home = tempfile::tempdir().unwrap();
    let sample: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).step_by(EVERY).collect();
    let file = home.path().join("sample.jsonl");
    std::fs::write(&file, sample.join("\n")).unwrap();
    let answer = Command::new(env!("CARGO_BIN_EXE_octomind"))
        .args(["routing", "eval", "--json", "--model", "embedded", "--floor", FLOORS])
        .arg(&file)
        .arg("--tap")
        .arg(&tap)
        .env("HOME", home.path())
        .env("OCTOMIND_DATA_DIR", home.path().join("data"))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&answer.stderr);
    let value: Value = serde_json::from_slice(&answer.stdout).unwrap_or_else(|error| panic!("{error}: {said}"));
    println!("{} on {}", value["report"]["rates"], value["encoder"]["backend"]);
    assert_eq!(value["unknown_labels"], Value::Array(Vec::new()), "{said}");
    assert_eq!(value["bad_rows"], Value::Array(Vec::new()), "{said}");
    assert_eq!(value["report"]["counts"]["rows"], sample.len());
    assert!(answer.status.success(), "floors {FLOORS}: {}\n{}", value["floors_missed"], value["report"]["counts"]);
}

/// Otherwise every first start would embed hundreds of phrases. `assets/encoder/train/README.md` tells
/// how the file is made.
#[test]
fn the_starter_taps_vectors_come_with_the_program() {
    if embedded().is_none() || backend::choose(&Env::from_process()).kind != backend::Kind::Tract {
        return;
    }
    let home = tempfile::tempdir().unwrap();
    let data = home.path().join("data");
    let answer = Command::new(env!("CARGO_BIN_EXE_octomind"))
        .args(["what-if", "search contract.pdf for the termination clause", "developer:general"])
        .env("HOME", home.path())
        .env("OCTOMIND_DATA_DIR", &data)
        .output()
        .unwrap();
    assert!(answer.status.success(), "{}", String::from_utf8_lossy(&answer.stderr));
    let said = String::from_utf8_lossy(&answer.stdout);
    assert!(said.contains("pdf passed the gate"), "{said}");
    let files = std::fs::read_dir(data.join("cache/vectors")).into_iter().flatten().flatten();
    let sizes: Vec<u64> = files.map(|file| file.metadata().unwrap().len()).collect();
    assert_eq!(sizes.iter().sum::<u64>(), 0, "phrases had to be embedded: {sizes:?} bytes");
}

#[test]
fn the_doctor_answers_for_a_fresh_home() {
    let home = tempfile::tempdir().unwrap();
    let doctor = |words: &[&str]| {
        Command::new(env!("CARGO_BIN_EXE_octomind"))
            .arg("doctor")
            .args(words)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", home.path())
            .env("OPENAI_API_KEY", "sk-never-to-be-shown")
            .current_dir(home.path())
            .output()
            .unwrap()
    };
    let answer = doctor(&["--json"]);
    let value: Value = serde_json::from_slice(&answer.stdout).unwrap();
    let checks = value["checks"].as_array().unwrap();
    let state = |name: &str| {
        let check = checks.iter().find(|check| check["name"] == name).unwrap_or_else(|| panic!("no {name}: {value}"));
        check["state"].as_str().unwrap()
    };
    for name in ["configuration", "data", "secrets", "sessions", "locks", "model", "terminal", "sandbox", "version"] {
        assert_eq!(state(name), "ok", "{name}: {value}");
    }
    for name in ["space", "tap", "encoder", "git", "servers"] {
        state(name);
    }
    assert_eq!(value["version"], 1);
    for check in checks {
        let fields: Vec<&String> = check.as_object().unwrap().keys().collect();
        assert_eq!(fields.len(), 4, "{check}");
        assert!(check["name"].is_string() && check["what"].as_str().is_some_and(|what| !what.is_empty()), "{check}");
        // Every problem comes with what to do.
        let advice = check["advice"].as_str().is_some_and(|advice| !advice.is_empty());
        match check["state"].as_str() {
            Some("ok") => assert!(check["advice"].is_null(), "{check}"),
            Some("warning" | "error") => assert!(advice, "{check}"),
            other => panic!("{other:?}: {check}"),
        }
    }
    let ok = checks.iter().all(|check| check["state"] != "error");
    assert_eq!((value["ok"].as_bool(), answer.status.code()), (Some(ok), Some(i32::from(!ok))));
    let lines = doctor(&[]);
    let text = String::from_utf8(lines.stdout).unwrap();
    assert!(text.contains("✔ configuration") && !text.contains('\x1b'), "{text}");
    assert!(!text.contains("never-to-be-shown"), "{text}");
}
