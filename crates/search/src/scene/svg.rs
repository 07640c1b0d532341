//! Scenes as SVG.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write;

use super::{
    Align, Color, Figure, Piece, Place, Role, Scene, Seat, Shape, Style, card, figure_path, mark_path, suit_path,
};
use crate::Player;

/// The background that a drawing is made for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// As the reader prefers: light, and dark where a browser asks for it.
    #[default]
    Auto,
    /// A light background.
    Light,
    /// A dark background.
    Dark,
}

/// A move drawn over a scene.
#[derive(Clone, Debug, PartialEq)]
pub struct Arrow {
    /// Whose move it is, which decides the color.
    pub player: Option<Player>,
    /// The ids of places that it leads through; arrows with an unknown id are left out, and one with a single place is a ring.
    pub places: Vec<String>,
}

/// What a drawing has besides the scene.
#[derive(Clone, Debug, PartialEq)]
pub struct SvgOptions {
    /// The width in pixels, which browsers may change.
    pub width: u32,
    /// The background.
    pub theme: Theme,
    /// Whether the players and the status are written below a board. Scenes that name the players beside their hands only need
    /// the status.
    pub legend: bool,
    /// Moves to draw, numbered if there are several.
    pub arrows: Vec<Arrow>,
    /// A description for those who do not see it.
    pub title: String,
}

impl Default for SvgOptions {
    fn default() -> SvgOptions {
        SvgOptions { width: 640, theme: Theme::Auto, legend: true, arrows: Vec::new(), title: String::new() }
    }
}

/// A color on a light background and on a dark one.
#[derive(Clone, Copy)]
struct Paint(&'static str, &'static str);

const BACK: Paint = Paint("#ffffff", "#16191f");
const TONES: [Paint; 3] = [Paint("#f3eee4", "#2b313b"), Paint("#e0d7c5", "#39414e"), Paint("#7fb08c", "#2f5a45")];
const EDGE: Paint = Paint("#b7ac97", "#505a69");
const FRAME: Paint = Paint("#8796ab", "#3d4859");
const TEXT: Paint = Paint("#22262c", "#eceff3");
const DIM: Paint = Paint("#5b6470", "#aab3c0");
const LAST: Paint = Paint("#b36b00", "#ffc94d");
const CARD: Paint = Paint("#ffffff", "#f2f2f0");
const CARD_EDGE: Paint = Paint("#8d939c", "#10131a");
const CARD_BACK: Paint = Paint("#5b6f95", "#46597d");
const NEUTRAL: Paint = Paint("#c9ccd1", "#737b87");
const OUTLINE: Paint = Paint("#2b2b2b", "#0b0d10");

/// The height of captions and of lines of the legend, and the size of their letters.
const LINE: f32 = 0.52;
const LETTERS: f32 = 0.34;
/// The mean width of a letter of size 1.
const LETTER: f32 = 0.51;
const MARGIN: f32 = 0.2;

/// The scene as a complete SVG document.
///
/// It refers to nothing outside itself and has no scripts, so it can be put into any page or notebook.
pub fn svg(scene: &Scene, options: &SvgOptions) -> String {
    let mut drawing = Drawing { out: String::new(), theme: options.theme, rules: BTreeSet::new() };
    drawing.scene(scene);
    for (index, arrow) in options.arrows.iter().enumerate() {
        drawing.arrow(scene, arrow, (options.arrows.len() > 1).then_some(index + 1));
    }
    let below = if options.legend { drawing.legend(scene) } else { 0.0 };
    let (wide, high) = (scene.width + 2.0 * MARGIN, scene.height + below + 2.0 * MARGIN);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{:.0}\" viewBox=\"{} {} {} {}\" role=\"img\" \
         font-family=\"Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif\">\n",
        options.width,
        options.width as f32 * high / wide,
        n(-MARGIN),
        n(-MARGIN),
        n(wide),
        n(high)
    );
    if !options.title.is_empty() {
        put(&mut out, format_args!("<title>{}</title>\n", escape(&options.title)));
    }
    let back = drawing.paint(Some(BACK), None);
    if !drawing.rules.is_empty() {
        let rules: String = drawing.rules.iter().map(String::as_str).collect();
        put(&mut out, format_args!("<style>@media(prefers-color-scheme:dark){{{rules}}}</style>\n"));
    }
    let rect = format_args!("<rect x=\"{0}\" y=\"{0}\" width=\"100%\" height=\"100%\" rx=\".2\"{back}/>\n", n(-MARGIN));
    put(&mut out, rect);
    out.push_str(&drawing.out);
    out.push_str("</svg>\n");
    out
}

