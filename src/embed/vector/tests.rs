use proptest::prelude::*;

use super::*;

#[test]
fn a_vector_has_length_one_or_is_none() {
    assert_eq!(Vector::new(vec![3.0, 4.0]).unwrap().as_slice(), [0.6, 0.8]);
    assert_eq!(Vector::new(vec![0.0; 4]).unwrap_err(), NotAVector::Zero);
    assert_eq!(Vector::new(vec![]).unwrap_err(), NotAVector::Zero);
    assert_eq!(Vector::new(vec![1.0, f32::NAN]).unwrap_err(), NotAVector::NotFinite);
    assert_eq!(Vector::new(vec![f32::INFINITY, 1.0]).unwrap_err(), NotAVector::NotFinite);
    assert_eq!(Vector::new(vec![f32::MAX, f32::MAX]).unwrap_err(), NotAVector::NotFinite);
}

#[test]
fn vectors_of_different_models_are_not_alike() {
    let short = Vector::new(vec![1.0, 0.0]).unwrap();
    let long = Vector::new(vec![1.0, 0.0, 0.0]).unwrap();
    assert_eq!(similarity(&short, &long), 0.0);
    assert_eq!(similarity(&short, &short), 1.0);
}

proptest! {
    #[test]
    fn similarity_is_the_cosine(pairs in prop::collection::vec((-9.0_f32..9.0, -9.0_f32..9.0), 1..600)) {
        let (left, right): (Vec<f32>, Vec<f32>) = pairs.iter().copied().unzip();
        let exact = |left: &[f32], right: &[f32]| -> f64 {
            left.iter().zip(right).map(|(left, right)| f64::from(*left) * f64::from(*right)).sum()
        };
        let cosine = exact(&left, &right) / (exact(&left, &left) * exact(&right, &right)).sqrt();
        if let (Ok(left), Ok(right)) = (Vector::new(left), Vector::new(right)) {
            prop_assert!((f64::from(similarity(&left, &right)) - cosine).abs() < 1e-5);
            prop_assert_eq!(similarity(&left, &right), similarity(&right, &left));
        }
    }
}
