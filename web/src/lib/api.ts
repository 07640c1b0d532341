// What the server says and how to ask it. The shapes are those of /api/v1/openapi.json.

export type Place = {
  id: string;
  x: number;
  y: number;
  shape: 'square' | 'circle' | 'hexagon' | 'octagon' | 'card' | 'slot' | 'box';
  size: number;
  role: 'field' | 'hand' | 'reserve' | 'trick' | 'action';
  owner: number | null;
  goal: number | null;
  tone: number;
  label: string | null;
};
export type Piece = {
  place: string;
  player: number | null;
  figure: string;
  level: number;
  text: string | null;
  hidden: boolean;
  count: number | null;
  faded: boolean;
};
export type Label = { x: number; y: number; align: 'start' | 'middle' | 'end'; text: string; player: number | null };
/** How a player looks: `color` and `mark` name entries of {@link Styles}. */
export type Look = { name: string; color: string; mark: string; about: string };
export type Scene = {
  width: number;
  height: number;
  places: Place[];
  links: [string, string][];
  labels: Label[];
  pieces: Piece[];
  players: Look[];
  turn: number | null;
  status: string;
  last: string[];
};
export type Style = { color: string; light: string; dark: string; ink: string; mark: string };
export type Styles = {
  players: Style[];
  colors: Record<string, Style>;
  marks: Record<string, string>;
  figures: Record<string, string>;
  suits: Record<string, { color: string; path: string }>;
};
export type MoveClicks = { text: string; clicks: string[]; choice: string | null };

export type Schema = {
  title?: string;
  description?: string;
  type?: string;
  format?: string;
  pattern?: string;
  enum?: string[];
  const?: unknown;
  anyOf?: Schema[];
  minimum?: number;
  maximum?: number;
  default?: unknown;
  examples?: unknown[];
  properties?: Record<string, Schema>;
};
export type Options = Record<string, unknown>;
export type GameInfo = {
  name: string;
  about: string;
  players: number[];
  usual_players: number;
  hidden: boolean;
  options: Schema;
  evaluations: { name: string; about: string }[];
  scene: boolean;
};
export type AgentInfo = { name: string; about: string; limits: string[]; needs_limit: boolean; schema: Schema };
export type Level = { name: string; about: string; agent: string; budget: string };
export type Choices = { levels: Level[]; agents: AgentInfo[] };

export type Seat =
  | { kind: 'human'; name?: string | null }
  | { kind: 'agent'; agent: string; budget?: string | null; level?: string | null }
  | { kind: 'level'; level: string };

export type Line = { move: string; value: number | null; chances: number[] | null; pv: string[] };
export type Thought = {
  move: string | null;
  value: number | null;
  scores: number[] | null;
  chances: number[] | null;
  depth: number | null;
  nodes: number;
  playouts?: number | null;
  time_ms: number;
  pv: string[];
  pv_clicks: string[][];
  lines: Line[];
  done: boolean;
  agent: string;
};
export type Ply = { ply: number; player: number; move: string; clicks: string[]; chances?: number[] | null; thought?: Thought | null };
export type State = {
  id: string | null;
  game: string;
  options: Options | null;
  players: number;
  /** Absent while it would show hidden cards. */
  seed: number | null;
  /** The position that the game started from, if not the game's own. */
  start: string | null;
  ply: number;
  plies: number;
  turn: number | null;
  over: null | { payoff: number[]; reason: 'played' | 'resigned'; player?: number | null };
  seats: Seat[];
  /** Absent while it would show hidden cards. */
  text: string | null;
  picture: string;
  scene: Scene | null;
  moves: MoveClicks[];
  history: Ply[];
  points: number[] | null;
  hidden: boolean;
  viewers: number[];
  chances: number[] | null;
  /** The search of the agent at turn, if it is under way. */
  search: string | null;
};
export type SessionInfo = { id: string; game: string; players: number; ply: number; over: boolean; updated: string | number };

/** A position that links carry: how to get there from nothing. */
export type Position = {
  game: string;
  options: Options | null;
  players: number | null;
  seed: string | null;
  position: string | null;
  moves: string[];
};

