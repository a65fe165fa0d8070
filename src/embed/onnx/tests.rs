use std::path::Path;

use super::*;
use crate::config::Env;
use crate::embed::backend;
use crate::embed::vector::similarity;

/// A graph of five words and three numbers each: [UNK] (0,0,1), [CLS] (1,1,0), north (1,0,0),
/// east (0,1,0), up (0,0,2). It gives a vector for each token.
pub const TINY_GRAPH: &[u8] = include_bytes!("tests/tiny.onnx");
/// Splits at white space, puts [CLS] before, and would pad to nine tokens if it were let.
pub const TINY_TOKENIZER: &[u8] = include_bytes!("tests/tiny.json");

pub fn write_tiny(folder: &Path) {
    std::fs::create_dir_all(folder.join("onnx")).unwrap();
    std::fs::write(folder.join("onnx/model.onnx"), TINY_GRAPH).unwrap();
    std::fs::write(folder.join("tokenizer.json"), TINY_TOKENIZER).unwrap();
}

fn load(model: Model) -> Result<OnnxEncoder, ModelError> {
    OnnxEncoder::load(model, backend::choose(&Env::default()))
}

fn in_folder(folder: &Path) -> Result<OnnxEncoder, ModelError> {
    load(Model::in_folder(folder, "mine".to_owned())?)
}

/// `None` in a build whose `assets/encoder/model.onnx` is the empty stand-in.
fn embedded() -> Option<OnnxEncoder> {
    Model::embedded().ok().map(|model| load(model).unwrap())
}

fn assert_near(found: &Vector, expected: [f32; 3]) {
    let length = expected.iter().map(|number| number * number).sum::<f32>().sqrt();
    for (found, expected) in found.as_slice().iter().zip(expected) {
        assert!((found - expected / length).abs() < 1e-5, "{found} instead of {}", expected / length);
    }
}

#[test]
fn a_model_in_the_binary_tells_sentences_apart() {
    let Some(encoder) = embedded() else {
        let why = Model::embedded().unwrap_err().to_string();
        assert!(why.contains("without a sentence model"), "{why}");
        return;
    };
    let vector = |text: &str| encoder.encode(text).unwrap();
    let near = similarity(&vector("query the postgres database"), &vector("run a query against postgres"));
    let far = similarity(&vector("query the postgres database"), &vector("thanks, that looks lovely"));
    assert!(near > 0.6 && far < 0.4, "near {near}, far {far}");
    assert_eq!(encoder.identity().name, "embedded");
    assert_eq!(encoder.identity().dimensions, 384);
}

#[test]
fn the_same_text_gives_the_same_bits_and_any_text_a_vector() {
    let Some(encoder) = embedded() else { return };
    let first = encoder.encode("send the report to the team").unwrap();
    let long = "word ".repeat(200_000);
    let cut = format!("{}é", "x".repeat(MOST_BYTES - 1));
    for text in ["", " ", "\u{0}\u{1}", "日本語のテキスト", "🦀🦀🦀", &long, &cut] {
        let vector = encoder.encode(text).unwrap();
        let length: f32 = vector.as_slice().iter().map(|number| number * number).sum();
        assert!((length - 1.0).abs() < 1e-4, "{length} for {:?}", text.chars().take(8).collect::<String>());
    }
    assert_eq!(first.as_slice(), encoder.encode("send the report to the team").unwrap().as_slice());
}

#[test]
fn a_folder_s_token_vectors_are_averaged_without_padding() {
    let folder = tempfile::tempdir().unwrap();
    write_tiny(folder.path());
    let encoder = in_folder(folder.path()).unwrap();
    assert_near(&encoder.encode("north").unwrap(), [2.0, 1.0, 0.0]);
    assert_near(&encoder.encode("north up").unwrap(), [2.0, 1.0, 2.0]);
    assert_eq!(encoder.identity().dimensions, 3);
    assert_eq!(encoder.identity().name, "mine");
    assert_eq!(encoder.identity().backend, "tract");
}

#[test]
fn the_pooling_file_may_ask_for_the_first_token() {
    let folder = tempfile::tempdir().unwrap();
    write_tiny(folder.path());
    let mean = in_folder(folder.path()).unwrap();
    std::fs::create_dir(folder.path().join("1_Pooling")).unwrap();
    let config =
        r#"{"word_embedding_dimension": 3, "pooling_mode_cls_token": true, "pooling_mode_mean_tokens": false}"#;
    std::fs::write(folder.path().join("1_Pooling/config.json"), config).unwrap();
    let first = in_folder(folder.path()).unwrap();
    assert_near(&first.encode("north up").unwrap(), [1.0, 1.0, 0.0]);
    assert_ne!(mean.identity().hash, first.identity().hash, "vectors of the two must not be mixed");
    assert_ne!(mean.identity().key(), first.identity().key());
}

#[test]
fn the_length_file_cuts_texts() {
    let folder = tempfile::tempdir().unwrap();
    write_tiny(folder.path());
    std::fs::write(folder.path().join("sentence_bert_config.json"), r#"{"max_seq_length": 8}"#).unwrap();
    let encoder = in_folder(folder.path()).unwrap();
    let eight = "north north north north north north north";
    assert_eq!(encoder.encode(eight).unwrap(), encoder.encode(&format!("{eight} up up up")).unwrap());
}

#[test]
fn what_is_wrong_with_a_folder_is_said() {
    let cases: [(&[&str], &str, &str); 4] = [
        (&["onnx/model.onnx"], "", "has no `model*.onnx`"),
        (&["tokenizer.json"], "", "tokenizer.json cannot be read"),
        (&[], "tokenizer.json", "the tokenizer cannot be used"),
        (&[], "onnx/model.onnx", "tract cannot use the model"),
    ];
    for (removed, spoilt, expected) in cases {
        let folder = tempfile::tempdir().unwrap();
        write_tiny(folder.path());
        for name in removed {
            std::fs::remove_file(folder.path().join(name)).unwrap();
        }
        if !spoilt.is_empty() {
            std::fs::write(folder.path().join(spoilt), "spoilt").unwrap();
        }
        let error = in_folder(folder.path()).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(error.contains(expected), "{error:?} does not say {expected:?}");
    }
    let nowhere = in_folder(Path::new("/no/such/folder")).err().unwrap().to_string();
    assert!(nowhere.contains("/no/such/folder cannot be read"), "{nowhere}");
}
