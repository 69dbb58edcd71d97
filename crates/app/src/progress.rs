//! Progress of a call on a terminal's standard error.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::sync::Mutex;
use std::time::Duration;
use understory_ports::{Event, EventSink};

/// Shows the stages of a call. Short calls show nothing: the bar is drawn when a stage has lasted a moment.
#[derive(Default)]
pub struct Bar {
    bar: Mutex<Option<ProgressBar>>,
}

impl EventSink for Bar {
    fn event(&self, event: Event) {
        let mut bar = self.bar.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        match event {
            Event::Stage { name, total } => {
                if let Some(old) = bar.take() {
                    old.finish_and_clear();
                }
                let new = ProgressBar::with_draw_target(total, ProgressDrawTarget::stderr_with_hz(8));
                let template = if total.is_some() {
                    "{msg} {bar:24} {pos}/{len}"
                } else {
                    "{msg} {pos}"
                };
                if let Ok(style) = ProgressStyle::with_template(template) {
                    new.set_style(style);
                }
                new.set_message(name);
                new.enable_steady_tick(Duration::from_millis(250));
                *bar = Some(new);
            }
            Event::Progress { done } => {
                if let Some(bar) = &*bar {
                    bar.set_position(done);
                }
            }
            _ => {}
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        let bar = self.bar.get_mut().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(bar) = bar.take() {
            bar.finish_and_clear();
        }
    }
}
