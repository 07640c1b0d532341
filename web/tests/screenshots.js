// Takes the pictures of every view for the documentation, each on a large and a small screen, light and dark.

import { mkdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { numbers, setUp } from './harness.js';

const folder = join(dirname(fileURLToPath(import.meta.url)), '../../docs/images');
mkdirSync(folder, { recursive: true });
const test = await setUp();
const human = { kind: 'human' };
const easy = { kind: 'level', level: 'easy' };

/** A game after some moves of easy opponents, who also move for the person. */
async function game(name, players, plies, options = null) {
  const { id } = await test.api('POST', '/sessions', { game: name, players, options, seed: 4, seats: Array(players).fill(easy) });
  for (let ply = 0; ply < plies; ply++) {
    await test.api('POST', `/sessions/${id}/think`, { ply });
    while ((await test.api('GET', `/sessions/${id}`)).ply === ply) await new Promise((resolve) => setTimeout(resolve, 10));
  }
  for (let player = 0; player < players; player++) await test.api('PUT', `/sessions/${id}/seats/${player}`, player === plies % players ? human : easy);
  return id;
}

/** A game of an easy player with some bad moves, for the analyzer. */
async function moves(name, players, plies) {
  const random = numbers(2);
  const played = [];
  for (let ply = 0; ply < plies; ply++) {
    const state = await test.api('GET', `/position?game=${name}&players=${players}&moves=${encodeURIComponent(played.join(' '))}`);
    if (state.over) break;
    if (ply % 5 === 4) played.push(state.moves[random(state.moves.length)].text);
    else {
      const { searches } = await test.api('POST', '/analyses', { game: name, players, moves: played, agents: [{ agent: 'brs', budget: 'nodes=500' }] });
      let found;
      do found = await test.api('GET', `/searches/${searches[0]}`);
      while (!found.done);
      played.push(found.move);
    }
  }
  return played;
}

const line = (await moves('focus', 3, 24)).join(' ');
const analysis = `#/analyze?game=focus&players=3&moves=${encodeURIComponent(line)}&ply=18&run=1&budget=${encodeURIComponent('time=2s')}`;
const VIEWS = {
  start: { hash: '#/' },
  play: { hash: `#/play/${await game('chinese-checkers', 3, 30)}`, then: async (page) => page.locator('.boardbox .source').nth(2).click() },
  chess: { hash: `#/play/${await game('four-player-chess', 4, 24)}` },
  hearts: { hash: `#/play/${await game('hearts', 3, 10, { hidden: true })}` },
  analyze: {
    hash: analysis,
    // The graph is below the board.
    whole: true,
    async then(page) {
      await page.getByRole('button', { name: 'Search every position' }).click();
      await page.getByRole('button', { name: 'Search every position' }).waitFor({ timeout: 120_000 });
      await page.waitForTimeout(2500);
      await page.evaluate(() => scrollTo(0, 0));
    },
  },
  compare: {
    hash: analysis,
    async then(page) {
      await page.getByRole('button', { name: 'Compare …' }).click();
      await page.getByRole('region', { name: /^Search by/ }).nth(1).getByRole('button', { expanded: true }).click();
      await page.waitForTimeout(4500);
    },
  },
  tournament: {
    hash: `#/tournaments/${(await test.api('POST', '/tournaments', { game: 'connect-four', players: 3, agents: ['brs', 'paranoid', 'maxn:ties=cautious'], games: 36, budget: 'nodes=300' })).id}`,
    then: (page) => page.getByText(/finished/).waitFor({ timeout: 120_000 }),
  },
  tree: { hash: `#/tree?game=tree&players=3&position=${encodeURIComponent('(1 5,4,1 (2 3,3,4 (3 4,4,2 1,1,8) 4,4,2))')}&agent=${encodeURIComponent('maxn:pruning=speculative,mu=0')}&depth=3` },
};

for (const [name, { hash, then, whole = false }] of Object.entries(VIEWS)) {
  for (const [size, viewport] of [['', { width: 1280, height: 800 }], ['-phone', { width: 390, height: 844 }]]) {
    for (const colorScheme of ['light', 'dark']) {
      const { page, close } = await test.open(hash, { viewport, colorScheme, reducedMotion: 'reduce' });
      await page.locator('.boardbox, .panel').first().waitFor();
      await page.waitForTimeout(800);
      await then?.(page);
      const path = join(folder, `${name}${size}-${colorScheme}.png`);
      await page.screenshot({ path, fullPage: whole && size === '' });
      if (statSync(path).size >= 300_000) throw new Error(`${path} is too large`);
      console.log(path);
      await close();
    }
  }
}
await test.tearDown();
