use super::*;

#[test]
fn a_setting_is_told_apart_by_its_form() {
    let home = Path::new("/home/me");
    let folder = tempfile::tempdir().unwrap();
    let existing = folder.path().display().to_string();
    let cases = [
        ("embedded", Choice::Embedded),
        ("", Choice::Embedded),
        (" embedded ", Choice::Embedded),
        ("muvon/octomind-embed", Choice::Hub("muvon/octomind-embed".to_owned())),
        ("BAAI/bge-small-en-v1.5", Choice::Hub("BAAI/bge-small-en-v1.5".to_owned())),
        ("~/models/mine", Choice::Folder("/home/me/models/mine".into())),
        ("/opt/model", Choice::Folder("/opt/model".into())),
        ("./model", Choice::Folder("./model".into())),
        ("../model", Choice::Folder("../model".into())),
        (existing.as_str(), Choice::Folder(folder.path().to_path_buf())),
    ];
    for (setting, expected) in cases {
        assert_eq!(Choice::read(setting, Some(home)).unwrap(), expected, "{setting:?}");
    }
    for setting in ["nothing", "a/b/c", "a/..", "../", "a b/c", "https://x/y", "owner/"] {
        let read = Choice::read(setting, Some(home));
        assert!(!matches!(read, Ok(Choice::Hub(_) | Choice::Embedded)), "{setting:?} gave {read:?}");
    }
    let error = Choice::read("nothing", None).unwrap_err().to_string();
    assert_eq!(error, "`nothing` is neither `embedded`, nor a hub repository (`owner/name`), nor a directory");
}

#[test]
fn the_smallest_accurate_graph_is_preferred() {
    let cases: [(&[&str], Option<&str>); 7] = [
        (&["model.onnx", "model_int8.onnx"], Some("model_int8.onnx")),
        (&["onnx/model.onnx", "onnx/model_quantized.onnx"], Some("onnx/model_quantized.onnx")),
        (&["onnx/model_int8.onnx", "model_int8.onnx"], Some("model_int8.onnx")),
        (&["onnx/model_int8.onnx", "model.onnx"], Some("onnx/model_int8.onnx")),
        (&["model_O4.onnx", "model_O2.onnx"], Some("model_O2.onnx")),
        (&["decoder.onnx", "other/model.onnx", "../model.onnx", "onnx/../model.onnx", "model.onnx_data"], None),
        (&[], None),
    ];
    for (names, expected) in cases {
        assert_eq!(best_graph(names.iter().map(|name| (*name).to_owned())).as_deref(), expected, "{names:?}");
    }
}