export type Cut = { reason: string; detail: string | null; skipped?: string[] };
export type TreeNode = {
  id: number;
  parent: number | null;
  move: string | null;
  player: number | null;
  depth?: number;
  kind: string;
  value?: number | null;
  vector?: number[] | null;
  alpha?: number | null;
  beta?: number | null;
  bounds?: number[] | null;
  cut: Cut | null;
  chosen?: boolean;
  visits?: number | null;
  rate?: number[] | null;
  terms?: Record<string, number> | null;
};
export type Tree = {
  agent: string;
  rule: string;
  thought: Thought;
  players: number;
  nodes: TreeNode[];
  truncated: boolean;
  svg: string | null;
  tikz: string | null;
};

export type Setup = { game: string; options?: Options | null; players?: number | null; agents: string[]; games: number; [more: string]: unknown };
export type Phase = 'queued' | 'running' | 'stopped' | 'done' | 'failed';
/** What `nply report --json` writes of a match, as far as the page shows it. */
export type Report = {
  match: string;
  game: string;
  players: number;
  budget: string | null;
  games: number;
  draws: number;
  plies: { mean: number; least: number; most: number };
  agents: { agent: string; games: number; rate: number; interval: [number, number]; moves: number; /** The means of a move. */ depth: number; nodes: number; playouts: number | null }[];
};
export type Entry = { id: string; setup: Setup; status: Phase; played: number; total: number; error: { message: string; help: string | null } | null };
export type GameRow = { game: number; seats: string[]; payoff: number[]; plies: number };
export type Plot = { name: string; svg: string };
export type Tournament = Entry & { report: Report; plots?: Plot[]; games?: GameRow[] };
/** A game to replay: with its first position, so that no seed is needed. */
export type Replay = { game: string; players: number; position: string; moves: string[] };
export type ResultsFile = { file: string; experiment: string | null; title: string | null };
export type Cell = {
  agent: number;
  measure: string;
  paper: { value: number; margin: number | null };
  here: { value: number; interval: [number, number] | null; games: number } | null;
  verdict: string | null;
  note: string | null;
};
export type Results = { file: string; matches: { name: string; report: Report; cells: Cell[]; plots: Plot[]; games: GameRow[] }[] };

/** What the server refused, in its words. Status 0: it did not answer. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly help: string | null,
  ) {
    super(message);
  }
}

const ROOT = '/api/v1';

export async function call<T>(method: string, path: string, body?: unknown): Promise<T> {
  let response: Response;
  try {
    response = await fetch(ROOT + path, {
      method,
      headers: body === undefined ? {} : { 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  } catch {
    throw new Refusal(0, 'no-answer', 'the server does not answer', 'is "nply serve" still running?');
  }
  const text = await response.text();
  let value: unknown = null;
  try {
    value = text === '' ? null : JSON.parse(text);
  } catch {
    throw new Refusal(response.status, 'no-json', `the server answered ${response.status} without JSON`, null);
  }
  if (response.ok) return value as T;
  const error = (value as { error?: { code?: string; message?: string; help?: string | null } } | null)?.error;
  throw new Refusal(response.status, error?.code ?? 'unknown', error?.message ?? `the server answered ${response.status}`, error?.help ?? null);
}

export const get = <T>(path: string) => call<T>('GET', path);
export const post = <T>(path: string, body: unknown) => call<T>('POST', path, body);

/** The schema of a type of the interface, with its optional properties as those of a form. */
export async function formOf(type: string): Promise<Schema> {
  type Property = Omit<Schema, 'type'> & { type?: string | string[] };
  const document = await get<{ components: { schemas: Record<string, { properties: Record<string, Property> }> } }>('/openapi.json');
  const { properties } = document.components.schemas[type]!;
  const field = ({ type, default: usual, ...more }: Property): Schema => {
    const kind = Array.isArray(type) ? type.find((word) => word !== 'null') : type;
    return { ...more, ...(kind === undefined ? {} : { type: kind }), ...(usual === null ? {} : { default: usual }) };
  };
  return { properties: Object.fromEntries(Object.entries(properties).map(([key, property]) => [key, field(property)])) };
}

