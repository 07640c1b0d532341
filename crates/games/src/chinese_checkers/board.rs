//! The star: its fields, neighbors, corners and distances.

use std::sync::LazyLock;

use super::eval;

/// The size of the star.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Board {
    /// 73 fields, six pieces each.
    #[default]
    Small,
    /// 121 fields, ten pieces each.
    Large,
}

impl Board {
    pub(super) fn star(self) -> &'static Star {
        static SMALL: LazyLock<Star> = LazyLock::new(|| Star::new(3));
        static LARGE: LazyLock<Star> = LazyLock::new(|| Star::new(4));
        match self {
            Board::Small => &SMALL,
            Board::Large => &LARGE,
        }
    }
}

/// A field off the board. In sets of occupied fields it is always included: nothing can go there.
pub(super) const OFF: u8 = 127;

/// The length of tables by field: any byte is an index.
pub(super) const FIELDS: usize = 256;

/// No corner: the hexagon in the middle.
pub(super) const MIDDLE: u8 = 6;

/// The six directions, in cube coordinates.
const DIRECTIONS: [Cube; 6] =
    [Cube(1, 0, -1), Cube(1, -1, 0), Cube(0, -1, 1), Cube(-1, 0, 1), Cube(-1, 1, 0), Cube(0, 1, -1)];

/// A field as x, y, z with x + y + z = 0. Rows have the same z, which grows downwards; x grows to the right.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Cube(i32, i32, i32);

impl Cube {
    fn plus(self, other: Cube, times: i32) -> Cube {
        Cube(self.0 + times * other.0, self.1 + times * other.1, self.2 + times * other.2)
    }

    fn distance(self, other: Cube) -> i32 {
        let Cube(x, y, z) = self.plus(other, -1);
        x.abs().max(y.abs()).max(z.abs())
    }
}

/// Geometry of a board, without pieces.
///
/// Fields are numbered in the byte order of their names (a1, b1, b2, …, d1, d10, d2, …): going through a set of fields
/// from the lowest bit lists them, and moves from them, in the order of the notation.
pub(super) struct Star {
    pub(super) fields: usize,
    pub(super) names: Vec<String>,
    /// The fields of each row from left to right.
    pub(super) rows: Vec<Vec<u8>>,
    /// The indentation of each row in pictures, in half fields.
    pub(super) indents: Vec<usize>,
    /// Each field's neighbors with the fields behind them, or [`OFF`].
    pub(super) around: [[(u8, u8); 6]; FIELDS],
    /// Each field's neighbors.
    pub(super) near: [u128; FIELDS],
    /// Each field's neighbors and the fields behind them: those that decide where the next hop can go.
    pub(super) looked_at: [u128; FIELDS],
    /// The number of neighbors of each field.
    pub(super) degree: [u8; FIELDS],
    /// The corners clockwise from the north.
    pub(super) corners: [u128; 6],
    /// The corner that each field lies in, or [`MIDDLE`].
    pub(super) corner_of: [u8; FIELDS],
    /// Steps on an empty board from each field to the tip of each corner.
    pub(super) to_tip: [[u8; FIELDS]; 6],
    /// By corner, the field that each field becomes if the star is turned so that the corner is in the north.
    pub(super) turned: [[u8; FIELDS]; 6],
    /// Each field's mirror image, left for right.
    pub(super) mirrored: [u8; FIELDS],
    /// By goal, what a piece on each field adds to the score of [`Eval::Distance`](super::Eval::Distance).
    pub(super) worth: [[i16; FIELDS]; 6],
    /// The least and the most that all pieces of a player can be worth.
    pub(super) range: (i32, i32),
    /// The row and the column of each field in planes.
    pub(super) grid: [[u8; 2]; FIELDS],
    /// The number of the move from each field to each other one, if there can be such a move.
    pub(super) numbers: Vec<[u16; FIELDS]>,
    /// How many moves have numbers, the pass included, which is the last.
    pub(super) moves: usize,
}

