//! Whatever is in the way, a wire is orthogonal, connects its ports and avoids blocks if possible.

use eframe::egui::emath::{Pos2, Rect, pos2, vec2};
use proptest::prelude::*;
use simulate::app::canvas::geometry::{Heading, crosses};
use simulate::app::canvas::route::{
    End, Obstacle, branch_point, corridor, drag_segment, read_bends, route, simplified, through_bends, trunk,
    write_bends,
};

fn block(x: i32, y: i32, rows: i32) -> Rect {
    Rect::from_min_size(pos2(x as f32 * 10.0, y as f32 * 10.0), vec2(60.0, 40.0 + 20.0 * rows as f32))
}

fn obstacle(rect: Rect) -> Obstacle {
    Obstacle { rect, with_title: Rect { min: rect.min, max: rect.max + vec2(0.0, 18.0) } }
}

fn output(rect: Rect) -> End {
    End { at: rect.right_center(), heading: Heading::Right, block: rect }
}

fn input(rect: Rect) -> End {
    End { at: rect.left_center(), heading: Heading::Right, block: rect }
}

fn check(points: &[Pos2], from: &End, to: &End) {
    assert_eq!((points.first(), points.last()), (Some(&from.at), Some(&to.at)), "{points:?}");
    for pair in points.windows(2) {
        assert!(pair[0].x == pair[1].x || pair[0].y == pair[1].y, "slanting: {points:?}");
        assert_ne!(pair[0], pair[1], "doubled: {points:?}");
    }
    let first = points[1] - points[0];
    let last = points[points.len() - 1] - points[points.len() - 2];
    assert!(first.dot(from.heading.vector()) > 0.0, "leaves backwards: {points:?}");
    assert!(last.dot(to.heading.vector()) > 0.0, "enters backwards: {points:?}");
}

fn is_free(points: &[Pos2], blocks: &[Rect]) -> bool {
    points.windows(2).all(|pair| blocks.iter().all(|block| !crosses(pair[0], pair[1], block.shrink(0.5))))
}

#[test]
fn ports_in_a_row_are_joined_by_a_straight_wire() {
    let (a, b) = (block(0, 0, 0), block(20, 0, 0));
    let points = route(&output(a), &input(b), None, &[obstacle(a), obstacle(b)]);
    assert_eq!(points, [pos2(60.0, 20.0), pos2(200.0, 20.0)]);
}

#[test]
fn one_step_down_takes_two_bends_at_the_trunk() {
    let (a, b) = (block(0, 0, 0), block(20, 10, 0));
    let from = output(a);
    let trunk = trunk(&from, &[input(b).at]);
    assert_eq!(trunk, Some(130.0));
    let points = route(&from, &input(b), trunk, &[obstacle(a), obstacle(b)]);
    assert_eq!(points, [pos2(60.0, 20.0), pos2(130.0, 20.0), pos2(130.0, 120.0), pos2(200.0, 120.0)]);
}

#[test]
fn feedback_goes_round_both_blocks() {
    let (a, b) = (block(20, 0, 0), block(0, 0, 0));
    let points = route(&output(a), &input(b), None, &[obstacle(a), obstacle(b)]);
    check(&points, &output(a), &input(b));
    assert!(is_free(&points, &[a, b]), "{points:?}");
    assert_eq!(points.len(), 6, "{points:?}");
}

#[test]
fn feedback_enters_a_sum_from_below() {
    let (sum, gain) = (Rect::from_min_size(pos2(0.0, 0.0), vec2(40.0, 40.0)), block(10, 10, 0));
    let from = End { at: gain.left_center(), heading: Heading::Left, block: gain };
    let to = End { at: sum.center_bottom(), heading: Heading::Up, block: sum };
    let points = route(&from, &to, None, &[obstacle(sum), obstacle(gain)]);
    assert_eq!(points, [pos2(100.0, 120.0), pos2(20.0, 120.0), pos2(20.0, 40.0)]);
}

#[test]
fn a_block_in_the_way_is_gone_round() {
    let (a, b, wall) = (block(0, 10, 0), block(40, 10, 0), block(18, 4, 6));
    let points = route(&output(a), &input(b), None, &[obstacle(a), obstacle(b), obstacle(wall)]);
    check(&points, &output(a), &input(b));
    assert!(is_free(&points, &[a, b, wall]), "{points:?}");
}