/** The query that names a position, for `/position` and for links. */
export function positionQuery(at: Position, more: Record<string, string | undefined> = {}): URLSearchParams {
  const query = new URLSearchParams({ game: at.game });
  if (at.players !== null) query.set('players', String(at.players));
  if (at.options && Object.keys(at.options).length > 0) query.set('options', JSON.stringify(at.options));
  if (at.seed !== null) query.set('seed', at.seed);
  if (at.position !== null) query.set('position', at.position);
  if (at.moves.length > 0) query.set('moves', at.moves.join(' '));
  for (const [key, value] of Object.entries(more)) if (value !== undefined) query.set(key, value);
  return query;
}

/** The same as the body of a request. */
export function positionBody(at: Position): Record<string, unknown> {
  const body: Record<string, unknown> = { game: at.game };
  if (at.players !== null) body.players = at.players;
  if (at.options && Object.keys(at.options).length > 0) body.options = at.options;
  if (at.seed !== null) body.seed = Number(at.seed);
  if (at.position !== null) body.position = at.position;
  if (at.moves.length > 0) body.moves = at.moves;
  return body;
}

/** Reads a position from a link. Anything that is not there or not readable is a refusal in one line. */
export function readPosition(query: URLSearchParams): Position {
  const game = query.get('game');
  if (!game) throw new Refusal(400, 'bad-link', 'this link names no game', 'links look like #/analyze?game=focus&players=3');
  const count = query.get('players');
  if (count !== null && !/^[2-6]$/.test(count)) {
    throw new Refusal(400, 'bad-link', `this link is for "${count}" players`, 'games have two to six players');
  }
  let options: Options | null = null;
  const text = query.get('options');
  if (text !== null) {
    try {
      options = JSON.parse(text) as Options;
    } catch {
      throw new Refusal(400, 'bad-link', 'the options in this link are damaged', 'options are JSON, such as {"rules":"short"}');
    }
  }
  return {
    game,
    options,
    players: count === null ? null : Number(count),
    seed: query.get('seed'),
    position: query.get('position'),
    moves: (query.get('moves') ?? '').split(' ').filter((word) => word !== ''),
  };
}

/** Follows a search to its end, whatever happens to the connection; returns how to stop listening. */
export function follow(search: string, hear: (thought: Thought) => void, end: (error: string | null) => void): () => void {
  const source = new EventSource(`${ROOT}/searches/${search}/events`);
  let closed = false;
  const close = (error: string | null) => {
    if (closed) return;
    closed = true;
    source.close();
    end(error);
  };
  source.addEventListener('thought', (event) => hear(JSON.parse((event as MessageEvent<string>).data) as Thought));
  source.addEventListener('done', (event) => {
    hear(JSON.parse((event as MessageEvent<string>).data) as Thought);
    close(null);
  });
  source.addEventListener('error', (event) => {
    // A message of the server has data; a broken connection has none and is tried again by the browser.
    const data = (event as MessageEvent<string>).data;
    if (typeof data === 'string') close(describe(data));
    else if (source.readyState === EventSource.CLOSED) close('the search is gone');
  });
  return () => {
    closed = true;
    source.close();
  };
}

function describe(data: string): string {
  try {
    const value = JSON.parse(data) as { message?: string; error?: { message?: string } };
    return value.error?.message ?? value.message ?? data;
  } catch {
    return data;
  }
}

/** Listens to events until the last of them, `done`; returns how to stop. */
export function listen(path: string, hear: (event: string, data: unknown) => void, events: string[]): () => void {
  const source = new EventSource(ROOT + path);
  for (const name of events) {
    source.addEventListener(name, (event) => {
      const data = (event as MessageEvent<string>).data;
      if (typeof data === 'string') hear(name, JSON.parse(data));
      if (name === 'done') source.close();
    });
  }
  return () => source.close();
}
