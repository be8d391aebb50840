//! The order in which columns are eliminated.

use std::collections::BTreeSet;

/// Rows with more elements than this, in square roots of the size, come last: they would be searched again and again.
const MANY: f64 = 10.0;

/// Returns an order of elimination in which the factors of a matrix stay sparse, by approximate minimum degree (Amestoy,
/// Davis, Duff: SIAM J. Matrix Anal. Appl. 17, 1996) on the pattern of the matrix and its transpose. The pattern is given
/// by where each column begins, and by the rows of its elements.
///
/// Eliminated columns stay in the graph as elements: sets of the columns that they connect. The degree of a column is
/// bounded from above by the sizes of its elements, without what they share with the one that was made last.
///
/// Returns `None` if the factors would have more than `most` elements.
pub fn minimum_degree(starts: &[u32], rows: &[u32], most: usize) -> Option<Vec<u32>> {
    let size = starts.len() - 1;
    let mut graph = Graph::new(starts, rows);
    let many = (MANY * (size as f64).sqrt()).max(16.0) as usize;
    let (mut dense, mut order) = (Vec::new(), Vec::with_capacity(size));
    let mut waiting = BTreeSet::new();
    for column in 0..size {
        if graph.columns[column].len() > many {
            dense.push(column as u32)
        } else {
            waiting.insert((graph.columns[column].len(), column as u32));
        }
    }
    for &column in &dense {
        graph.is_gone[column as usize] = true;
    }
    for column in 0..size {
        let is_gone = &graph.is_gone;
        graph.columns[column].retain(|other| !is_gone[*other as usize]);
    }
    let mut degrees: Vec<usize> = vec![0; size];
    waiting.iter().for_each(|(degree, column)| degrees[*column as usize] = *degree);
    let mut left = most.checked_sub(dense.len().saturating_mul(size))?;
    while let Some((_, pivot)) = waiting.pop_first() {
        order.push(pivot);
        let below = graph.eliminate(pivot, |column, degree| {
            waiting.remove(&(degrees[column as usize], column));
            // Elimination adds at most the columns that the new element connects.
            degrees[column as usize] = degree;
            waiting.insert((degree, column));
        });
        // As many above the diagonal as below it.
        left = left.checked_sub(2 * below)?;
    }
    order.extend(dense);
    Some(order)
}

struct Graph {
    /// For each column those that it is connected to directly.
    columns: Vec<Vec<u32>>,
    /// For each column the elements that it belongs to, by the columns that they were made of.
    elements: Vec<Vec<u32>>,
    /// For each eliminated column the columns that it connects.
    members: Vec<Vec<u32>>,
    is_gone: Vec<bool>,
    /// Marks the members of the latest element.
    mark: Vec<u32>,
    /// For each element the number of its members outside the latest element, and the element for which that was
    /// counted.
    rest: Vec<(usize, u32)>,
}

const NONE: u32 = u32::MAX;

impl Graph {
    fn new(starts: &[u32], rows: &[u32]) -> Graph {
        let size = starts.len() - 1;
        let mut columns = vec![Vec::new(); size];
        for column in 0..size {
            for &row in &rows[starts[column] as usize..starts[column + 1] as usize] {
                if row as usize != column {
                    columns[column].push(row);
                    columns[row as usize].push(column as u32);
                }
            }
        }
        for of in &mut columns {
            of.sort_unstable();
            of.dedup();
        }
        Graph {
            columns,
            elements: vec![Vec::new(); size],
            members: vec![Vec::new(); size],
            is_gone: vec![false; size],
            mark: vec![NONE; size],
            rest: vec![(0, NONE); size],
        }
    }

