//! The settings of spectra in the menu of a plot.

use eframe::egui::{Button, Ui};

use super::menu::{Changed, item};
use crate::app::doc::plots::{Averaging, CrossQuantity, Decibels, Overlap, PlotKind, PlotSpec};
use crate::measure::{Detrend, Scaling, Window};

pub fn show_ui(ui: &mut Ui, spec: &PlotSpec, change: Changed) {
    ui.menu_button("Window", |ui| {
        for window in Window::ALL {
            if item(ui, spec.window == window, window.label()) {
                change("Set window of spectrum", &|spec| spec.window = window);
            }
        }
    });
    match spec.kind {
        PlotKind::Spectrum => scaling_ui(ui, spec, change),
        PlotKind::Cross => quantity_ui(ui, spec, change),
        // A spectrogram has its own segments.
        _ => return,
    }
    averaging_ui(ui, spec, change);
}

fn scaling_ui(ui: &mut Ui, spec: &PlotSpec, change: Changed) {
    ui.menu_button("Scaling", |ui| {
        for (scaling, label) in
            [(Scaling::Amplitude, "Amplitude"), (Scaling::Rms, "RMS"), (Scaling::Density, "Power density")]
        {
            if item(ui, spec.scaling == scaling, label) {
                change("Set scaling of spectrum", &|spec| spec.scaling = scaling);
            }
        }
        ui.separator();
        decibels_ui(ui, spec, change);
    });
}

fn decibels_ui(ui: &mut Ui, spec: &PlotSpec, change: Changed) {
    if item(ui, spec.decibels == Decibels::Yes, "In dB") {
        change("Set scaling of spectrum", &|spec| {
            spec.decibels = if spec.decibels == Decibels::Yes { Decibels::No } else { Decibels::Yes };
        });
    }
}

fn quantity_ui(ui: &mut Ui, spec: &PlotSpec, change: Changed) {
    ui.menu_button("Quantity", |ui| {
        ui.set_min_width(200.0);
        for quantity in CrossQuantity::ALL {
            let button = ui.add(Button::selectable(spec.quantity == quantity, quantity.label()));
            if button.on_hover_text(quantity.about()).clicked() {
                ui.close();
                change("Set quantity of cross spectrum", &|spec| spec.quantity = quantity);
            }
        }
        if spec.quantity.can_be_decibels() {
            ui.separator();
            decibels_ui(ui, spec, change);
        }
    });
}

fn averaging_ui(ui: &mut Ui, spec: &PlotSpec, change: Changed) {
    let averaging = spec.segmentation().averaging;
    ui.menu_button("Averaging", |ui| {
        ui.set_min_width(200.0);
        let mut choices = vec![
            (Averaging::Whole, "Off".to_owned(), "One spectrum of the whole visible range"),
            (
                Averaging::Eight,
                "8 segments".to_owned(),
                "The mean of eight segments with half overlap (Welch's method)",
            ),
        ];
        // Two curves over one segment say nothing about each other.
        if spec.kind == PlotKind::Cross {
            choices.remove(0);
        }
        let mut lengths = Averaging::LENGTHS.to_vec();
        if let Averaging::Length(own) = averaging
            && !lengths.contains(&own)
        {
            lengths.push(own);
        }
        let about = "The mean of segments of this length (Welch's method): \
                     longer ones tell closer frequencies apart, shorter ones average out more noise";
        let named = lengths.into_iter().map(|length| (Averaging::Length(length), format!("{length} samples"), about));
        for (choice, label, about) in choices.into_iter().chain(named) {
            if ui.add(Button::selectable(averaging == choice, label)).on_hover_text(about).clicked() {
                ui.close();
                change("Set averaging of spectrum", &|spec| spec.averaging = choice);
            }
        }
        ui.separator();
        if matches!(averaging, Averaging::Length(_)) {
            for overlap in Overlap::ALL {
                let label = format!("Overlap {} %", overlap.fraction() * 100.0);
                if item(ui, spec.overlap == overlap, &label) {
                    change("Set overlap of segments", &|spec| spec.overlap = overlap);
                }
            }
            ui.separator();
        }
        let is_on = spec.detrend == Detrend::Mean;
        let subtract = ui.add(Button::selectable(is_on, "Subtract the mean"));
        if subtract.on_hover_text("Keeps a constant part from leaking into low frequencies").clicked() {
            ui.close();
            let detrend = if is_on { Detrend::None } else { Detrend::Mean };
            change("Set mean of segments", &|spec| spec.detrend = detrend);
        }
    });
}
