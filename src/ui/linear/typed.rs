use std::io::{self, BufRead as _};

use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};
use tokio::sync::mpsc;

/// Lines as they are typed, from a thread of their own: the terminal edits them. The channel closes at the
/// end of the input.
pub fn lines() -> io::Result<mpsc::UnboundedReceiver<String>> {
    let (sender, receiver) = mpsc::unbounded_channel();
    let reader = move || {
        let mut input = io::stdin().lock();
        let mut bytes = Vec::new();
        loop {
            bytes.clear();
            match input.read_until(b'\n', &mut bytes) {
                Ok(0) => return,
                Ok(_) => {
                    let line = String::from_utf8_lossy(&bytes);
                    if sender.send(line.trim_end_matches(['\n', '\r']).to_owned()).is_err() {
                        return;
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => return,
            }
        }
    };
    std::thread::Builder::new().name("typed lines".to_owned()).spawn(reader)?;
    Ok(receiver)
}

/// What is typed is not seen for as long as this lasts.
pub struct Unseen(Termios);

impl Unseen {
    /// `None` where there is no terminal whose echo could be turned off.
    pub fn begin() -> Option<Self> {
        let before = tcgetattr(io::stdin()).ok()?;
        let mut quiet = before.clone();
        quiet.local_modes.remove(LocalModes::ECHO);
        quiet.local_modes.insert(LocalModes::ECHONL);
        tcsetattr(io::stdin(), OptionalActions::Now, &quiet).ok()?;
        Some(Self(before))
    }
}

impl Drop for Unseen {
    fn drop(&mut self) {
        let _ = tcsetattr(io::stdin(), OptionalActions::Now, &self.0);
    }
}
