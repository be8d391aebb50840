//! Keeps the user's input in order when a frame takes long.
//!
//! Within a frame, keys are handled before the canvas handles the pointer. A key pressed after a mouse button was
//! released would then act before the drag has ended: Ctrl+S would save the document without the last move. So keys
//! that follow a press or release of a button wait for the next frame, together with all later input.

use std::collections::VecDeque;

use eframe::egui::{Context, Event, RawInput, ViewportId};

/// Inputs that wait for the next frames.
#[derive(Default)]
pub struct InputOrder {
    waiting: VecDeque<Event>,
}

impl InputOrder {
    /// Leaves the events of this frame in `input`, and requests another frame if others wait.
    pub fn divide(&mut self, context: &Context, input: &mut RawInput) {
        if input.viewport_id != ViewportId::ROOT {
            return;
        }
        self.waiting.extend(input.events.drain(..));
        let mut has_button = false;
        while let Some(event) = self.waiting.pop_front_if(|event| !(has_button && is_of_keyboard(event))) {
            has_button |= matches!(event, Event::PointerButton { .. });
            input.events.push(event);
        }
        if !self.waiting.is_empty() {
            context.request_repaint();
        }
    }
}

/// Returns whether an event comes from the keyboard, or from a source that replaces it.
fn is_of_keyboard(event: &Event) -> bool {
    matches!(
        event,
        Event::Key { .. }
            | Event::ModifiersChanged(_)
            | Event::Text(_)
            | Event::Copy
            | Event::Cut
            | Event::Paste(_)
            | Event::Ime(_)
    )
}

#[cfg(test)]
mod tests {
    use eframe::egui::{Key, Modifiers, PointerButton, pos2};

    use super::*;

    fn press() -> Event {
        let (pos, button) = (pos2(1.0, 2.0), PointerButton::Primary);
        Event::PointerButton { pos, button, pressed: true, modifiers: Modifiers::NONE }
    }

    fn release() -> Event {
        let (pos, button) = (pos2(1.0, 2.0), PointerButton::Primary);
        Event::PointerButton { pos, button, pressed: false, modifiers: Modifiers::NONE }
    }

    fn key(key: Key, modifiers: Modifiers) -> Event {
        Event::Key { key, physical_key: None, pressed: true, repeat: false, modifiers }
    }

    /// Returns the events of each frame until nothing waits, where all of `events` come with the first.
    fn frames(events: Vec<Event>) -> Vec<Vec<Event>> {
        let (context, mut order) = (Context::default(), InputOrder::default());
        let mut coming = Some(events);
        let mut frames = Vec::new();
        while coming.is_some() || !order.waiting.is_empty() {
            let mut input = RawInput { events: coming.take().unwrap_or_default(), ..RawInput::default() };
            order.divide(&context, &mut input);
            frames.push(input.events);
        }
        frames
    }

    #[test]
    fn a_key_after_a_release_waits_for_the_frame_after_it() {
        let moved = Event::PointerMoved(pos2(3.0, 4.0));
        let save = [Event::ModifiersChanged(Modifiers::COMMAND), key(Key::S, Modifiers::COMMAND)];
        let drag = [moved, release()];
        let events = drag.iter().chain(&save).cloned().collect();
        assert_eq!(frames(events), [drag.to_vec(), save.to_vec()]);
    }

    #[test]
    fn keys_before_a_button_and_moves_after_it_do_not_wait() {
        let moved = Event::PointerMoved(pos2(3.0, 4.0));
        let events = vec![key(Key::A, Modifiers::NONE), press(), moved.clone()];
        assert_eq!(frames(events.clone()), [events]);
    }

    /// Two clicks of a double click must not be further apart than they were.
    #[test]
    fn clicks_within_one_long_frame_stay_together_and_in_order_with_keys() {
        let click = [press(), release()];
        let undo = [key(Key::Z, Modifiers::COMMAND)];
        let events = [&click[..], &click, &undo, &click].concat();
        assert_eq!(frames(events), [[click.clone(), click.clone()].concat(), [&undo[..], &click].concat()]);
    }

    #[test]
    fn other_windows_are_left_alone() {
        let events = vec![release(), key(Key::S, Modifiers::COMMAND)];
        let viewport_id = ViewportId::from_hash_of("a dialog");
        let mut input = RawInput { events: events.clone(), viewport_id, ..RawInput::default() };
        InputOrder::default().divide(&Context::default(), &mut input);
        assert_eq!(input.events, events);
    }
}
