//! The only place that prints. Everything goes out in one piece. A reader that went away is no error; output that cannot be
//! written for any other reason is one, which the command ends with.

use crate::cli::Color;
use crate::failure::Failure;
use anstyle::{AnsiColor, Style};
use std::fmt::Write as _;
use std::io::{IsTerminal, Write};

const ERROR: Style = AnsiColor::Red.on_default().bold();
const HINT: Style = AnsiColor::Cyan.on_default();
const PLACE: Style = AnsiColor::Magenta.on_default();
const NUMBER: Style = AnsiColor::Green.on_default();
const DIM: Style = Style::new().dimmed();

/// Standard output and standard error.
pub struct Output {
    color: anstream::ColorChoice,
    quiet: bool,
    lost: Option<Failure>,
}

impl Output {
    /// With the user's choice of colour; `quiet` drops notes and progress.
    pub fn new(color: Color, quiet: bool) -> Self {
        let color = match color {
            Color::Auto => anstream::ColorChoice::Auto,
            Color::Always => anstream::ColorChoice::Always,
            Color::Never => anstream::ColorChoice::Never,
        };
        Output {
            color,
            quiet,
            lost: None,
        }
    }

    /// Whether progress can be shown.
    pub fn shows_progress(&self) -> bool {
        !self.quiet && std::io::stderr().is_terminal()
    }

    /// Prints a text as it is, with a line end.
    pub fn text(&mut self, text: &str) {
        self.send(text);
    }

    /// Prints an answer's text: places and line numbers in colour.
    pub fn answer(&mut self, text: &str) {
        let mut out = String::with_capacity(text.len() * 2);
        for line in text.lines() {
            paint(line, &mut out);
            out.push('\n');
        }
        self.send(out.trim_end_matches('\n'));
    }

    fn send(&mut self, text: &str) {
        let mut stdout = anstream::AutoStream::new(std::io::stdout().lock(), self.color);
        let written = stdout
            .write_all(text.as_bytes())
            .and_then(|()| stdout.write_all(b"\n"))
            .and_then(|()| stdout.flush());
        drop(stdout);
        self.wrote(written);
    }

    /// Takes note of how a write to standard output went.
    pub fn wrote(&mut self, written: std::io::Result<()>) {
        match written {
            // The pipe's other end may be closed (`| head`): what it did not want is not written, and that is all.
            Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => {
                self.lost.get_or_insert_with(|| {
                    Failure::new("the output could not be written")
                        .because(&e)
                        .hint("what was printed is not whole; free the space or print elsewhere, and run it again")
                });
            }
            _ => {}
        }
    }

    /// The first failure to write to standard output.
    pub fn lost(&self) -> Option<Failure> {
        self.lost.clone()
    }

    /// Prints a note on standard error, unless quiet.
    pub fn note(&mut self, text: &str) {
        if !self.quiet {
            self.send_error(&format!("{DIM}note: {text}{DIM:#}\n"));
        }
    }

    /// Prints a failure on standard error.
    pub fn failure(&mut self, failure: &Failure) {
        let mut out = format!("{ERROR}error:{ERROR:#} {}\n", failure.heading);
        for (i, cause) in failure.causes.iter().enumerate() {
            let _ = writeln!(out, "  {}: {cause}", i + 1);
        }
        for hint in &failure.hints {
            let _ = writeln!(out, "{HINT}hint:{HINT:#} {hint}");
        }
        for note in &failure.notes {
            let _ = writeln!(out, "{DIM}note: {note}{DIM:#}");
        }
        self.send_error(&out);
    }

    fn send_error(&mut self, text: &str) {
        let mut stderr = anstream::AutoStream::new(std::io::stderr().lock(), self.color);
        let _ = stderr.write_all(text.as_bytes());
    }
}

/// A head line (`path:Lstart…`) or a numbered line in colour.
fn paint(line: &str, out: &mut String) {
    let body = line.trim_start();
    let digits = body.bytes().take_while(u8::is_ascii_digit).count();
    if digits > 0 && body[digits..].starts_with([':', '\t']) {
        let indent = &line[..line.len() - body.len()];
        let _ = write!(out, "{indent}{NUMBER}{}{NUMBER:#}{}", &body[..digits], &body[digits..]);
        return;
    }
    if let Some(at) = line.find(":L").filter(|at| *at > 0 && !line.starts_with(' '))
        && line[at + 2..].starts_with(|c: char| c.is_ascii_digit())
    {
        let span = line[at..].find(' ').map_or(line.len(), |n| at + n);
        let _ = write!(out, "{PLACE}{}{PLACE:#}{}", &line[..span], &line[span..]);
        return;
    }
    out.push_str(line);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_places_and_numbers_are_painted() {
        for (line, painted) in [
            ("a b.py:L1-L2 function f (1←)", "<a b.py:L1-L2> function f (1←)"),
            ("    12: x = 1", "    <12>: x = 1"),
            ("12\tx", "<12>\tx"),
            ("10 of 25 symbols shown.", "10 of 25 symbols shown."),
            ("", ""),
        ] {
            let mut out = String::new();
            paint(line, &mut out);
            let plain: String = out
                .replace("\u{1b}[0m", ">")
                .replace("\u{1b}[35m", "<")
                .replace("\u{1b}[32m", "<");
            assert_eq!(plain, painted);
        }
    }
}
