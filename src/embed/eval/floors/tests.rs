use super::*;

#[test]
fn floors_are_read_or_refused_with_a_reason() {
    let floors: Floors = "top1=0.95, right=0.9,wrong=0.02,null=0.03".parse().unwrap();
    let read = (floors.top1, floors.right, floors.wrong, floors.null, floors.two);
    assert_eq!(read, (Some(0.95), Some(0.9), Some(0.02), Some(0.03), None));
    let cases = [
        ("", BadFloors::Form(String::new())),
        ("top1", BadFloors::Form("top1".to_owned())),
        ("top2=1", BadFloors::Name("top2".to_owned())),
        ("top1=95", BadFloors::Number("top1".to_owned())),
        ("top1=NaN", BadFloors::Number("top1".to_owned())),
        ("top1=0.9,top1=0.8", BadFloors::Twice("top1".to_owned())),
    ];
    for (text, error) in cases {
        assert_eq!(text.parse::<Floors>(), Err(error), "{text}");
    }
}

#[test]
fn a_floor_holds_when_it_is_just_reached() {
    let floors: Floors = "right=0.9,wrong=0.02,null=0".parse().unwrap();
    let rates = Rates { right: Some(0.9), wrong: Some(0.02), null_false: Some(0.0), ..Rates::default() };
    assert_eq!(floors.missed(&rates), []);
    let rates = Rates { right: Some(0.8999), wrong: Some(0.0201), null_false: None, ..Rates::default() };
    let missed: Vec<_> = floors.missed(&rates).into_iter().map(|missed| (missed.floor, missed.measured)).collect();
    assert_eq!(missed, [("right", Some(0.8999)), ("wrong", Some(0.0201)), ("null", None)]);
}
