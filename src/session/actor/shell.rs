//! Commands of the person: run beside the turn, shown in a cell, told to the model with the next message.

use std::time::Duration;

use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::{Actor, Report};
use crate::proto::Body;
use crate::proto::{CONTEXT, Content, Level, Order, Share, ShellBody, ShellCommand, ShellEnd};
use crate::session::shell::{self, Far, Job, Ran};

/// Bytes of an output that the model gets: the beginning and the end.
const MODEL_HEAD: usize = 4 * 1024;
const MODEL_END: usize = 12 * 1024;

/// How long leaving waits for a command to end.
const END_WITHIN: Duration = Duration::from_secs(2);

/// The command that runs, and what the model was not told yet.
#[derive(Default)]
pub(super) struct Shell {
    running: Option<Running>,
    pub ran: u32,
    untold: Vec<String>,
}

struct Running {
    order: Order,
    command: String,
    share: Share,
    cancel: CancellationToken,
    task: JoinHandle<()>,
}

impl Actor {
    pub(super) fn shell_command(&mut self, command: ShellCommand) {
        match command {
            ShellCommand::Run { command, share } => self.run_shell(command, share),
            ShellCommand::Stop => {
                if let Some(running) = &self.shell.running {
                    running.cancel.cancel();
                }
            }
        }
    }

    fn run_shell(&mut self, command: String, share: Share) {
        let refused = match (&self.read_only, &self.shell.running) {
            (Some(holder), _) => Some(format!("this session is open elsewhere ({holder}) and can only be read here")),
            (None, Some(running)) => Some(format!("`{}` still runs", running.command)),
            (None, None) => None,
        };
        if let Some(why) = refused {
            let hint = Some(format!("The command was: {command}"));
            return self.rec.notice(Level::Warning, "shell", format!("Not run: {why}."), hint);
        }
        self.shell.ran += 1;
        let order = self.rec.cell(Body::Shell(ShellBody::Started { command: command.clone(), share }));
        let cancel = CancellationToken::new();
        let job = Job {
            command: command.clone(),
            folder: self.setup.workdir.clone(),
            spill: self.rec.folder().join("spill").join(format!("shell-{}-{}.txt", order.turn, self.rec.now())),
            mask: self.rec.mask.clone(),
        };
        let (report, stop) = (self.report.clone(), cancel.clone());
        let task = tokio::spawn(async move {
            let far = report.clone();
            let tell = move |step| drop(far.send(Report::Shell(order, Told::Far(step))));
            let ran = shell::run(job, tell, stop).await;
            let _ = report.send(Report::Shell(order, Told::Ran(ran)));
        });
        self.shell.running = Some(Running { order, command, share, cancel, task });
    }

    pub(super) fn shell_told(&mut self, order: Order, told: Told) {
        if self.shell.running.as_ref().is_none_or(|running| running.order != order) {
            return;
        }
        match told {
            Told::Far(Far { tail, bytes }) => {
                self.rec.emit_at(Some(order), Body::Shell(ShellBody::Output { tail, bytes }));
            }
            Told::Ran(ran) => self.shell_ran(ran),
        }
    }

    fn shell_ran(&mut self, ran: Ran) {
        let Some(running) = self.shell.running.take() else { return };
        if running.share == Share::Model {
            self.shell.untold.push(for_model(&running.command, &ran));
        }
        let Ran { end, output, bytes, spill, elapsed } = ran;
        let finished = ShellBody::Finished {
            end,
            content: Content::Text(output),
            full_bytes: bytes,
            spill: spill.map(|path| path.display().to_string()),
            elapsed_ms: elapsed.as_millis() as u64,
        };
        self.rec.emit_at(Some(running.order), Body::Shell(finished));
        // The project's instructions open the conversation, and results follow their calls.
        if self.turn.is_none() && !self.rec.history.is_empty() {
            self.tell_of_shell();
            self.measure();
        }
    }

    /// What the person ran since the model was told last becomes part of the conversation.
    pub(super) fn tell_of_shell(&mut self) {
        for text in std::mem::take(&mut self.shell.untold) {
            self.say_as_system(CONTEXT, "a command of the person", text);
        }
    }

    /// Nothing of a command is left when the session is over.
    pub(super) async fn end_shell(&mut self) {
        let Some(running) = &mut self.shell.running else { return };
        running.cancel.cancel();
        if tokio::time::timeout(END_WITHIN, &mut running.task).await.is_err() {
            running.task.abort();
        }
        while let Ok(report) = self.reports.try_recv() {
            if let Report::Shell(order, told) = report {
                self.shell_told(order, told);
            }
        }
    }
}

/// What a command brings back.
pub(super) enum Told {
    Far(Far),
    Ran(Ran),
}

fn for_model(command: &str, ran: &Ran) -> String {
    let end = match &ran.end {
        ShellEnd::Exited(code) => format!("exit {code}"),
        ShellEnd::Signal(signal) => format!("ended by signal {signal}"),
        ShellEnd::Stopped => "stopped by the person, so there is no exit code".to_owned(),
        ShellEnd::Lost(why) => why.clone(),
    };
    let output = crate::text::sanitize(&ran.output);
    let output = shortened(output.trim_end(), ran.spill.as_ref().map(|path| path.display().to_string()).as_deref());
    let output = if output.is_empty() { "(no output)".to_owned() } else { output };
    format!("The person ran a command in the working folder.\n$ {command}\n{output}\n[{end}]")
}

fn shortened(output: &str, whole: Option<&str>) -> String {
    if output.len() <= MODEL_HEAD + MODEL_END {
        return output.to_owned();
    }
    let head = (0..=MODEL_HEAD).rev().find(|at| output.is_char_boundary(*at)).unwrap_or(0);
    let from = output.len() - MODEL_END;
    let end = (from..=output.len()).find(|at| output.is_char_boundary(*at)).unwrap_or(output.len());
    let place = whole.map(|path| format!("; the whole is in {path}")).unwrap_or_default();
    format!("{}\n[… {} bytes left out here{place} …]\n{}", &output[..head], end - head, &output[end..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_model_reads_the_command_its_output_and_its_end() {
        let mut ran = Ran {
            end: ShellEnd::Exited(1),
            output: "a\u{1b}[31mb\n".to_owned(),
            bytes: 8,
            spill: None,
            elapsed: Duration::ZERO,
        };
        let said = "The person ran a command in the working folder.\n$ make\nab\n[exit 1]";
        assert_eq!(for_model("make", &ran), said);
        ran.output = "ä".repeat(20_000);
        ran.spill = Some("/tmp/all.txt".into());
        let long = for_model("make", &ran);
        assert!(long.len() < MODEL_HEAD + MODEL_END + 300);
        assert!(long.contains("; the whole is in /tmp/all.txt"));
    }
}
