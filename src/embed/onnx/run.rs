//! One text through the graph.

use ort::session::{Session, SessionInputValue};
use ort::value::Tensor;

use super::super::encoder::EncodeError;
use super::super::model::Pooling;

/// Outputs in the order they are preferred: of the whole text, then of each token.
const OUTPUTS: [&str; 3] = ["sentence_embedding", "last_hidden_state", "token_embeddings"];

/// The vector as the graph gives it; not of unit length yet. There is no padding, so every token counts.
pub fn run(session: &mut Session, ids: Vec<i64>, pooling: Pooling) -> Result<Vec<f32>, EncodeError> {
    let failed = |error: ort::Error| EncodeError::Model(error.to_string());
    let tokens = ids.len();
    let inputs = inputs(session, ids)?;
    let outputs = session.run(inputs).map_err(failed)?;
    let name = OUTPUTS.into_iter().find(|name| outputs.contains_key(name)).or_else(|| outputs.keys().next());
    let value = name.and_then(|name| outputs.get(name));
    let value = value.ok_or_else(|| EncodeError::Model("the graph has no output".to_owned()))?;
    let (shape, numbers) = value.try_extract_tensor::<f32>().map_err(failed)?;
    match shape.as_ref() {
        [1, width] | [width] if fits(*width) => Ok(numbers.to_vec()),
        [1, count, width] if fits(*width) && *count as usize == tokens => Ok(pool(numbers, *width as usize, pooling)),
        other => Err(EncodeError::Model(format!("the graph's output has the shape {other:?}"))),
    }
}

/// Numbers of a vector: the largest models give a half of it.
const MOST_NUMBERS: i64 = 8192;

fn fits(width: i64) -> bool {
    (1..=MOST_NUMBERS).contains(&width)
}

type Inputs = Vec<(String, SessionInputValue<'static>)>;

fn inputs(session: &Session, ids: Vec<i64>) -> Result<Inputs, EncodeError> {
    let shape = [1, ids.len() as i64];
    let mut given = Vec::with_capacity(3);
    for input in session.inputs() {
        let numbers = match input.name() {
            "input_ids" => ids.clone(),
            "attention_mask" => vec![1; ids.len()],
            "token_type_ids" => vec![0; ids.len()],
            other => return Err(EncodeError::Model(format!("the graph has an input `{other}` that is not known"))),
        };
        let tensor = Tensor::from_array((shape, numbers)).map_err(|error| EncodeError::Model(error.to_string()))?;
        given.push((input.name().to_owned(), tensor.into()));
    }
    Ok(given)
}

fn pool(numbers: &[f32], width: usize, pooling: Pooling) -> Vec<f32> {
    match pooling {
        Pooling::First => numbers[..width].to_vec(),
        Pooling::Mean => {
            let mut sum = vec![0.0; width];
            for token in numbers.chunks_exact(width) {
                for (sum, number) in sum.iter_mut().zip(token) {
                    *sum += number;
                }
            }
            sum
        }
    }
}