/// A number with at most three decimals.
fn n(x: f32) -> String {
    let text = format!("{x:.3}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".into() } else { text.into() }
}

fn put(out: &mut String, text: std::fmt::Arguments<'_>) {
    out.write_fmt(text).expect("a String takes everything");
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

impl Style {
    const fn fill(&self) -> Paint {
        Paint(self.light, self.dark)
    }

    const fn outline(&self) -> Paint {
        match self.color {
            Color::Black => Paint("#000000", "#b9c0ca"),
            _ => OUTLINE,
        }
    }
}

/// What has been drawn.
struct Drawing {
    out: String,
    theme: Theme,
    /// CSS for dark backgrounds. A class is named after its color, so that drawings in one page agree.
    rules: BTreeSet<String>,
}

impl Drawing {
    fn put(&mut self, text: std::fmt::Arguments<'_>) {
        put(&mut self.out, text);
    }

    /// The attributes for a fill and a stroke; no fill is none.
    fn paint(&mut self, fill: Option<Paint>, stroke: Option<Paint>) -> String {
        let mut attributes = String::new();
        let mut classes = Vec::new();
        for (name, paint) in [("fill", fill), ("stroke", stroke)] {
            let Some(Paint(light, dark)) = paint else { continue };
            put(&mut attributes, format_args!(" {name}=\"{}\"", if self.theme == Theme::Dark { dark } else { light }));
            if self.theme == Theme::Auto && light != dark {
                let class = format!("nply-{name}-{}", &dark[1..]);
                self.rules.insert(format!(".{class}{{{name}:{dark}}}"));
                classes.push(class);
            }
        }
        if fill.is_none() {
            attributes.push_str(" fill=\"none\"");
        }
        if !classes.is_empty() {
            put(&mut attributes, format_args!(" class=\"{}\"", classes.join(" ")));
        }
        attributes
    }

    fn circle(&mut self, x: f32, y: f32, r: f32, attributes: &str) {
        self.put(format_args!("<circle cx=\"{}\" cy=\"{}\" r=\"{}\"{attributes}/>\n", n(x), n(y), n(r)));
    }

    /// A rectangle around a center.
    fn rect(&mut self, [x, y]: [f32; 2], [wide, high]: [f32; 2], round: f32, attributes: &str) {
        let (left, top) = (n(x - wide / 2.0), n(y - high / 2.0));
        self.put(format_args!(
            "<rect x=\"{left}\" y=\"{top}\" width=\"{}\" height=\"{}\" rx=\"{}\"{attributes}/>\n",
            n(wide),
            n(high),
            n(round)
        ));
    }

    /// An outline of a box of 100 by 100, in a square of this size around a center.
    fn path(&mut self, path: &str, [x, y]: [f32; 2], size: f32, attributes: &str) {
        let (left, top, scale) = (n(x - size / 2.0), n(y - size / 2.0), format!("{:.5}", size / 100.0));
        self.put(format_args!(
            "<path transform=\"translate({left} {top}) scale({scale})\" d=\"{path}\"{attributes}/>\n"
        ));
    }

    fn polygon(&mut self, corners: usize, turn: f32, [x, y]: [f32; 2], r: f32, attributes: &str) {
        let corner = |index: usize| {
            let angle = (index as f32 + turn) * std::f32::consts::TAU / corners as f32;
            format!("{},{}", n(x + r * angle.cos()), n(y + r * angle.sin()))
        };
        let points: Vec<String> = (0..corners).map(corner).collect();
        self.put(format_args!("<polygon points=\"{}\"{attributes}/>\n", points.join(" ")));
    }

    /// Text whose middle line is at `y`.
    fn text(&mut self, [x, y]: [f32; 2], align: Align, size: f32, text: &str, attributes: &str) {
        let (y, text) = (n(y + 0.35 * size), escape(text));
        self.put(format_args!(
            "<text x=\"{}\" y=\"{y}\" font-size=\"{}\" text-anchor=\"{}\"{attributes}>{text}</text>\n",
            n(x),
            n(size),
            align.name()
        ));
    }

    fn mark(&mut self, style: &Style, at: [f32; 2], size: f32) {
        let ink = self.paint(Some(Paint(style.ink, style.ink)), None);
        self.path(mark_path(style.mark), at, size, &ink);
    }

    fn scene(&mut self, scene: &Scene) {
        let edge = self.paint(None, Some(EDGE));
        let places: HashMap<&str, &Place> = scene.places.iter().map(|place| (place.id.as_str(), place)).collect();
        for (a, b) in &scene.links {
            if let (Some(a), Some(b)) = (places.get(a.as_str()), places.get(b.as_str())) {
                let [ax, ay, bx, by] = [a.x, a.y, b.x, b.y].map(n);
                let line = format_args!("<path d=\"M{ax} {ay}L{bx} {by}\" stroke-width=\".05\"{edge}/>\n");
                self.put(line);
            }
        }
        // Cards overlap their neighbors: each place is drawn with what is on it.
        let all = scene.pieces_by_place();
        for place in &scene.places {
            let pieces: &[&Piece] = all.get(place.id.as_str()).map_or(&[], |pieces| pieces);
            self.place(scene, place, pieces.is_empty());
            if scene.last.contains(&place.id) {
                self.touched(place);
            }
            for piece in pieces {
                self.piece(scene, place, piece);
            }
        }
        for label in &scene.labels {
            match label.player {
                None if !scene.links.is_empty() => {
                    // Beside a line of a tree.
                    let dim = self.paint(Some(DIM), Some(BACK)) + " stroke-width=\".14\" paint-order=\"stroke\"";
                    self.text([label.x, label.y], label.align, 0.28, &label.text, &dim);
                }
                None => {
                    let dim = self.paint(Some(DIM), None);
                    self.text([label.x, label.y], label.align, LETTERS, &label.text, &dim);
                }
                Some(player) => {
                    let seat = &scene.players[player.index()];
                    let wide = entry_width(seat);
                    let x = match label.align {
                        Align::Start => label.x,
                        Align::Middle => label.x - wide / 2.0,
                        Align::End => label.x - wide,
                    };
                    self.entry(seat, scene.turn == Some(player), [x, label.y]);
                }
            }
        }
    }

    fn place(&mut self, scene: &Scene, place: &Place, is_empty: bool) {
        let (at, size) = ([place.x, place.y], place.size);
        let tone = TONES[usize::from(place.tone).min(TONES.len() - 1)];
        let thin = " stroke-width=\".03\"";
        let colors = self.paint(Some(tone), Some(EDGE)) + thin;
        match place.shape {
            Shape::Square => self.rect(at, [size, size], 0.0, &colors),
            Shape::Circle => self.circle(place.x, place.y, 0.44 * size, &colors),
            Shape::Hexagon => self.polygon(6, 0.5, at, 0.577 * size, &colors),
            Shape::Octagon => self.polygon(8, 0.5, at, 0.541 * size, &colors),
            Shape::Slot => {
                let frame = self.paint(Some(FRAME), Some(FRAME)) + thin;
                self.rect(at, [size, size], 0.0, &frame);
                let hole = self.paint(Some(BACK), None);
                self.circle(place.x, place.y, 0.42 * size, &hole);
            }
            Shape::Card if is_empty => {
                let dashed = self.paint(None, Some(EDGE)) + " stroke-width=\".03\" stroke-dasharray=\".12 .1\"";
                self.rect(at, [size, 1.4 * size], 0.1 * size, &dashed);
            }
            Shape::Card => {}
            Shape::Box => self.rect(at, [size, 0.5], 0.08, &colors),
        }
        if let Some(goal) = place.goal {
            let style = scene.players[goal.index()].style();
            let tint = self.paint(Some(style.fill()), None) + " fill-opacity=\".28\"";
            self.circle(place.x, place.y, 0.44 * size, &tint);
            let tint = self.paint(Some(style.fill()), None) + " fill-opacity=\".75\"";
            self.path(mark_path(style.mark), at, 0.22 * size, &tint);
        }
        if let (Role::Reserve, true, Some(owner)) = (place.role, is_empty, place.owner) {
            let style = scene.players[owner.index()].style();
            let tint = self.paint(Some(style.fill()), None) + " fill-opacity=\".6\"";
            self.path(mark_path(style.mark), at, 0.3 * size, &tint);
        }
        if let Some(label) = place.label.as_deref().filter(|_| place.role != Role::Trick) {
            let text = self.paint(Some(TEXT), None);
            let letters = LETTERS.min(0.94 * size / (LETTER * label.chars().count().max(1) as f32));
            self.text(at, Align::Middle, letters, label, &text);
        }
    }

    /// A place of the last move.
    fn touched(&mut self, place: &Place) {
        let ring = self.paint(None, Some(LAST)) + " stroke-width=\".08\"";
        let (at, size) = ([place.x, place.y], place.size);
        match place.shape {
            Shape::Square => self.rect(at, [size - 0.08, size - 0.08], 0.0, &ring),
            Shape::Card => self.rect(at, [size + 0.1, 1.4 * size + 0.1], 0.1 * size, &ring),
            Shape::Box => self.rect(at, [size, 0.5], 0.08, &ring),
            Shape::Circle | Shape::Hexagon | Shape::Octagon | Shape::Slot => {
                self.circle(place.x, place.y, 0.45 * size, &ring);
            }
        }
    }

    fn piece(&mut self, scene: &Scene, place: &Place, piece: &Piece) {
        if piece.figure == Figure::Card {
            return self.card(place, piece);
        }
        if piece.faded {
            self.out.push_str("<g opacity=\".35\">\n");
        }
        let style = piece.player.map(|player| scene.players[player.index()].style());
        let (fill, outline) = style.map_or((NEUTRAL, OUTLINE), |style| (style.fill(), style.outline()));
        let (x, size) = (place.x, place.size);
        // What is on top of the piece: its middle and its width.
        let (y, mark) = match piece.figure {
            Figure::Token => {
                // The whole of the highest stack fits into a field.
                let lowest = if place.role == Role::Field { 0.2 } else { 0.03 };
                let y = place.y + size * (lowest - 0.13 * piece.level as f32);
                self.chip([x, y], size, fill, outline);
                (y - 0.07 * size, 0.2 * size)
            }
            Figure::Disc | Figure::Marble => {
                let colors = self.paint(Some(fill), Some(outline)) + " stroke-width=\".035\"";
                self.circle(x, place.y, 0.38 * size, &colors);
                if piece.figure == Figure::Marble {
                    let shine = " fill=\"#fff\" fill-opacity=\".5\"";
                    self.circle(x - 0.19 * size, place.y - 0.21 * size, 0.06 * size, shine);
                } else {
                    let rim = self.paint(None, Some(outline)) + " stroke-width=\".02\" stroke-opacity=\".35\"";
                    self.circle(x, place.y, 0.31 * size, &rim);
                }
                (place.y, 0.3 * size)
            }
            figure => {
                let colors = self.paint(Some(fill), Some(outline)) + " stroke-width=\"4\" stroke-linejoin=\"round\"";
                self.path(figure_path(figure).unwrap_or_default(), [x, place.y], 0.98 * size, &colors);
                (place.y + 0.28 * size, 0.13 * size)
            }
        };
        match (style, &piece.text) {
            (Some(style), _) => self.mark(style, [x, y], mark),
            (None, Some(text)) => {
                let ink = self.paint(Some(TEXT), None);
                self.text([x, y], Align::Middle, 0.3 * size, text, &ink);
            }
            (None, None) => {}
        }
        let turns = ["^", ">", "v", "<"].iter().position(|&way| piece.text.as_deref() == Some(way));
        if let Some(turns) = turns {
            // A pawn that has bent off: where it goes.
            let (dx, dy) = [(0.0, -0.36), (0.36, 0.0), (0.0, 0.41), (-0.36, 0.0)][turns];
            let colors = self.paint(Some(fill), Some(outline)) + " stroke-width=\".03\"";
            self.polygon(3, [2.25, 0.0, 0.75, 1.5][turns], [x + dx * size, place.y + dy * size], 0.12 * size, &colors);
        }
        if let Some(count) = piece.count {
            let text = self.paint(Some(TEXT), None) + " font-weight=\"bold\"";
            self.text([x + 0.46 * size, place.y], Align::Start, LETTERS.max(0.4 * size), &count.to_string(), &text);
        }
        if piece.faded {
            self.out.push_str("</g>\n");
        }
    }

    /// A chip seen at a slant, so that others can lie on it.
    fn chip(&mut self, [x, y]: [f32; 2], size: f32, fill: Paint, outline: Paint) {
        let (rx, ry, high) = (0.37 * size, 0.2 * size, 0.13 * size);
        let colors = self.paint(Some(fill), Some(outline)) + " stroke-width=\".03\"";
        let [left, right, top, low] = [x - rx, x + rx, y - high / 2.0, y + high / 2.0].map(n);
        let (a, b) = (n(rx), n(ry));
        self.put(format_args!(
            "<path d=\"M{left} {top}V{low}A{a} {b} 0 0 0 {right} {low}V{top}A{a} {b} 0 0 0 {left} {top}A{a} {b} 0 0 0 {right} \
             {top}\"{colors}/>\n"
        ));
    }

    fn card(&mut self, place: &Place, piece: &Piece) {
        let (x, y, size) = (place.x, place.y, place.size);
        let (wide, high) = (size, 1.4 * size);
        if piece.hidden {
            let colors = self.paint(Some(CARD_BACK), Some(CARD_EDGE)) + " stroke-width=\".03\"";
            self.rect([x, y], [wide, high], 0.1 * size, &colors);
            let inner = " fill=\"none\" stroke=\"#fff\" stroke-opacity=\".55\" stroke-width=\".03\"";
            self.rect([x, y], [0.82 * wide, high - 0.18 * wide], 0.06 * size, inner);
            self.polygon(4, 0.0, [x, y], 0.22 * size, inner);
            return;
        }
        let colors = self.paint(Some(CARD), Some(CARD_EDGE)) + " stroke-width=\".03\"";
        self.rect([x, y], [wide, high], 0.1 * size, &colors);
        let Some((rank, suit)) = piece.text.as_deref().and_then(card) else { return };
        let rank = if rank == "T" { "10" } else { rank };
        let color = self.paint(Some(Paint(suit.color, suit.color)), None);
        let (left, top) = (x - wide / 2.0, y - high / 2.0);
        // Narrow enough for the strip that overlapping cards leave.
        let (letters, tight) = if rank.len() > 1 { (0.29, " letter-spacing=\"-.04\"") } else { (0.34, "") };
        let bold = format!("{color} font-weight=\"bold\"{tight}");
        self.text([left + 0.06 * size, top + 0.21 * size], Align::Start, letters * size, rank, &bold);
        if let Some(path) = suit_path(suit.sign) {
            self.path(path, [left + 0.44 * size, top + 0.2 * size], 0.19 * size, &color);
            self.path(path, [x, y + 0.18 * size], 0.52 * size, &color);
        }
    }

    /// A player's mark and name; the player to move has a frame. `x` is the left end.
    fn entry(&mut self, seat: &Seat, is_turn: bool, [x, y]: [f32; 2]) {
        let style = seat.style();
        if is_turn {
            let frame = self.paint(None, Some(LAST)) + " stroke-width=\".05\"";
            let wide = entry_width(seat);
            self.rect([x + wide / 2.0, y], [wide, LINE - 0.06], 0.12, &frame);
        }
        let colors = self.paint(Some(style.fill()), Some(style.outline())) + " stroke-width=\".03\"";
        self.circle(x + 0.26, y, 0.16, &colors);
        self.mark(style, [x + 0.26, y], 0.16);
        let (title, about) = (self.paint(Some(TEXT), None), self.paint(Some(DIM), None));
        self.put(format_args!(
            "<text x=\"{}\" y=\"{}\" font-size=\"{LETTERS}\"><tspan font-weight=\"bold\"{title}>{}</tspan><tspan \
             dx=\".15\"{about}>{}</tspan></text>\n",
            n(x + 0.5),
            n(y + 0.35 * LETTERS),
            escape(&seat.title()),
            escape(&seat.about)
        ));
    }

    /// Players and status below the scene; returns the height.
    fn legend(&mut self, scene: &Scene) -> f32 {
        let mut y = scene.height + LINE / 2.0 + 0.1;
        let top = y;
        if scene.labels.iter().all(|label| label.player.is_none()) {
            let mut x = 0.0;
            for (player, seat) in Player::all(scene.players.len()).zip(&scene.players) {
                let wide = entry_width(seat);
                if x > 0.0 && x + wide > scene.width {
                    (x, y) = (0.0, y + LINE);
                }
                self.entry(seat, scene.turn == Some(player), [x, y]);
                x += wide + 0.15;
            }
            y += LINE;
        }
        if !scene.status.is_empty() {
            let dim = self.paint(Some(DIM), None);
            let room = scene.width / (LETTER * scene.status.chars().count() as f32);
            self.text([0.1, y], Align::Start, LETTERS.min(room), &scene.status, &dim);
            y += LINE;
        }
        if y > top { y - top + 0.1 } else { 0.0 }
    }

    fn arrow(&mut self, scene: &Scene, arrow: &Arrow, number: Option<usize>) {
        let places: Option<Vec<&Place>> = arrow.places.iter().map(|id| scene.place(id)).collect();
        let Some(places) = places.filter(|places| !places.is_empty()) else { return };
        let style = arrow.player.map(|player| scene.players[player.index()].style());
        let (fill, ink) =
            style.map_or((DIM, Paint("#ffffff", "#16191f")), |style| (style.fill(), Paint(style.ink, style.ink)));
        let start = [places[0].x, places[0].y];
        if let [place] = places[..] {
            for (paint, wide) in [(OUTLINE, 0.15), (fill, 0.1)] {
                let ring = self.paint(None, Some(paint)) + &format!(" stroke-width=\"{wide}\"");
                self.circle(place.x, place.y, 0.4 * place.size, &ring);
            }
        } else {
            self.shaft(&places, fill);
        }
        if let Some(number) = number {
            // Beside the piece, which stays visible; in the middle of a ring.
            let aside = if places.len() > 1 { 0.3 * places[0].size } else { 0.0 };
            let start = start.map(|x| x - aside);
            let colors = self.paint(Some(fill), Some(OUTLINE)) + " stroke-width=\".03\"";
            self.circle(start[0], start[1], 0.19, &colors);
            let text = self.paint(Some(ink), None) + " font-weight=\"bold\"";
            self.text(start, Align::Middle, 0.26, &number.to_string(), &text);
        }
    }

    /// A line with a head, with a dark edge that makes it visible on everything.
    fn shaft(&mut self, places: &[&Place], fill: Paint) {
        let [.., before, end] = places else { return };
        let (dx, dy) = (end.x - before.x, end.y - before.y);
        let length = dx.hypot(dy).max(0.001);
        let (ux, uy) = (dx / length, dy / length);
        let head = 0.34f32.min(0.6 * length);
        // The head ends short of the middle, so that what is on the place stays visible.
        let tip = [end.x - 0.06 * ux, end.y - 0.06 * uy];
        let neck = [tip[0] - head * ux, tip[1] - head * uy];
        let mut line = String::new();
        for (index, place) in places[..places.len() - 1].iter().enumerate() {
            put(&mut line, format_args!("{}{} {}", if index == 0 { 'M' } else { 'L' }, n(place.x), n(place.y)));
        }
        put(&mut line, format_args!("L{} {}", n(neck[0]), n(neck[1])));
        let wing = 0.2;
        let [ax, ay] = [neck[0] - wing * uy, neck[1] + wing * ux].map(n);
        let [bx, by] = [neck[0] + wing * uy, neck[1] - wing * ux].map(n);
        let [tx, ty] = tip.map(n);
        let triangle = format!("M{tx} {ty}L{ax} {ay}L{bx} {by}Z");
        let join = " stroke-linejoin=\"round\" stroke-linecap=\"round\"";
        let edge = self.paint(None, Some(OUTLINE));
        self.put(format_args!("<path d=\"{line}\" stroke-width=\".17\"{join}{edge}/>\n"));
        let edge = self.paint(Some(OUTLINE), Some(OUTLINE));
        self.put(format_args!("<path d=\"{triangle}\" stroke-width=\".07\"{join}{edge}/>\n"));
        let inner = self.paint(None, Some(fill));
        self.put(format_args!("<path d=\"{line}\" stroke-width=\".11\"{join}{inner}/>\n"));
        let inner = self.paint(Some(fill), None);
        self.put(format_args!("<path d=\"{triangle}\"{inner}/>\n"));
    }
}

/// The width of a player's mark and name.
fn entry_width(seat: &Seat) -> f32 {
    let about = if seat.about.is_empty() { 0 } else { seat.about.chars().count() };
    let title = 1.1 * (seat.title().chars().count() + usize::from(about > 0)) as f32;
    0.66 + LETTER * LETTERS * (title + about as f32)
}
