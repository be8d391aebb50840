//! Directed graphs, and the one search for their loops.

use std::collections::BTreeMap;

use super::ids::{EntityRef, Keys, PrimaryMap};

/// A directed graph.
pub(in crate::engine) struct Graph<N: EntityRef> {
    /// For each node the index of its first edge; one more for the end.
    firsts: Vec<u32>,
    /// The successors of all nodes, node by node.
    edges: Vec<N>,
}

impl<N: EntityRef + Ord> Graph<N> {
    /// `successors` adds the successors of a node.
    pub fn new(nodes: Keys<N>, mut successors: impl FnMut(N, &mut Vec<N>)) -> Graph<N> {
        let mut graph = Graph { firsts: Vec::with_capacity(nodes.len() + 1), edges: Vec::new() };
        for node in nodes {
            graph.firsts.push(graph.edges.len() as u32);
            successors(node, &mut graph.edges);
        }
        graph.firsts.push(graph.edges.len() as u32);
        graph
    }

    fn nodes(&self) -> Keys<N> {
        Keys::with_len(self.firsts.len() - 1)
    }

    /// The successors of a node; one of several edges to the same node appears several times.
    pub fn successors(&self, node: N) -> &[N] {
        &self.edges[self.firsts[node.index()] as usize..self.firsts[node.index() + 1] as usize]
    }

    /// The same graph with all edges turned round; the successors of each node are in ascending order.
    pub fn reversed(&self) -> Graph<N> {
        let mut firsts = vec![0; self.firsts.len()];
        self.edges.iter().for_each(|to| firsts[to.index() + 1] += 1);
        for node in 1..firsts.len() {
            firsts[node] += firsts[node - 1];
        }
        let mut next = firsts.clone();
        let mut edges = self.edges.clone();
        for from in self.nodes() {
            for to in self.successors(from) {
                let index = &mut next[to.index()];
                edges[*index as usize] = from;
                *index += 1;
            }
        }
        Graph { firsts, edges }
    }

    /// The strongly connected components that contain a loop, each with its nodes in ascending order; the components
    /// are in order of their first node.
    ///
    /// Tarjan's algorithm (SIAM J. Computing 1, 1972), without recursion.
    pub fn loops(&self) -> Vec<Vec<N>> {
        const NEW: u32 = u32::MAX;
        let mut index: PrimaryMap<N, u32> = self.nodes().map(|_| NEW).collect();
        let mut lowest = index.clone();
        let mut is_open: PrimaryMap<N, bool> = self.nodes().map(|_| false).collect();
        let (mut open, mut found, mut next) = (Vec::new(), Vec::new(), 0);
        // The nodes from the root of the search to the current one, each with the number of edges followed so far.
        let mut path: Vec<(N, usize)> = Vec::new();
        for root in self.nodes() {
            if index[root] == NEW {
                path.push((root, 0));
            }
            while let Some(&mut (node, ref mut followed)) = path.last_mut() {
                if index[node] == NEW {
                    (index[node], lowest[node], is_open[node]) = (next, next, true);
                    next += 1;
                    open.push(node);
                }
                if let Some(&successor) = self.successors(node).get(*followed) {
                    *followed += 1;
                    if index[successor] == NEW {
                        path.push((successor, 0));
                    } else if is_open[successor] {
                        lowest[node] = lowest[node].min(index[successor]);
                    }
                    continue;
                }
                path.pop();
                if let Some(&(before, _)) = path.last() {
                    lowest[before] = lowest[before].min(lowest[node]);
                }
                if lowest[node] == index[node] {
                    let first = open.iter().rposition(|member| *member == node).unwrap_or(0);
                    let mut members = open.split_off(first);
                    members.iter().for_each(|member| is_open[*member] = false);
                    if members.len() > 1 || self.successors(node).contains(&node) {
                        members.sort_unstable();
                        found.push(members);
                    }
                }
            }
        }
        found.sort();
        found
    }

    /// One of the shortest loops through the first member of a component, against the direction of the edges.
    pub fn shortest_loop(&self, members: &[N]) -> Vec<N> {
        let Some(&start) = members.first() else { return Vec::new() };
        let mut from: BTreeMap<N, N> = BTreeMap::new();
        let mut level = vec![start];
        while !level.is_empty() {
            let mut next_level = Vec::new();
            for node in level {
                for &successor in self.successors(node) {
                    if successor == start {
                        let back = std::iter::successors(Some(node), |node| from.get(node).copied());
                        return back.collect();
                    }
                    if members.binary_search(&successor).is_ok() && !from.contains_key(&successor) {
                        from.insert(successor, node);
                        next_level.push(successor);
                    }
                }
            }
            level = next_level;
        }
        members.to_vec()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::engine::UnitId;

    /// 0 → 1 → 2 → 0 with a shortcut 2 → 1, 3 → 3, and 4 → 0, which is in no loop.
    fn graph() -> Graph<UnitId> {
        let successors: [&[usize]; 5] = [&[1], &[2], &[0, 1], &[3], &[0, 3, 3]];
        Graph::new(Keys::with_len(5), |node: UnitId, found| found.extend(nodes(successors[node.index()])))
    }

    fn nodes(numbers: &[usize]) -> Vec<UnitId> {
        numbers.iter().copied().map(UnitId::new).collect()
    }

    #[test]
    fn loops_are_components_and_nodes_that_lead_to_themselves() {
        assert_eq!(graph().loops(), [nodes(&[0, 1, 2]), nodes(&[3])]);
        assert_eq!(graph().reversed().loops(), [nodes(&[0, 1, 2]), nodes(&[3])]);
    }

    #[test]
    fn a_shortest_loop_leads_through_the_first_member() {
        assert_eq!(graph().shortest_loop(&nodes(&[0, 1, 2])), nodes(&[2, 1, 0]));
        assert_eq!(graph().shortest_loop(&nodes(&[1, 2])), nodes(&[2, 1]));
        assert_eq!(graph().shortest_loop(&nodes(&[3])), nodes(&[3]));
    }

    #[test]
    fn reversed_edges_are_in_ascending_order_and_as_many() {
        let reversed = graph().reversed();
        let successors: Vec<&[UnitId]> = reversed.nodes().map(|node| reversed.successors(node)).collect();
        let expected: [&[usize]; 5] = [&[2, 4], &[0, 2], &[1], &[3, 4, 4], &[]];
        assert_eq!(successors, expected.map(nodes));
    }
}
