import assert from 'node:assert/strict';
import { loadavg } from 'node:os';
import { after, before, describe, it } from 'node:test';
import { make, numbers, press, setUp } from './harness.js';

/**
 * How each game is played from its start to its end without waiting long: one person clicks any moves against easy opponents, or,
 * where that would take hundreds of moves, people at one screen click a short game that agents once played (`results/`).
 */
const GAMES = {
  'chinese-checkers': {
    players: 3,
    moves:
      'b1-d6 h8-g7 h1-h2 c2-e6 j10-f7 j1-h3 b2-f5 j9-f4 i1-e7 c3-i3 f7-d5 j2-j4 c1-g3 j8-d7 j3-j5 e6-k2 i9-i7 i2-e8 d6-j7 f4-d4 j4-d9 j7-k3 d5-d3 ' +
      'h3-d10 k3-l2 d4-d2 h2-j6 i3-j4 i8-i6 j5-d8 j4-k1 d3-d1 e7-e9 k1-m1 i7-i5 j6-h6 g3-h3 i6-g2 h6-g6 f5-g4 g7-g1 g6-f7 a1-b2 d7-d6 f7-f8',
    payoff: [0, 0, 1],
  },
  'connect-four': { players: 3 },
  focus: {
    players: 4,
    moves:
      'g3-h3 h4-h3 d8-d7 c7-d7 e3-f3 h3-f3 d3-d4 d7-d4 e5-d5 c4-d4 d6-d5 c5-d5 e1-f1 f2-f1 d2-d1 d5-d1 g5-g6 d4-d1 b3-b4 f6-g6 g7-g6 f1-f3 b4-d4 ' +
      'h6-g6 e7-f7 d1-d4',
    payoff: [0, 1, 0, 0],
  },
  'four-player-chess': {
    players: 4,
    moves:
      'j1-i3 a10-c9 g13-g12 m8-k8 e1-f3 c9-e8 e13-e11 n5-l6 d2-d4 a5-c6 h14-f12 n10-l9 f3-h4 c6-d4 f12-i9 k8-j8 i3-j5 b5-d5 i9-h8 l6-j5 h4-j5 a6-e2 ' +
      'h8-e8 n9-j5 f1-e2 d4-c6 e8-e2 j5-l7 d1-d5 b10-d10 f14-a9 l7-i10 d5-m5 a11-a9 e11-d10 n6-m5 h2-h4 a4-a5 e2-e13 m5-l6 g1-l6 a9-a11 e14-f12 ' +
      'm7-l6 j2-j3 b11-d11 e13-b10 n7-d7 k2-k4 a5-e5 b10-h4 d7-d1 e5-n5 h4-l8 n5-h5 l8-e8 h5-k5 j14-i12 c6-d4 e8-a4 k5-a5 a4-a5',
    payoff: [0, 0, 1, 0],
  },
  hearts: { options: { hidden: true }, players: 3 },
  othello: { players: 2 },
  rolit: { players: 4 },
  spades: { players: 4 },
  tree: { players: 3, position: '(1 (2 (3 7,0,0 5,0,0) (3 9,0,0 1,0,0) (3 6,0,0 0,0,0)))' },
};

