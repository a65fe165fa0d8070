//! Writing that never holds up reading: a slow reader of our output must not make us miss events.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

use tokio::sync::Notify;

use super::Output;

/// Standard output and error, written by a thread of their own in the order given.
#[derive(Debug)]
pub struct Sink {
    queue: Sender<Output>,
    thread: JoinHandle<io::Result<()>>,
    closed: Arc<Notify>,
}

impl Sink {
    /// `out` ends the thread when it fails; what `err` says is best effort.
    pub fn new(out: impl Write + Send + 'static, err: impl Write + Send + 'static) -> io::Result<Self> {
        let (queue, waiting) = channel();
        let closed = Arc::new(Notify::new());
        let told = Arc::clone(&closed);
        let thread = std::thread::Builder::new().name("output".to_owned()).spawn(move || {
            let written = write_all(&waiting, out, err);
            if written.is_err() {
                told.notify_one();
            }
            written
        })?;
        Ok(Self { queue, thread, closed })
    }

    pub fn write(&self, output: Output) {
        if output != Output::default() {
            // A closed output is reported by `closed`.
            let _ = self.queue.send(output);
        }
    }

    /// Waits until standard output cannot be written any more.
    pub async fn closed(&self) {
        self.closed.notified().await;
    }

    /// Writes what waits, then ends.
    ///
    /// # Errors
    /// What standard output said.
    pub fn finish(self) -> io::Result<()> {
        drop(self.queue);
        self.thread.join().unwrap_or_else(|_| Err(io::Error::other("the output thread panicked")))
    }
}

fn write_all(waiting: &Receiver<Output>, mut out: impl Write, mut err: impl Write) -> io::Result<()> {
    for output in waiting {
        if !output.err.is_empty() {
            let _ = err.write_all(output.err.as_bytes()).and_then(|()| err.flush());
        }
        if !output.out.is_empty() {
            out.write_all(output.out.as_bytes())?;
            out.flush()?;
        }
    }
    Ok(())
}
