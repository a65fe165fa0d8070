//! The OpenAI chat protocol, ours from body to delta.
//!
//! genai 0.7 speaks it too, but its reading of streams gives up where real servers stray: a call
//! delta without `index` is dropped (`noid`), calls are filed by index alone (`badindex`,
//! `gapindex` clones a call into the gap), arguments as an object become empty (`objargs`), a stream
//! without `[DONE]` ends with no usage and no calls, invalid UTF-8 or one bad chunk ends the reply,
//! and the cost that gateways report is not read. It cannot show the body it will send either.

mod body;
#[cfg(test)]
mod tests;

mod decode;

pub(super) use body::{Carrier, Dialect, EffortStyle, Sampling, body};
pub(super) use decode::{Decoder, usage};
