import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { press, setUp } from './harness.js';

describe('analyzing', () => {
  let test;
  before(async () => (test = await setUp()));
  after(() => test.tearDown());

  const MOVES = 'd d e e c c';
  const link = `#/analyze?game=connect-four&players=2&moves=${encodeURIComponent(MOVES)}`;
  const engine = (page, index = 0) => page.getByRole('region', { name: /^Search by/ }).nth(index);

  it('a search shows chances, depth, speed, lines and arrows', async () => {
    const { page, close } = await test.open(`${link}&budget=${encodeURIComponent('time=700ms')}`);
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    const panel = engine(page);
    await panel.getByText(/depth \d+ · .* nodes · .*\/s$/).waitFor();
    assert.equal(await panel.locator('tbody tr').count(), 3);
    const chances = await page.getByRole('img', { name: /^Chances: / }).first().getAttribute('aria-label');
    const shares = [...chances.matchAll(/(\d+) %/g)].map((found) => Number(found[1]));
    assert.equal(shares.length, 2);
    assert.ok(Math.abs(shares[0] + shares[1] - 100) <= 1, chances);
    await page.keyboard.press('Home');
    await page.locator('.boardbox .arrow').nth(1).waitFor();
    const classes = await page.locator('.boardbox .arrow').evaluateAll((arrows) => arrows.map((arrow) => [...arrow.classList].find((name) => name.startsWith('c-'))));
    assert.ok(classes.length > 1 && classes[0] !== classes[1], `arrows have their movers' colors: ${classes}`);
    await close();
  });

  it('keys step through the game, branch off and come back', async () => {
    const { page, close } = await test.open(link);
    const at = (ply) => page.locator(`.boardbox [data-ply="${ply}"]`).waitFor();
    await at(6);
    await page.keyboard.press('ArrowLeft');
    await at(5);
    await page.keyboard.press('ArrowUp');
    await at(0);
    await page.keyboard.press('ArrowRight');
    await at(1);
    assert.match(decodeURIComponent(page.url()), /ply=1$/);
    const state = await test.api('GET', '/position?game=connect-four&players=2&moves=d');
    await press(page, state.moves.find((move) => move.text === 'a').clicks[0]);
    await page.getByText('A branch after move 1').waitFor();
    await at(2);
    await page.keyboard.press('b');
    await at(1);
    assert.equal(await page.getByText('A branch after move 1').count(), 0);
    await page.keyboard.press('End');
    await at(6);
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).getByText('one move back').waitFor();
    await page.keyboard.press('Escape');
    // The address is the whole analysis.
    const other = await test.open(new URL(page.url()).hash);
    await other.page.locator('.boardbox [data-ply="6"]').waitFor();
    await other.close();
    await close();
  });

  it('a blunder is marked in the graph of the whole game', { timeout: 60_000 }, async () => {
    // Player 1 could win at once and lets player 2 win.
    const { page, close } = await test.open(`#/analyze?game=connect-four&players=2&moves=${encodeURIComponent('d a e a c a g')}`);
    await page.getByRole('button', { name: 'Search every position' }).click();
    await page.getByRole('button', { name: 'Search every position' }).waitFor({ timeout: 50_000 });
    const graph = page.getByRole('img', { name: /^Chances over the game/ });
    assert.match(await graph.getAttribute('aria-label'), /loses \d+ %/);
    assert.ok(await graph.locator('.slip').count());
    // What was found for the position on the board is on the bar above it as well.
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowRight');
    await page.locator('.boardbox [data-ply="1"]').waitFor();
    await page.locator('.boardbox').getByRole('img', { name: /^Chances: .*\d %/ }).waitFor();
    await close();
  });

  it('every position is searched with a limit that the agent counts in', { timeout: 60_000 }, async () => {
    const expected = { paranoid: 'nodes=5k', mcts: 'playouts=1000', 'worlds:n=2,agent=(mcts)': 'time=100ms', greedy: '' };
    for (const [agent, budget] of Object.entries(expected)) {
      const { page, close } = await test.open(`#/analyze?game=connect-four&players=2&moves=d&agent=${encodeURIComponent(agent)}`);
      const asked = [];
      page.on('request', (request) => {
        if (request.url().endsWith('/analyses')) asked.push(...request.postDataJSON().agents);
      });
      const button = page.getByRole('button', { name: 'Search every position' });
      await button.click();
      await page.getByRole('button', { name: /^Stop \(/ }).waitFor({ state: 'detached' });
      await button.waitFor();
      assert.deepEqual(asked, [0, 1].map(() => ({ agent, budget, lines: 1 })));
      assert.equal(await page.locator('.error').count(), 0);
      await close();
    }
  });

  it('two algorithms are compared side by side', async () => {
    const { page, close } = await test.open(`#/analyze?game=focus&players=3&budget=${encodeURIComponent('nodes=2000')}`);
    await page.getByRole('button', { name: 'Compare …' }).click();
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await page.getByText(/^They (dis)?agree:/).waitFor();
    for (const index of [0, 1]) await engine(page, index).locator('tbody tr').first().waitFor();
    const names = await page.getByRole('region', { name: /^Search by/ }).evaluateAll((panels) => panels.map((panel) => panel.getAttribute('aria-label')));
    assert.equal(new Set(names).size, 2, `two different ones: ${names}`);
    const moves = await Promise.all([0, 1].map((index) => engine(page, index).locator('tbody button').first().textContent()));
    const verdict = await page.getByText(/^They (dis)?agree:/).textContent();
    assert.equal(/disagree/.test(verdict), moves[0] !== moves[1], verdict);
    await close();
  });

  it('a tournament is played from the form and its games are replayed', { timeout: 60_000 }, async () => {
    const { page, close } = await test.open('#/tournaments');
    await page.getByRole('combobox', { name: 'Game', exact: true }).selectOption('connect-four');
    await page.getByRole('combobox', { name: 'Players', exact: true }).selectOption('2');
    await page.getByRole('spinbutton', { name: 'Games', exact: true }).fill('4');
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await page.getByText(/4 of 4 games, finished/).waitFor({ timeout: 40_000 });
    const rows = page.getByRole('table').first().locator('tbody tr');
    assert.equal(await rows.count(), 2);
    const { report } = await test.api('GET', `/tournaments/${/tournaments\/(\w+)/.exec(page.url())[1]}`);
    for (const [index, { agent, depth, nodes }] of report.agents.entries()) {
      const cells = await rows.nth(index).locator('td').allTextContents();
      assert.ok(depth > 1 && nodes > 100, `they search: ${depth}, ${nodes}`);
      assert.deepEqual([cells[0], cells[3], cells[4]], [agent, depth.toFixed(2), nodes.toFixed(0)]);
    }
    await page.getByRole('button', { name: 'Replay game 0' }).click();
    await page.waitForURL(/#\/analyze/);
    await page.locator('.boardbox [data-ply="0"]').waitFor();
    await page.keyboard.press('End');
    await page.getByText(/ wins|draw/).first().waitFor();
    await close();
  });

  it('schedule, clock and adjudication are set in the form, and what is wrong is said there', { timeout: 60_000 }, async () => {
    const { page, close } = await test.open('#/tournaments', { expected: /status of 422/ });
    const form = page.getByRole('form', { name: 'New tournament' });
    await form.getByRole('combobox', { name: 'Game', exact: true }).selectOption('connect-four');
    await form.getByRole('combobox', { name: 'Players', exact: true }).selectOption('3');
    await form.getByRole('spinbutton', { name: 'Games', exact: true }).fill('18');
    await form.getByRole('button', { name: 'Add an agent' }).click();
    await form.getByText('Schedule, clock and more').click();
    await form.getByLabel('schedule', { exact: true }).selectOption('pairs');
    await form.getByLabel('adjudicate', { exact: true }).fill('plies=6');
    await form.getByLabel('clock', { exact: true }).fill('soon');
    await form.getByRole('button', { name: 'Start', exact: true }).click();
    await form.getByRole('alert').getByText('clock: "soon" is not a clock').waitFor();
    assert.equal((await test.api('GET', '/tournaments')).filter((one) => one.setup.schedule).length, 0);
    await form.getByLabel('clock', { exact: true }).fill('3s+0.1s');
    await form.getByLabel('clock', { exact: true }).blur();
    await form.getByLabel('Limit').first().selectOption('the clock');
    await form.getByLabel('Limit').nth(1).selectOption('nodes');
    await form.getByRole('button', { name: 'Start', exact: true }).click();
    await page.getByText(/of 18 games/).waitFor();
    await page.getByText('schedule pairs, clock 3s+0.1s, adjudicate plies=6').waitFor();
    const id = /tournaments\/(\w+)/.exec(page.url())[1];
    const { setup } = await test.api('GET', `/tournaments/${id}`);
    assert.deepEqual([setup.schedule, setup.clock, setup.adjudicate], ['pairs', '3s+0.1s', 'plies=6']);
    assert.ok(!setup.agents[0].includes('nodes') && setup.agents[1].includes('nodes'), `one thinks by the clock: ${setup.agents}`);
    await page.getByText(/18 of 18 games, finished/).waitFor({ timeout: 40_000 });
    const plies = await page.getByRole('region', { name: 'Games' }).locator('tbody tr td:nth-child(3)').allTextContents();
    assert.deepEqual(new Set(plies), new Set(['6']));
    await close();
  });

  it('kept results are shown beside the figures of the paper', { timeout: 60_000 }, async () => {
    const { page, close } = await test.open('#/tournaments');
    const files = await test.api('GET', '/results');
    assert.ok(files.length > 0);
    await page.getByRole('link', { name: files[0].title ?? files[0].file, exact: true }).first().click();
    const table = page.getByRole('table', { name: "The paper's figures beside ours" }).first();
    await table.waitFor({ timeout: 40_000 });
    assert.ok(await table.locator('tbody tr').count());
    await close();
  });
});