describe('playing', () => {
  let test;
  before(async () => (test = await setUp()));
  after(() => test.tearDown());

  const seats = (players, people) => Array.from({ length: players }, (_, player) => (player < people ? { kind: 'human' } : { kind: 'level', level: 'easy' }));
  const start = (game, { players, options = null, position, people = 1 }) =>
    test.api('POST', '/sessions', { game, players, options, ...(position ? { position } : {}), seed: 7, seats: seats(players, people) });

  /** Waits until the page shows the person's turn or the end, and returns the state. */
  async function turn(page, id, viewers) {
    for (;;) {
      const state = await test.api('GET', `/sessions/${id}${viewers ? `?viewers=${viewers}` : ''}`);
      if (state.over || (state.turn !== null && state.seats[state.turn].kind === 'human')) {
        await page.locator(`.boardbox [data-ply="${state.ply}"]`).waitFor();
        return state;
      }
      await page.waitForTimeout(15);
    }
  }

  /** Plays by clicks to the end, given moves or any; the last state. */
  async function playOut(page, id, { moves, tap = false, viewers } = {}) {
    const random = numbers(3);
    const given = moves?.split(' ');
    for (let made = 0; ; made++) {
      const state = await turn(page, id, viewers);
      if (state.over) {
        assert.ok(made > 0);
        if (given) assert.equal(made, given.length);
        return state;
      }
      const move = given ? state.moves.find((move) => move.text === given[made]) : state.moves[random(state.moves.length)];
      assert.ok(move, `${given?.[made]} is a legal move`);
      await make(page, state.moves, move, tap);
      await page.locator(`.boardbox [data-ply="${state.ply}"]`).waitFor({ state: 'detached' });
    }
  }

  /** The game has ended by its rules, and the page shows the result. */
  async function ended(page, { over }, payoff) {
    assert.equal(over.reason, 'played');
    if (payoff) assert.deepEqual(over.payoff, payoff);
    await page.getByRole('heading', { name: over.payoff.includes(1) ? /^[^:]+ wins$/ : /^(A draw|[^:]+ share the win)$/ }).waitFor();
    const shares = await page.locator('.player .share').allTextContents();
    assert.deepEqual(shares, over.payoff.map((share) => `${Math.round(share * 100)} %`));
    await page.getByRole('link', { name: 'Analyze this game' }).waitFor();
  }

  it('every game of the server has a way to be played here', async () => {
    const games = await test.api('GET', '/games');
    assert.deepEqual(games.map((game) => game.name).sort(), Object.keys(GAMES).sort());
  });

  for (const [game, how] of Object.entries(GAMES)) {
    it(`a whole game of ${game} is played by clicks`, { timeout: 240_000 }, async () => {
      const { id } = await start(game, { people: how.moves ? how.players : 1, ...how });
      const { page, close } = await test.open(`#/play/${id}`);
      await ended(page, await playOut(page, id, how), how.payoff);
      await close();
    });
  }

  it('a game is started in the form and its moves are undone', async () => {
    const { page, close } = await test.open('#/');
    await page.getByRole('button', { name: /^Rolit/ }).click();
    await page.getByLabel('Players').selectOption('2');
    await page.getByLabel('Player 2').selectOption('human');
    await page.getByRole('button', { name: 'Play', exact: true }).click();
    await page.waitForURL(/#\/play\/\w+/);
    const id = /play\/(\w+)/.exec(page.url())[1];
    const before = await turn(page, id);
    await make(page, before.moves, before.moves[0]);
    await page.locator('.boardbox [data-ply="1"]').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.locator('.boardbox [data-ply="0"]').waitFor();
    assert.equal((await test.api('GET', `/sessions/${id}`)).ply, 0);
    await close();
  });

  it('a hint points to a move, and a seat is taken over', async () => {
    const { id } = await start('connect-four', { players: 2 });
    const { page, close } = await test.open(`#/play/${id}`);
    await turn(page, id);
    await page.getByRole('button', { name: 'Hint' }).click();
    await page.getByText(/^Hint: \w/).waitFor();
    assert.ok(await page.locator('.boardbox .arrow').count());
    await page.getByRole('button', { name: 'Take over' }).click();
    await page.getByRole('button', { name: 'Take over' }).waitFor({ state: 'detached' });
    assert.equal((await test.api('GET', `/sessions/${id}`)).seats[1].kind, 'human');
    await close();
  });

  it('a person resigns', async () => {
    const { id } = await start('rolit', { players: 3 });
    const { page, close } = await test.open(`#/play/${id}`);
    await turn(page, id);
    page.once('dialog', (dialog) => dialog.accept());
    await page.getByRole('button', { name: 'Resign' }).click();
    await page.getByRole('heading', { name: /resigned/ }).waitFor();
    assert.deepEqual((await test.api('GET', `/sessions/${id}`)).over, { payoff: [0, 0.5, 0.5], reason: 'resigned', player: 0 });
    await close();
  });

  it('a piece is dragged to its target', async () => {
    const { id } = await start('chinese-checkers', { players: 2, people: 2 });
    const { page, close } = await test.open(`#/play/${id}`);
    const state = await turn(page, id);
    const move = state.moves.find((move) => move.clicks.length === 2);
    const center = async (place) => {
      const box = await page.locator(`.boardbox [data-place="${place}"]`).boundingBox();
      return [box.x + box.width / 2, box.y + box.height / 2];
    };
    const [from, to] = [await center(move.clicks[0]), await center(move.clicks[1])];
    await page.mouse.move(...from);
    await page.mouse.down();
    await page.mouse.move((from[0] + to[0]) / 2, (from[1] + to[1]) / 2, { steps: 4 });
    await page.mouse.move(...to, { steps: 4 });
    assert.ok(await page.locator('.boardbox .target').count(), 'legal targets are shown');
    await page.mouse.up();
    await page.locator('.boardbox [data-ply="1"]').waitFor();
    assert.equal((await test.api('GET', `/sessions/${id}`)).history[0].move, move.text);
    await close();
  });

  it('hidden hands stay hidden until the device is passed', async () => {
    const { id } = await start('hearts', { players: 3, people: 2, options: { hidden: true } });
    const { page, close } = await test.open(`#/play/${id}`);
    await page.getByRole('heading', { name: /Pass the device to/ }).waitFor();
    assert.equal(await page.locator('.boardbox .figure').count(), 0);
    const before = await test.api('GET', `/sessions/${id}`);
    const first = before.turn;
    await page.getByRole('button', { name: /^I am/ }).click();
    const state = await turn(page, id, String(first));
    const count = await page.locator('.boardbox .place.hand .card').count();
    assert.equal(count, 17, 'only one hand is open');
    await make(page, state.moves, state.moves[0]);
    await page.getByRole('heading', { name: /Pass the device to/ }).waitFor();
    await close();
  });

  for (const hidden of [true, false]) {
    it(`a search under way is ${hidden ? 'not described where its numbers are hidden' : 'described by its depth and nodes'}`, async () => {
      const agent = { kind: 'agent', agent: 'paranoid', budget: 'time=600ms' };
      const { id } = await test.api('POST', '/sessions', { game: 'hearts', players: 3, options: { hidden }, seed: 7, seats: [{ kind: 'human' }, agent, agent] });
      const { page, close } = await test.open(`#/play/${id}`);
      const state = await turn(page, id, '0');
      await page.evaluate(() => {
        window.described = [];
        new MutationObserver(() => {
          const found = /\S+: depth .* nodes/.exec(document.querySelector('aside').innerText);
          if (found) window.described.push(found[0]);
        }).observe(document.body, { subtree: true, childList: true, characterData: true });
      });
      await make(page, state.moves, state.moves[0]);
      await page.locator(`.boardbox [data-ply="${state.ply}"]`).waitFor({ state: 'detached' });
      const after = await turn(page, id, '0');
      assert.ok(after.ply >= state.ply + 3, 'both agents have moved');
      const described = await page.evaluate(() => window.described);
      if (hidden) assert.deepEqual(described, []);
      else assert.match(described.at(-1), /^paranoid: depth \d+, [1-9]/);
      await close();
    });
  }

  it('a whole game is played by keyboard', { timeout: 120_000 }, async () => {
    const { id } = await start('connect-four', { players: 2 });
    const { page, close } = await test.open(`#/play/${id}`);
    const random = numbers(5);
    await turn(page, id);
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute('data-place') ?? null);
    for (let tries = 0; (await focused()) === null && tries < 30; tries++) await page.keyboard.press('Tab');
    assert.ok(await focused(), 'Tab leads to the board');
    for (let made = 0; ; made++) {
      const state = await turn(page, id);
      if (state.over) {
        await ended(page, state);
        break;
      }
      const move = state.moves[random(state.moves.length)];
      if (made === 1) {
        // Once by its text.
        await page.keyboard.press('m');
        await page.keyboard.type(move.text);
        await page.keyboard.press('Enter');
        await page.locator(`.boardbox [data-ply="${state.ply}"]`).waitFor({ state: 'detached' });
        for (let tries = 0; (await focused()) === null && tries < 60; tries++) await page.keyboard.press('Shift+Tab');
        continue;
      }
      const at = (place) => state.scene.places.find((other) => other.id === place);
      const target = at(move.clicks[0]);
      for (let steps = 0; steps < 60; steps++) {
        const here = at(await focused());
        if (here.id === target.id) break;
        const [dx, dy] = [target.x - here.x, target.y - here.y];
        await page.keyboard.press(Math.abs(dx) > 0.1 ? (dx > 0 ? 'ArrowRight' : 'ArrowLeft') : dy > 0 ? 'ArrowDown' : 'ArrowUp');
      }
      assert.equal(await focused(), target.id);
      await page.keyboard.press('Enter');
      await page.locator(`.boardbox [data-ply="${state.ply}"]`).waitFor({ state: 'detached' });
    }
    await close();
  });

  it('a whole game is played on a phone', { timeout: 120_000 }, async () => {
    const { id } = await start('focus', { players: 2, people: 2 });
    const { page, close } = await test.open(`#/play/${id}`, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
    await turn(page, id);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= 390, `nothing is wider than the screen: ${wide}`);
    const moves = 'b3-b4 c2-d2 d4-c4 d2-f2 e2-f2 b6-b5 f2-b2 b5-b4 b5-b4 g2-g3 b4-b2 d3-e3 b4-b2 e3-g3 @g3 f4-f3 g3-b3 f3-f5 b2-b7 f5-c5 b7-b3';
    await ended(page, await playOut(page, id, { moves, tap: true }), [1, 0]);
    await close();
  });

  it('a click shows its move at once, and a page is there soon', async (context) => {
    const { id } = await start('chinese-checkers', { players: 2, people: 2 });
    const { page, close } = await test.open(`#/play/${id}`);
    const times = [];
    for (let made = 0; made < 12; made++) {
      const state = await turn(page, id);
      const move = state.moves[made % state.moves.length];
      await press(page, move.clicks[0]);
      await page.evaluate(() => {
        const svg = document.querySelector('.boardbox svg.board');
        window.shown = new Promise((resolve) => {
          let clicked = 0;
          addEventListener('click', (event) => (clicked = event.timeStamp), { capture: true, once: true });
          new MutationObserver((_, observer) => {
            if (!svg.hasAttribute('data-pending')) return;
            observer.disconnect();
            requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now() - clicked)));
          }).observe(svg, { attributes: true });
        });
      });
      await press(page, move.clicks.at(-1));
      times.push(await page.evaluate(() => window.shown));
      await page.locator(`.boardbox [data-ply="${state.ply + 1}"]`).waitFor();
    }
    times.sort((a, b) => a - b);
    // A context of its own, with nothing in its cache.
    const first = await test.open('#/');
    await first.page.getByRole('button', { name: 'Play', exact: true }).waitFor();
    const ready = await first.page.evaluate(() => performance.now());
    const sizes = await first.page.evaluate(() => {
      const entries = performance.getEntriesByType('resource').concat(performance.getEntriesByType('navigation'));
      const sum = (all) => all.reduce((sum, entry) => sum + entry.transferSize, 0);
      return [sum(entries.filter((entry) => !entry.name.includes('/api/'))), sum(entries)].map((bytes) => bytes / 1000);
    });
    await first.close();
    context.diagnostic(`click to picture: median ${times[6].toFixed(0)} ms, slowest ${times.at(-1).toFixed(0)} ms; first view: ready after ${ready.toFixed(0)} ms, ${sizes[0].toFixed(1)} kB of files, ${sizes[1].toFixed(1)} kB with data; load average ${loadavg()[0].toFixed(1)}`);
    assert.ok(times.every((time) => Number.isFinite(time)));
    assert.ok(sizes[0] > 20, `files are loaded, not taken from a cache: ${sizes[0]} kB`);
    assert.ok(sizes[1] < 150, `a first view has less than 150 kB: ${sizes[1]} kB`);
    await close();
  });
});
