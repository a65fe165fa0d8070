//! How many tokens a graph knows, read out of its file.
//!
//! A token beyond them ends the process where the backend is tract: it panics where nothing may unwind.

use std::io::{self, Read, Seek, SeekFrom};

/// A name or an operator that is longer is none that is looked for.
const MOST_BYTES: u64 = 4096;

/// Numbers of the fields that are read, as ONNX declares them.
mod field {
    pub const GRAPH: u64 = 7;
    pub const NODE: u64 = 1;
    pub const INITIALIZER: u64 = 5;
    pub const NODE_INPUT: u64 = 1;
    pub const NODE_OPERATOR: u64 = 4;
    pub const TENSOR_DIMENSIONS: u64 = 1;
    pub const TENSOR_NAME: u64 = 8;
}

/// Rows of the table that `input_ids` are looked up in; `None` when they are not looked up directly.
pub fn tokens(mut file: impl Read + Seek) -> io::Result<Option<u64>> {
    let end = file.seek(SeekFrom::End(0))?;
    file.rewind()?;
    let mut message = Message { file: &mut file, end };
    let (mut tables, mut sizes) = (Vec::<String>::new(), Vec::<(String, Option<u64>)>::new());
    while let Some((number, value)) = message.next()? {
        match (number, &value) {
            (field::GRAPH, Value::Bytes(end)) => {
                let mut graph = Message { file: &mut *message.file, end: *end };
                read_graph(&mut graph, &mut tables, &mut sizes)?;
            }
            _ => message.skip(&value)?,
        }
    }
    let of_tables = sizes.iter().filter(|(name, _)| tables.contains(name));
    Ok(of_tables.filter_map(|(_, rows)| *rows).min())
}

fn read_graph<F: Read + Seek>(
    graph: &mut Message<'_, F>,
    tables: &mut Vec<String>,
    sizes: &mut Vec<(String, Option<u64>)>,
) -> io::Result<()> {
    while let Some((number, value)) = graph.next()? {
        match (number, &value) {
            (field::NODE, Value::Bytes(end)) => {
                tables.extend(looked_up(&mut Message { file: &mut *graph.file, end: *end })?);
            }
            (field::INITIALIZER, Value::Bytes(end)) => {
                sizes.push(tensor(&mut Message { file: &mut *graph.file, end: *end })?);
            }
            _ => graph.skip(&value)?,
        }
    }
    Ok(())
}

/// The table of a node that looks `input_ids` up.
fn looked_up<F: Read + Seek>(node: &mut Message<'_, F>) -> io::Result<Option<String>> {
    let (mut inputs, mut operator) = (Vec::new(), String::new());
    while let Some((number, value)) = node.next()? {
        match (number, &value) {
            (field::NODE_INPUT, Value::Bytes(end)) => inputs.push(node.text(*end)?),
            (field::NODE_OPERATOR, Value::Bytes(end)) => operator = node.text(*end)?,
            _ => node.skip(&value)?,
        }
    }
    let by_token = operator == "Gather" && inputs.get(1).is_some_and(|name| name == "input_ids");
    Ok(inputs.into_iter().next().filter(|_| by_token))
}

/// The name and the first dimension.
fn tensor<F: Read + Seek>(tensor: &mut Message<'_, F>) -> io::Result<(String, Option<u64>)> {
    let (mut name, mut first) = (String::new(), None);
    while let Some((number, value)) = tensor.next()? {
        match (number, &value) {
            (field::TENSOR_DIMENSIONS, Value::Number(size)) => {
                first.get_or_insert(*size);
            }
            (field::TENSOR_DIMENSIONS, Value::Bytes(end)) if first.is_none() => {
                first = Some(tensor.number()?);
                tensor.skip(&Value::Bytes(*end))?;
            }
            (field::TENSOR_NAME, Value::Bytes(end)) => name = tensor.text(*end)?,
            _ => tensor.skip(&value)?,
        }
    }
    Ok((name, first))
}

enum Value {
    Number(u64),
    /// They end there in the file.
    Bytes(u64),
}

/// A protobuf message that goes up to `end`.
struct Message<'f, F> {
    file: &'f mut F,
    end: u64,
}

impl<F: Read + Seek> Message<'_, F> {
    /// The next field; the bytes of a long one are still to be read or skipped.
    fn next(&mut self) -> io::Result<Option<(u64, Value)>> {
        if self.file.stream_position()? >= self.end {
            return Ok(None);
        }
        let key = self.number()?;
        let value = match key & 7 {
            0 => Value::Number(self.number()?),
            1 => self.fixed(8)?,
            2 => {
                let length = self.number()?;
                let end = self.file.stream_position()?.checked_add(length).filter(|end| *end <= self.end);
                Value::Bytes(end.ok_or_else(|| broken("a part goes past the end"))?)
            }
            5 => self.fixed(4)?,
            _ => return Err(broken("a part is of no known kind")),
        };
        Ok(Some((key >> 3, value)))
    }

    fn fixed(&mut self, bytes: i64) -> io::Result<Value> {
        self.file.seek_relative(bytes)?;
        Ok(Value::Number(0))
    }

    fn number(&mut self) -> io::Result<u64> {
        let mut number = 0;
        for place in 0..10 {
            let mut byte = [0];
            self.file.read_exact(&mut byte)?;
            number |= u64::from(byte[0] & 0x7f) << (7 * place);
            if byte[0] < 0x80 {
                return Ok(number);
            }
        }
        Err(broken("a number does not end"))
    }

    fn text(&mut self, end: u64) -> io::Result<String> {
        let length = end.saturating_sub(self.file.stream_position()?);
        let mut bytes = Vec::new();
        (&mut *self.file).take(length.min(MOST_BYTES)).read_to_end(&mut bytes)?;
        self.skip(&Value::Bytes(end))?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Stays within the reader's buffer where it can.
    fn skip(&mut self, value: &Value) -> io::Result<()> {
        let Value::Bytes(end) = value else { return Ok(()) };
        let here = self.file.stream_position()?;
        let rest = i64::try_from(end.saturating_sub(here)).map_err(|_| broken("a part is too long"))?;
        self.file.seek_relative(rest)
    }
}

fn broken(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why.to_owned())
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::super::tests::TINY_GRAPH;
    use super::*;

    #[test]
    fn the_table_of_tokens_is_found_and_anything_else_is_survived() {
        assert_eq!(tokens(Cursor::new(TINY_GRAPH)).unwrap(), Some(5));
        assert_eq!(tokens(Cursor::new(b"")).unwrap(), None);
        for length in 0..TINY_GRAPH.len() {
            // Cut off, it is an error or knows nothing; it never goes on forever.
            drop(tokens(Cursor::new(&TINY_GRAPH[..length])));
            let mut graph = TINY_GRAPH.to_vec();
            graph[length] = 0xff;
            drop(tokens(Cursor::new(graph)));
        }
    }
}
