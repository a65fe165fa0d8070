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
    // 384, and the component that is the same in every vector.
    assert_eq!(encoder.identity().dimensions, 385);
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

fn fails(folder: &Path) -> String {
    in_folder(folder).err().map(|error| error.to_string()).unwrap_or_default()
}

/// A folder with the tiny model, changed.
fn changed(change: impl FnOnce(&Path)) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    write_tiny(folder.path());
    change(folder.path());
    folder
}

fn with_graph(graph: &[u8]) -> tempfile::TempDir {
    changed(|folder| std::fs::write(folder.join("onnx/model.onnx"), graph).unwrap())
}

/// The tiny graph with these bytes in another's place, wherever they are.
fn patched(from: &[u8], to: &[u8]) -> Vec<u8> {
    let mut graph = TINY_GRAPH.to_vec();
    let places: Vec<usize> = (0..graph.len() - from.len()).filter(|place| graph[*place..].starts_with(from)).collect();
    assert!(!places.is_empty() && from.len() == to.len());
    for place in places {
        graph[place..place + to.len()].copy_from_slice(to);
    }
    graph
}

#[test]
fn a_graph_that_is_no_sentence_model_is_named_as_such() {
    let one = 1.0_f32.to_le_bytes();
    let class = [one, one, 0.0_f32.to_le_bytes()].concat();
    let not_a_number = [f32::NAN.to_le_bytes(), one, one].concat();
    let zero = [0.0_f32.to_le_bytes(); 3].concat();
    let cases: [(&str, Vec<u8>, &str); 5] = [
        ("input", patched(b"input_ids", b"input_idx"), "an input `input_idx` that is not known"),
        ("numbers", patched(&class, &not_a_number), "not finite"),
        ("shape", include_bytes!("tests/flat.onnx").to_vec(), "has the shape"),
        ("half", TINY_GRAPH[..TINY_GRAPH.len() / 2].to_vec(), "cannot use the model"),
        ("empty", Vec::new(), "cannot use the model"),
    ];
    for (case, graph, expected) in cases {
        let folder = with_graph(&graph);
        let error = fails(folder.path());
        assert!(error.contains(expected) && error.contains("tract"), "{case}: {error:?} does not say {expected:?}");
    }
    // All of a text's tokens without a direction: only that text has no vector.
    let encoder = in_folder(with_graph(&patched(&class, &zero)).path()).unwrap();
    assert!(encoder.encode("north").is_ok());
    assert!(encoder.encode("").unwrap_err().to_string().contains("no direction"));
}

#[test]
fn vectors_of_another_length_are_refused() {
    let folder = with_graph(include_bytes!("tests/uneven.onnx"));
    let encoder = in_folder(folder.path()).unwrap();
    assert!(encoder.encode("a sentence").is_ok());
    let error = encoder.encode("north").unwrap_err().to_string();
    assert!(error.contains("it gives 2 numbers and not 3 as for other texts"), "{error}");
}

#[test]
fn a_file_that_is_far_too_large_is_named_and_not_read() {
    for (name, most) in [("onnx/model.onnx", "1.0 GB"), ("onnx/model.onnx_data", "1.0 GB"), ("tokenizer.json", "64 MB")]
    {
        let folder = changed(|folder| {
            let file = std::fs::OpenOptions::new().create(true).truncate(false).write(true).open(folder.join(name));
            file.unwrap().set_len(4 << 30).unwrap();
        });
        let error = fails(folder.path());
        assert!(error.contains(name) && error.contains("more than the") && error.contains(most), "{name}: {error}");
    }
}

#[cfg(unix)]
#[test]
fn a_pipe_in_a_model_s_folder_is_never_waited_for() {
    use rustix::fs::{CWD, Mode, mkfifoat};
    let names = [
        ("onnx/model.onnx", "onnx/model.onnx cannot be read: it is not an ordinary file"),
        ("onnx/model.onnx_data", "onnx/model.onnx_data cannot be read: it is not an ordinary file"),
        ("tokenizer.json", "tokenizer.json cannot be read: it is not an ordinary file"),
        // The defaults hold.
        ("sentence_bert_config.json", ""),
        ("1_Pooling/config.json", ""),
    ];
    for (name, expected) in names {
        let folder = changed(|folder| {
            let path = folder.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            drop(std::fs::remove_file(&path));
            mkfifoat(CWD, &path, Mode::RUSR | Mode::WUSR).unwrap();
        });
        let error = fails(folder.path());
        assert!(error.ends_with(expected) && error.is_empty() == expected.is_empty(), "{name}: {error:?}");
    }
}

#[test]
fn a_tokenizer_with_more_words_than_the_graph_costs_those_words_only() {
    let words: String = (5..100_000).map(|id| format!(", \"w{id}\": {id}")).collect();
    let text = String::from_utf8(TINY_TOKENIZER.to_vec()).unwrap().replace("\"up\": 4", &format!("\"up\": 4{words}"));
    let folder = changed(|folder| std::fs::write(folder.join("tokenizer.json"), text).unwrap());
    let encoder = in_folder(folder.path()).unwrap();
    let all: String = (5..2_000).map(|id| format!("w{id} ")).collect();
    for text in ["w99999", "north w77", &all] {
        let error = encoder.encode(text).unwrap_err().to_string();
        assert!(error.contains("the graph knows 5 tokens"), "{error}");
    }
    assert_near(&encoder.encode("north").unwrap(), [2.0, 1.0, 0.0]);
}
