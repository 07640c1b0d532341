import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { setUp } from './harness.js';

const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

describe('access', () => {
  let test;
  before(async () => (test = await setUp()));
  after(() => test.tearDown());

  const VIEWS = {
    'the start': async () => '#/',
    'a game': async () => `#/play/${(await test.api('POST', '/sessions', { game: 'chinese-checkers', players: 3, seats: [{ kind: 'human' }, { kind: 'human' }, { kind: 'human' }] })).id}`,
    'a game of cards': async () => `#/play/${(await test.api('POST', '/sessions', { game: 'hearts', options: { hidden: true }, players: 3, seats: [{ kind: 'human' }, { kind: 'level', level: 'easy' }, { kind: 'level', level: 'easy' }] })).id}`,
    'passing the device': async () => `#/play/${(await test.api('POST', '/sessions', { game: 'hearts', options: { hidden: true }, players: 3, seats: [{ kind: 'human' }, { kind: 'human' }, { kind: 'human' }] })).id}`,
    'an empty analyzer': async () => '#/analyze',
    'an analysis': async () => '#/analyze?game=connect-four&players=2&moves=d%20e&run=1&budget=time%3D300ms',
    'a tree': async () => '#/tree',
    tournaments: async () => '#/tournaments',
    'a tournament': async () => `#/tournaments/${(await test.api('POST', '/tournaments', { game: 'connect-four', players: 2, agents: ['greedy', 'paranoid:order=none,nodes=20'], games: 4 })).id}`,
    'kept results': async () => `#/tournaments?results=${(await test.api('GET', '/results'))[0].file}`,
    'a damaged link': async () => '#/analyze?game=nosuchgame',
  };

  for (const [name, find] of Object.entries(VIEWS)) {
    for (const colorScheme of ['light', 'dark']) {
      for (const width of [1280, 390]) {
        it(`axe finds nothing serious in ${name}, ${colorScheme}, ${width} wide`, { timeout: 60_000 }, async () => {
          const { page, close } = await test.open(await find(), { colorScheme, viewport: { width, height: 844 }, expected: /status of (404|422)/ });
          await page.locator('h1, h2, [role=alert]').first().waitFor();
          await page.waitForTimeout(name === 'kept results' ? 2500 : 900);
          await page.evaluate(AXE);
          const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
          const bad = violations.filter((violation) => ['serious', 'critical'].includes(violation.impact));
          assert.deepEqual(bad.map((violation) => `${violation.id}: ${violation.nodes.slice(0, 3).map((node) => node.html.slice(0, 160)).join(' | ')}`), []);
          const wide = await page.evaluate(() => document.documentElement.scrollWidth);
          assert.ok(wide <= width, `nothing is wider than the screen: ${wide}`);
          await close();
        });
      }
    }
  }
});