    /// Eliminates a column, and tells the new degree of each that is connected to it. Returns their number.
    fn eliminate(&mut self, pivot: u32, mut tell: impl FnMut(u32, usize)) -> usize {
        let at = pivot as usize;
        self.is_gone[at] = true;
        self.mark[at] = pivot;
        let mut members = std::mem::take(&mut self.columns[at]);
        for element in std::mem::take(&mut self.elements[at]) {
            // The new element has all that it connects.
            members.append(&mut self.members[element as usize]);
        }
        let (mark, is_gone) = (&mut self.mark, &self.is_gone);
        members.retain(|&column| {
            !is_gone[column as usize] && std::mem::replace(&mut mark[column as usize], pivot) != pivot
        });
        for &column in &members {
            for &element in &self.elements[column as usize] {
                let connected = &self.members[element as usize];
                let (rest, counted) = &mut self.rest[element as usize];
                if *counted != pivot {
                    (*rest, *counted) =
                        (connected.iter().filter(|column| !self.is_gone[**column as usize]).count(), pivot);
                }
                *rest = rest.saturating_sub(1);
            }
        }
        for &column in &members {
            let of = column as usize;
            let (mark, is_gone, connected, rest) = (&self.mark, &self.is_gone, &self.members, &self.rest);
            // Columns that the new element connects, and elements without other members, are represented by the new
            // element.
            self.columns[of].retain(|other| mark[*other as usize] != pivot && !is_gone[*other as usize]);
            self.elements[of]
                .retain(|element| !connected[*element as usize].is_empty() && rest[*element as usize].0 > 0);
            let others: usize = self.elements[of].iter().map(|element| rest[*element as usize].0).sum();
            tell(column, self.columns[of].len() + members.len() - 1 + others);
            self.elements[of].push(pivot);
        }
        let count = members.len();
        self.members[at] = members;
        count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the number of elements below the diagonal of the factor of a symmetric pattern, by elimination as it is
    /// defined.
    fn fill(neighbours: &[Vec<u32>], order: &[u32]) -> usize {
        let mut graph: Vec<BTreeSet<u32>> = neighbours.iter().map(|of| of.iter().copied().collect()).collect();
        let mut count = 0;
        for &pivot in order {
            let of: Vec<u32> = graph[pivot as usize].iter().copied().collect();
            count += of.len();
            for &a in &of {
                graph[a as usize].remove(&pivot);
                let others: Vec<u32> = of.iter().copied().filter(|b| *b != a).collect();
                graph[a as usize].extend(others);
            }
        }
        count
    }

    fn grid(side: u32) -> Vec<Vec<u32>> {
        let near = |x: u32, y: u32| {
            let beside = [(x.wrapping_sub(1), y), (x + 1, y), (x, y.wrapping_sub(1)), (x, y + 1)];
            let mut near: Vec<u32> =
                beside.into_iter().filter(|(x, y)| *x < side && *y < side).map(|(x, y)| y * side + x).collect();
            near.sort_unstable();
            near
        };
        (0..side * side).map(|at| near(at % side, at / side)).collect()
    }

    fn order_of(neighbours: &[Vec<u32>]) -> Vec<u32> {
        let mut starts = vec![0];
        starts.extend(neighbours.iter().scan(0, |sum, of| {
            *sum += of.len() as u32;
            Some(*sum)
        }));
        let columns = neighbours.concat();
        let order = minimum_degree(&starts, &columns, usize::MAX).expect("there is no limit");
        // Twice the elements below the diagonal.
        let all = 2 * fill(neighbours, &order);
        assert!(minimum_degree(&starts, &columns, all / 2).is_none());
        let mut sorted = order.clone();
        sorted.sort_unstable();
        assert!(sorted.iter().copied().eq(0..neighbours.len() as u32), "each column once");
        order
    }

    /// A chain has no fill in its best order: each column but the last has one element below the diagonal.
    #[test]
    fn a_chain_and_a_star_have_no_fill() {
        let chain: Vec<Vec<u32>> = (0..50u32)
            .map(|at| [at.checked_sub(1), (at < 49).then_some(at + 1)].into_iter().flatten().collect())
            .collect();
        assert_eq!(fill(&chain, &order_of(&chain)), 49);
        let mut star: Vec<Vec<u32>> = (0..400).map(|_| vec![0]).collect();
        star[0] = (1..400).collect();
        assert_eq!(fill(&star, &order_of(&star)), 399);
    }

    /// Nested dissection needs about 31·n·log2(n)/4 elements on a grid (George, Liu: Computer Solution of Large Sparse
    /// Positive Definite Systems, 1981); row by row it is n^1.5.
    #[test]
    fn a_grid_has_little_fill() {
        let grid = grid(30);
        let plain: Vec<u32> = (0..900).collect();
        assert_eq!(fill(&grid, &plain), 29 * 30 * 30 + 29);
        let found = fill(&grid, &order_of(&grid));
        assert!(found < 12_000, "{found}");
    }
}
