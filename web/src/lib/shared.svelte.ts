// What all views share: the styles, the games, the theme, the address.

import { get, Refusal, type Choices, type GameInfo, type Styles } from './api';

export const shared = $state({
  styles: null as Styles | null,
  games: null as GameInfo[] | null,
  /** What went wrong at the start, for the whole page. */
  trouble: null as Refusal | null,
});

export type Route = { view: string; id: string | null; query: URLSearchParams };

export function parseRoute(hash: string): Route {
  const text = hash.replace(/^#\/?/, '');
  const [path = '', query = ''] = split(text, '?');
  const [view = '', id = ''] = split(path, '/');
  let name: string | null = null;
  try {
    name = id === '' ? null : decodeURIComponent(id);
  } catch {
    name = id;
  }
  return { view, id: name, query: new URLSearchParams(query) };
}

function split(text: string, at: string): [string, string] {
  const index = text.indexOf(at);
  return index < 0 ? [text, ''] : [text.slice(0, index), text.slice(index + 1)];
}

export const route = $state({ current: parseRoute(location.hash) });
addEventListener('hashchange', () => (route.current = parseRoute(location.hash)));

export function go(hash: string): void {
  location.hash = hash;
}

/** Changes the address without a new entry in the history and without a new view. */
export function keepAddress(hash: string): void {
  if (location.hash !== hash) history.replaceState(history.state, '', hash);
}

/** Black or white, whichever is easier to read on a color `#rrggbb`. */
function letters(color: string): string {
  const channel = (at: number) => {
    const value = parseInt(color.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  const luminance = 0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5);
  return (luminance + 0.05) / 0.05 > 1.05 / (luminance + 0.05) ? '#000' : '#fff';
}

const sheet = new CSSStyleSheet();
document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];

export async function load(): Promise<void> {
  try {
    const [styles, games] = await Promise.all([get<Styles>('/styles'), get<GameInfo[]>('/games')]);
    const hex = /^#[0-9a-f]{6}$/i;
    const rules = Object.entries(styles.colors)
      .filter(([name, style]) => /^[a-z]+$/.test(name) && [style.light, style.dark, style.ink].every((color) => hex.test(color)))
      .map(([name, style]) => `.c-${name}{--fill:light-dark(${style.light},${style.dark});--ink:${style.ink};--on:light-dark(${letters(style.light)},${letters(style.dark)})}`);
    sheet.replaceSync(rules.join('\n'));
    shared.styles = styles;
    shared.games = games;
    shared.trouble = null;
  } catch (error) {
    shared.trouble = error instanceof Refusal ? error : new Refusal(0, 'unknown', String(error), null);
  }
}

export const gameInfo = (name: string): GameInfo | undefined => shared.games?.find((game) => game.name === name);

const choices = new Map<string, Promise<Choices>>();

/** The levels and agents of a game; asked once. */
export function choicesOf(game: string, players: number): Promise<Choices> {
  const path = `/games/${encodeURIComponent(game)}/agents?players=${players}`;
  let found = choices.get(path);
  if (!found) {
    found = get<Choices>(path);
    found.catch(() => choices.delete(path));
    choices.set(path, found);
  }
  return found;
}

/** "four-player-chess" as a title, with its options: "Hearts, hidden=yes". */
export function title(game: string): string {
  const [name, options] = split(game, ':');
  const words = name.split('-').map((word) => word.slice(0, 1).toUpperCase() + word.slice(1));
  return words.join(' ').replace(' Player', '-Player') + (options === '' ? '' : `, ${options.replaceAll(',', ', ')}`);
}

export type Theme = 'auto' | 'light' | 'dark';
export const theme = $state({ choice: readTheme() });

function readTheme(): Theme {
  const kept = localStorage.getItem('nply-theme');
  return kept === 'light' || kept === 'dark' ? kept : 'auto';
}

export function setTheme(choice: Theme): void {
  theme.choice = choice;
  localStorage.setItem('nply-theme', choice);
  document.documentElement.dataset.theme = choice;
}
document.documentElement.dataset.theme = theme.choice;

/** Numbers as people read them: 1234567 → "1.2 M". */
export function short(value: number): string {
  if (value >= 1e9) return `${(value / 1e9).toFixed(1)} G`;
  if (value >= 1e6) return `${(value / 1e6).toFixed(1)} M`;
  if (value >= 1e4) return `${(value / 1e3).toFixed(0)} k`;
  return value.toFixed(0);
}

/** "1 game", "2 games". */
export const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

export const percent = (share: number): string => `${Math.round(share * 100)} %`;

export const seconds = (ms: number): string => (ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`);

export const message = (error: unknown): { text: string; help: string | null } =>
  error instanceof Refusal ? { text: error.message, help: error.help } : { text: String(error), help: null };
