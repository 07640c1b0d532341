//! Outlines of figures, marks and suits as SVG path data, each in a box of 100 by 100. They are filled by the nonzero rule.

use super::{Figure, Mark};

/// The outline of a chess piece; `None` for figures that need no outline.
pub const fn figure_path(figure: Figure) -> Option<&'static str> {
    Some(match figure {
        Figure::Pawn => {
            "M50 16A14 14 0 0 1 59 41H65V49H58C58 61 62 69 73 76V87H27V76C38 69 42 61 42 49H35V41H41A14 14 0 0 1 50 16Z"
        }
        Figure::Knight => {
            "M38 10L45 22C63 22 77 38 77 62V76L80 79V88H26V79C26 66 45 61 46 47C41 51 36 51 32 57L25 56L18 50L31 31L33 23ZM38 \
             32A3 3 0 1 0 44 32A3 3 0 1 0 38 32Z"
        }
        Figure::Bishop => {
            "M50 8A6 6 0 0 1 55 18C66 27 70 36 70 45C70 52 66 57 61 60L64 71L76 78V88H24V78L36 71L39 60C34 57 30 52 30 45C30 36 \
             34 27 45 18A6 6 0 0 1 50 8ZM57 30L48 40L51 43L60 34Z"
        }
        Figure::Rook => "M24 16H36V25H44V16H56V25H64V16H76V36L67 43L69 69L78 77V88H22V77L31 69L33 43L24 36Z",
        Figure::Queen => {
            "M17 31A6 6 0 1 1 23 31L35 47L36 24A6 6 0 1 1 42 24L50 43L58 24A6 6 0 1 1 64 24L65 47L77 31A6 6 0 1 1 83 31L72 67L78 \
             77V88H22V77L28 67Z"
        }
        Figure::King => {
            "M46 5H54V12H61V20H54V27C58 28 60 31 60 35C69 28 85 31 85 46C85 56 76 61 71 69L78 77V88H22V77L29 69C24 61 15 56 15 \
             46C15 31 31 28 40 35C40 31 42 28 46 27V20H39V12H46Z"
        }
        Figure::Disc | Figure::Marble | Figure::Card | Figure::Token => return None,
    })
}

/// The outline of a player's mark.
pub const fn mark_path(mark: Mark) -> &'static str {
    match mark {
        Mark::Circle => "M4 50A46 46 0 1 1 96 50A46 46 0 1 1 4 50Z",
        Mark::Square => "M10 10H90V90H10Z",
        Mark::Triangle => "M50 2L100 90H0Z",
        Mark::Diamond => "M50 0L96 50L50 100L4 50Z",
        Mark::Star => "M50 0L62.4 35.4L99.9 36.3L70.1 59L80.9 95L50 73.6L19.1 95L29.9 59L0.1 36.3L37.6 35.4Z",
        Mark::Cross => "M34 0H66V34H100V66H66V100H34V66H0V34H34Z",
    }
}

/// The outline of a suit's sign, one of [`SUITS`](super::SUITS).
pub const fn suit_path(sign: char) -> Option<&'static str> {
    Some(match sign {
        '♠' => {
            "M50 2C78 30 96 43 96 62C96 75 86 82 76 82C67 82 59 77 54 69C55 82 60 91 69 98H31C40 91 45 82 46 69C41 77 33 82 24 \
             82C14 82 4 75 4 62C4 43 22 30 50 2Z"
        }
        '♥' => {
            "M50 96C22 68 4 52 4 31C4 15 16 6 28 6C38 6 46 12 50 21C54 12 62 6 72 6C84 6 96 15 96 31C96 52 78 68 50 96Z"
        }
        '♦' => "M50 0L88 50L50 100L12 50Z",
        '♣' => {
            "M28 24A22 22 0 1 1 72 24A22 22 0 1 1 28 24ZM4 58A22 22 0 1 1 48 58A22 22 0 1 1 4 58ZM52 58A22 22 0 1 1 96 58A22 22 \
             0 1 1 52 58ZM44 34H56V64C56 80 60 91 70 98H30C40 91 44 80 44 64Z"
        }
        _ => return None,
    })
}
