import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { make, numbers, press, setUp } from './harness.js';

/** How each game is played to its end without waiting long: options and the seats of the computer. */
const GAMES = {
  'chinese-checkers': { options: { limit: 24 }, players: 3 },
  'connect-four': { players: 3 },
  focus: { options: { limit: 30 }, players: 4 },
  'four-player-chess': { players: 4, most: 20 },
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

  /** Plays by clicks to the end, or for `most` moves and then resigns. */
  async function playOut(page, id, { most = 1000, tap = false, viewers } = {}) {
    const random = numbers(3);
    for (let made = 0; ; made++) {
      const state = await turn(page, id, viewers);
      if (state.over) return made;
      if (made === most) {
        page.once('dialog', (dialog) => dialog.accept());
        await page.getByRole('button', { name: 'Resign' }).click();
        await page.getByRole('heading', { name: /resigned/ }).waitFor();
        return made;
      }
      const move = state.moves[random(state.moves.length)];
      await make(page, state.moves, move, tap);
      await page.locator(`.boardbox [data-ply="${state.ply}"]`).waitFor({ state: 'detached' });
    }
  }

  it('every game of the server has a way to be played here', async () => {
    const games = await test.api('GET', '/games');
    assert.deepEqual(games.map((game) => game.name).sort(), Object.keys(GAMES).sort());
  });

  for (const [game, how] of Object.entries(GAMES)) {
    it(`a whole game of ${game} is played by clicks`, { timeout: 240_000 }, async () => {
      const { id } = await start(game, how);
      const { page, close } = await test.open(`#/play/${id}`);
      const made = await playOut(page, id, how);
      assert.ok(made > 0);
      const state = await test.api('GET', `/sessions/${id}`);
      assert.ok(state.over);
      await page.getByRole('link', { name: 'Analyze this game' }).waitFor();
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
      if (state.over) break;
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
    const { id } = await start('focus', { players: 2, options: { limit: 20 } });
    const { page, close } = await test.open(`#/play/${id}`, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
    await turn(page, id);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= 390, `nothing is wider than the screen: ${wide}`);
    await playOut(page, id, { tap: true });
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
    await page.goto('about:blank');
    await page.goto(`${test.world.server.address}/#/`);
    await page.getByRole('button', { name: 'Play', exact: true }).waitFor();
    const ready = await page.evaluate(() => performance.now());
    const sizes = await page.evaluate(() => performance.getEntriesByType('resource').concat(performance.getEntriesByType('navigation')).filter((entry) => !entry.name.includes('/api/')).reduce((sum, entry) => sum + entry.transferSize, 0));
    context.diagnostic(`click to picture: median ${times[6].toFixed(0)} ms, slowest ${times.at(-1).toFixed(0)} ms; first view: ready after ${ready.toFixed(0)} ms, ${(sizes / 1000).toFixed(1)} kB`);
    assert.ok(times.every((time) => Number.isFinite(time)));
    await close();
  });
});
