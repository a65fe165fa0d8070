use std::io::{self, IsTerminal as _};
use std::os::fd::{AsFd as _, OwnedFd};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use tokio::time::Instant;

use super::{Bursts, Parser};
use crate::ui::input::Input;

/// How long a lone escape waits for the rest of a sequence.
const ESCAPE_WAIT: Duration = Duration::from_millis(20);

/// How long the rest of a sequence that has begun is waited for. Nobody waits meanwhile: whatever else
/// comes ends it.
const SEQUENCE_WAIT: Duration = Duration::from_secs(5);

/// How long the end of a paste is waited for after its last bytes.
const PASTE_WAIT: Duration = Duration::from_secs(1);

/// Reads the terminal without a thread of its own, so that a child program can have it meanwhile.
#[derive(Debug)]
pub struct Reader {
    terminal: AsyncFd<OwnedFd>,
    parser: Parser,
    bursts: Bursts,
    started: Instant,
    /// When what is pending is taken for what it is so far.
    flush_at: Option<Instant>,
}

impl Reader {
    pub fn new() -> io::Result<Self> {
        let terminal = if io::stdin().is_terminal() {
            io::stdin().as_fd().try_clone_to_owned()?
        } else {
            std::fs::File::open("/dev/tty")?.into()
        };
        #[expect(deprecated, reason = "sound here: the descriptor is owned and never given away")]
        let terminal = AsyncFd::with_interest(terminal, Interest::READABLE)?;
        Ok(Self {
            terminal,
            parser: Parser::default(),
            bursts: Bursts::default(),
            started: Instant::now(),
            flush_at: None,
        })
    }

    /// The inputs of the next read; never empty. Cancel safe.
    ///
    /// # Errors
    /// The terminal is gone.
    pub async fn next(&mut self) -> io::Result<Vec<Input>> {
        loop {
            let flush_at = self.flush_at;
            let inputs = tokio::select! {
                biased;
                ready = self.terminal.readable() => {
                    let mut ready = ready?;
                    let bytes = drain(ready.get_inner())?;
                    ready.clear_ready();
                    if bytes.is_empty() {
                        // Woken for what the last read took already: what is pending still waits.
                        continue;
                    }
                    self.parser.feed(&bytes)
                }
                () = until(flush_at) => self.parser.flush(),
            };
            self.flush_at = match (self.parser.in_paste(), self.parser.is_pending()) {
                (true, _) => Some(Instant::now() + PASTE_WAIT),
                (false, true) if self.parser.in_sequence() => Some(Instant::now() + SEQUENCE_WAIT),
                (false, true) => Some(Instant::now() + ESCAPE_WAIT),
                (false, false) => None,
            };
            let inputs = self.bursts.gather(inputs, self.started.elapsed());
            if !inputs.is_empty() {
                return Ok(inputs);
            }
        }
    }
}

async fn until(at: Option<Instant>) {
    match at {
        Some(at) => tokio::time::sleep_until(at).await,
        None => std::future::pending().await,
    }
}

/// Everything that can be read without waiting. The descriptor is shared with other programs, so it
/// is not made non-blocking; each read is asked for first.
fn drain(terminal: &OwnedFd) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut chunk = [0; 16 * 1024];
    while ready(terminal)? {
        match rustix::io::read(terminal, &mut chunk) {
            Ok(0) => return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the terminal is gone")),
            Ok(read) => bytes.extend_from_slice(&chunk[..read]),
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(bytes)
}

fn ready(terminal: &OwnedFd) -> io::Result<bool> {
    let mut polled = [PollFd::new(terminal, PollFlags::IN)];
    match poll(&mut polled, Some(&Timespec { tv_sec: 0, tv_nsec: 0 })) {
        Ok(_) => Ok(polled[0].revents().intersects(PollFlags::IN | PollFlags::HUP | PollFlags::ERR)),
        Err(rustix::io::Errno::INTR) => Ok(false),
        Err(error) => Err(error.into()),
    }
}