#[test]
fn wires_of_one_output_branch_where_they_part() {
    let first = [pos2(0.0, 0.0), pos2(50.0, 0.0), pos2(50.0, 40.0), pos2(90.0, 40.0)];
    let second = [pos2(0.0, 0.0), pos2(50.0, 0.0), pos2(50.0, 80.0), pos2(90.0, 80.0)];
    assert_eq!(branch_point(&first, &second), Some(pos2(50.0, 40.0)));
    let straight = [pos2(0.0, 0.0), pos2(90.0, 0.0)];
    assert_eq!(branch_point(&straight, &second), Some(pos2(50.0, 0.0)));
    let away = [pos2(0.0, 0.0), pos2(0.0, 40.0)];
    assert_eq!(branch_point(&straight, &away), None);
}

#[test]
fn bends_are_read_and_written() {
    let bends = [pos2(40.0, 80.0), pos2(40.0, 120.5)];
    assert_eq!(write_bends(&bends), "40,80 40,120.5");
    assert_eq!(read_bends("40,80 40,120.5"), bends);
    assert_eq!(read_bends("40,80 x,1 7 inf,2 40,120.5 "), bends);
}

#[test]
fn a_segment_is_dragged_across_its_direction() {
    let points = [pos2(0.0, 0.0), pos2(50.0, 0.0), pos2(50.0, 80.0), pos2(100.0, 80.0)];
    assert_eq!(drag_segment(&points, 1, vec2(21.0, 300.0)), [pos2(70.0, 0.0), pos2(70.0, 80.0)]);
}

proptest! {
    #![proptest_config(crate::random_cases(256))]

    #[test]
    fn routes_join_their_ports_with_right_angles(
        places in prop::collection::vec((-40i32..40, -40i32..40, 0i32..3), 2..14),
        headings in (0usize..2, 0usize..4),
    ) {
        let blocks: Vec<Rect> = places.iter().map(|&(x, y, rows)| block(x, y, rows)).collect();
        let obstacles: Vec<Obstacle> = blocks.iter().map(|&rect| obstacle(rect)).collect();
        let (a, b) = (blocks[0], blocks[1]);
        let from = match headings.0 {
            0 => output(a),
            _ => End { at: a.left_center(), heading: Heading::Left, block: a },
        };
        let to = match headings.1 {
            0 => input(b),
            1 => End { at: b.right_center(), heading: Heading::Left, block: b },
            2 => End { at: b.center_bottom(), heading: Heading::Up, block: b },
            _ => End { at: b.center_top(), heading: Heading::Down, block: b },
        };
        prop_assume!(!a.expand(20.0).intersects(b));
        let points = route(&from, &to, trunk(&from, &[to.at]), &obstacles);
        check(&points, &from, &to);
        prop_assert_eq!(&points, &route(&from, &to, trunk(&from, &[to.at]), &obstacles));
        prop_assert_eq!(&points, &simplified(points.clone()));
        // With space around every block there is always a free path within the corridor.
        let is_roomy = blocks.iter().enumerate().all(|(index, one)| {
            blocks[index + 1..].iter().all(|other| !one.expand(12.0).intersects(other.expand(12.0)))
        });
        if is_roomy {
            prop_assert!(is_free(&points, &blocks), "{:?} through {:?}", points, blocks);
        }
        let near: Vec<Obstacle> =
            obstacles.iter().copied().filter(|one| one.with_title.intersects(corridor(&from, &to))).collect();
        let again = route(&from, &to, trunk(&from, &[to.at]), &near);
        check(&again, &from, &to);
    }

    #[test]
    fn bends_of_any_kind_make_right_angles(
        bends in prop::collection::vec((-30i32..30, -30i32..30), 0..6),
        place in (-40i32..40, -40i32..40),
    ) {
        let bends: Vec<Pos2> = bends.iter().map(|&(x, y)| pos2(x as f32 * 10.0, y as f32 * 10.0)).collect();
        let (a, b) = (block(0, 0, 0), block(place.0, place.1, 0));
        prop_assume!(!a.expand(20.0).intersects(b));
        let (from, to) = (output(a), input(b));
        let points = through_bends(&from, &to, &bends);
        prop_assert_eq!((points.first(), points.last()), (Some(&from.at), Some(&to.at)));
        for pair in points.windows(2) {
            prop_assert!(pair[0].x == pair[1].x || pair[0].y == pair[1].y, "{:?}", points);
        }
        for segment in 0..points.len() - 1 {
            let dragged = through_bends(&from, &to, &drag_segment(&points, segment, vec2(30.0, -20.0)));
            for pair in dragged.windows(2) {
                prop_assert!(pair[0].x == pair[1].x || pair[0].y == pair[1].y, "{:?}", dragged);
            }
        }
    }
}

#[test]
fn a_block_can_feed_itself() {
    let a = block(0, 0, 0);
    let points = route(&output(a), &input(a), None, &[obstacle(a)]);
    check(&points, &output(a), &input(a));
    assert!(is_free(&points, &[a]), "{points:?}");
}
