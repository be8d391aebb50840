//! Layout of blocks without positions.

use eframe::egui::emath::{Rect, Vec2, pos2, vec2};
use proptest::prelude::*;
use simulate::app::canvas::scene::layout::{Link, Order, layout as layout_by};

fn layout(sizes: &[Vec2], links: &[Link], origin: eframe::egui::Pos2) -> Vec<eframe::egui::Pos2> {
    layout_by(sizes, links, origin, Order::FewCrossings)
}

const SIZE: Vec2 = vec2(60.0, 40.0);

fn link(from: usize, to: usize) -> Link {
    Link { from, to, from_y: 20.0, to_y: 20.0 }
}

#[test]
fn a_chain_stands_in_a_row() {
    let places = layout(&[SIZE; 3], &[link(2, 0), link(0, 1)], pos2(40.0, 40.0));
    assert_eq!(places, [pos2(160.0, 40.0), pos2(280.0, 40.0), pos2(40.0, 40.0)]);
}

#[test]
fn a_loop_is_opened_somewhere() {
    let places = layout(&[SIZE; 3], &[link(0, 1), link(1, 2), link(2, 1)], pos2(0.0, 0.0));
    assert!(places[0].x < places[1].x && places[1].x < places[2].x, "{places:?}");
}

#[test]
fn blocks_without_wires_stand_in_a_square() {
    let places = layout(&[SIZE; 100], &[], pos2(0.0, 0.0));
    let bounds = Rect::from_points(&places);
    assert!(bounds.width() < 2000.0 && bounds.height() < 2000.0, "{bounds:?}");
}

#[test]
fn a_long_chain_takes_no_time() {
    let links: Vec<Link> = (0..9_999).map(|from| link(from, from + 1)).collect();
    let places = layout(&vec![SIZE; 10_000], &links, pos2(0.0, 0.0));
    assert!(places.windows(2).all(|pair| pair[0].x < pair[1].x));
}

proptest! {
    #![proptest_config(crate::random_cases(256))]

    #[test]
    fn no_two_blocks_overlap(links in prop::collection::vec((0usize..30, 0usize..30), 0..60), count in 1usize..30) {
        let links: Vec<Link> = links.into_iter().map(|(from, to)| link(from, to)).collect();
        let sizes: Vec<Vec2> = (0..count).map(|index| vec2(60.0, 40.0 + 20.0 * (index % 3) as f32)).collect();
        let places = layout(&sizes, &links, pos2(40.0, 40.0));
        prop_assert_eq!(&places, &layout(&sizes, &links, pos2(40.0, 40.0)));
        let rects: Vec<Rect> =
            places.iter().zip(&sizes).map(|(place, size)| Rect::from_min_size(*place, *size).shrink(1.0)).collect();
        for (index, one) in rects.iter().enumerate() {
            prop_assert!(rects[index + 1..].iter().all(|other| !one.intersects(*other)), "{:?}", places);
            prop_assert!(one.min.x % 10.0 == 1.0 && one.min.y % 10.0 == 1.0, "off the grid: {:?}", places);
        }
    }
}