impl Star {
    /// The star around a hexagon of side `k` + 1.
    fn new(k: i32) -> Star {
        let on_board = |&Cube(x, y, z): &Cube| x.max(y).max(z) <= k || x.min(y).min(z) >= -k;
        let row = |z: i32| (-2 * k..=2 * k).map(move |x| Cube(x, -x - z, z)).filter(on_board);
        let mut named: Vec<(String, Cube)> = (-2 * k..=2 * k)
            .zip('a'..)
            .flat_map(|(z, letter)| row(z).zip(1..).map(move |(cube, number)| (format!("{letter}{number}"), cube)))
            .collect();
        named.sort_by(|(a, _), (b, _)| a.cmp(b));
        let field = |cube: Cube| named.iter().position(|&(_, c)| c == cube).map_or(OFF, |field| field as u8);

        let tips = [
            Cube(k, k, -2 * k),
            Cube(2 * k, -k, -k),
            Cube(k, -2 * k, k),
            Cube(-k, -k, 2 * k),
            Cube(-2 * k, k, k),
            Cube(-k, 2 * k, -k),
        ];
        let mut star = Star {
            fields: named.len(),
            names: named.iter().map(|(name, _)| name.clone()).collect(),
            rows: (-2 * k..=2 * k).map(|z| row(z).map(field).collect()).collect(),
            indents: (-2 * k..=2 * k)
                .map(|z| row(z).map(|c| (c.0 - c.1 + 3 * k) as usize).min().unwrap_or(0))
                .collect(),
            around: [[(OFF, OFF); 6]; FIELDS],
            near: [0; FIELDS],
            looked_at: [0; FIELDS],
            degree: [0; FIELDS],
            corners: [0; 6],
            corner_of: [MIDDLE; FIELDS],
            to_tip: [[0; FIELDS]; 6],
            turned: [[OFF; FIELDS]; 6],
            mirrored: [OFF; FIELDS],
            worth: [[0; FIELDS]; 6],
            range: (0, 0),
            grid: [[0; 2]; FIELDS],
            numbers: vec![[0; FIELDS]; named.len()],
            moves: 0,
        };
        for (index, &(_, cube)) in named.iter().enumerate() {
            star.around[index] = DIRECTIONS.map(|step| (field(cube.plus(step, 1)), field(cube.plus(step, 2))));
            let set = |fields: [u8; 6]| fields.iter().fold(0, |set, &field| set | 1u128 << field) & !(1 << OFF);
            star.near[index] = set(star.around[index].map(|(near, _)| near));
            star.looked_at[index] = star.near[index] | set(star.around[index].map(|(_, behind)| behind));
            star.grid[index] = [cube.2, cube.0].map(|coordinate| (coordinate + 2 * k) as u8);
            for (to, &(_, target)) in named.iter().enumerate() {
                // A hop goes two fields in a direction.
                let Cube(x, y, z) = target.plus(cube, -1);
                let is_hop = x % 2 == 0 && y % 2 == 0 && z % 2 == 0;
                if to != index && (is_hop || cube.distance(target) == 1) {
                    star.numbers[index][to] = star.moves as u16;
                    star.moves += 1;
                }
            }
            star.degree[index] = star.around[index].iter().filter(|&&(near, _)| near != OFF).count() as u8;
            star.mirrored[index] = field(Cube(cube.1, cube.0, cube.2));
            let mut turned = cube;
            for (corner, &tip) in tips.iter().enumerate() {
                star.turned[corner][index] = field(turned);
                turned = Cube(-turned.1, -turned.2, -turned.0);
                let steps = cube.distance(tip);
                star.to_tip[corner][index] = steps as u8;
                if steps < k {
                    star.corners[corner] |= 1 << index;
                    star.corner_of[index] = corner as u8;
                }
            }
            for goal in 0..6 {
                star.worth[goal as usize][index] = eval::worth(&star, goal, index);
            }
        }
        star.moves += 1;
        // The star is symmetric: any goal will do.
        star.range = star.range_of(0);
        star
    }

    /// The number of pieces of each player.
    pub(super) fn pieces(&self) -> u32 {
        self.corners[0].count_ones()
    }

    /// The least and the most that the pieces of a player whose goal is `goal` can be worth.
    fn range_of(&self, goal: usize) -> (i32, i32) {
        let mut values: Vec<i32> = self.worth[goal][..self.fields].iter().map(|&worth| worth.into()).collect();
        values.sort();
        let count = self.pieces() as usize;
        (values[..count].iter().sum(), values[values.len() - count..].iter().sum())
    }
}

/// The fields of a set, lowest first.
#[inline]
pub(super) fn fields(mut set: u128) -> impl Iterator<Item = u8> {
    std::iter::from_fn(move || {
        if set == 0 {
            return None;
        }
        let field = set.trailing_zeros() as u8;
        set &= set - 1;
        Some(field)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_have_the_lengths_of_the_rules() {
        let lengths = |board: Board| board.star().rows.iter().map(Vec::len).collect::<Vec<_>>();
        assert_eq!(lengths(Board::Small), [1, 2, 3, 10, 9, 8, 7, 8, 9, 10, 3, 2, 1]);
        assert_eq!(lengths(Board::Large), [1, 2, 3, 4, 13, 12, 11, 10, 9, 10, 11, 12, 13, 4, 3, 2, 1]);
    }

    #[test]
    fn corners_go_clockwise_from_the_north() {
        let star = Board::Small.star();
        let names =
            |corner: u128| fields(corner).map(|f| star.names[f as usize].as_str()).collect::<Vec<_>>().join(" ");
        let found = star.corners.map(names);
        let expected = [
            "a1 b1 b2 c1 c2 c3",
            "d10 d8 d9 e8 e9 f8",
            "h8 i8 i9 j10 j8 j9",
            "k1 k2 k3 l1 l2 m1",
            "h1 i1 i2 j1 j2 j3",
            "d1 d2 d3 e1 e2 f1",
        ];
        assert_eq!(found, expected);
        assert_eq!(Board::Large.star().corners.map(u128::count_ones), [10; 6]);
    }

    #[test]
    fn turning_brings_corners_north_and_keeps_neighbors() {
        for star in [Board::Small.star(), Board::Large.star()] {
            for corner in 0..6 {
                let image = |set: u128| fields(set).fold(0, |all, f| all | 1u128 << star.turned[corner][f as usize]);
                assert_eq!(image(star.corners[corner]), star.corners[0]);
                assert_eq!(image(star.corners[(corner + 1) % 6]), star.corners[1]);
                for (field, around) in star.around[..star.fields].iter().enumerate() {
                    let turned = star.around[star.turned[corner][field] as usize];
                    for (near, _) in around.iter().filter(|&&(near, _)| near != OFF) {
                        assert!(turned.iter().any(|&(other, _)| other == star.turned[corner][*near as usize]));
                    }
                }
            }
            let image = |set: u128| fields(set).fold(0, |all, f| all | 1u128 << star.mirrored[f as usize]);
            assert_eq!([0, 5, 4, 3, 2, 1].map(|corner: usize| image(star.corners[corner])), star.corners);
        }
    }

    #[test]
    fn fields_are_numbered_in_the_byte_order_of_their_names() {
        for board in [Board::Small, Board::Large] {
            assert!(board.star().names.is_sorted());
        }
    }
}
