import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { make, numbers, OWN_GAME, setUp } from './harness.js';

// `examples/own-game` adds a game to the command from a crate of its own. It has no scene and no calibrated chances.
describe("a game of one's own", () => {
  let test;
  before(async () => (test = await setUp(OWN_GAME)));
  after(() => test.tearDown());

  const at = (page, ply) => page.locator(`.boardbox [data-ply="${ply}"]`).waitFor();
  const TAKEN = '3 3 3 3 2 1 3 1 2';

  it('is chosen in the form and played to its end by clicks', { timeout: 60_000 }, async () => {
    const { page, close } = await test.open('#/');
    await page.getByRole('button', { name: /^Sticks/ }).click();
    await page.getByText('take one to three sticks; whoever takes the last one wins').waitFor();
    await page.locator('.preview pre', { hasText: '|'.repeat(21) }).waitFor();
    await page.getByRole('button', { name: 'Play', exact: true }).click();
    await page.waitForURL(/#\/play\/\w+/);
    const id = /play\/(\w+)/.exec(page.url())[1];
    await page.getByLabel('Show chances').check();
    await page.getByRole('img', { name: 'Chances: not known' }).waitFor();
    const random = numbers(3);
    let state;
    for (;;) {
      state = await test.api('GET', `/sessions/${id}`);
      if (state.over) break;
      if (state.seats[state.turn].kind === 'human') {
        await at(page, state.ply);
        await make(page, state.moves, state.moves[random(state.moves.length)]);
        await page.locator(`.boardbox [data-ply="${state.ply}"]`).waitFor({ state: 'detached' });
      } else await page.waitForTimeout(15);
    }
    assert.equal(state.over.reason, 'played');
    assert.equal(state.over.payoff[state.history.at(-1).player], 1, 'whoever took the last stick has won');
    await page.getByRole('heading', { name: `Player ${state.history.at(-1).player + 1} wins` }).waitFor();
    await close();
  });

  it('is analyzed: values where there are no chances, and chances where the end is in sight', { timeout: 60_000 }, async () => {
    const { page, close } = await test.open(`#/analyze?game=sticks&players=3&moves=${encodeURIComponent(TAKEN)}&ply=0&agent=${encodeURIComponent('maxn:table=off')}&agent=mcts&budget=${encodeURIComponent('nodes=200,playouts=200')}`);
    await at(page, 0);
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    const panel = (index) => page.getByRole('region', { name: /^Search by/ }).nth(index);
    await panel(0).getByRole('columnheader', { name: 'Value' }).waitFor();
    await panel(0).getByRole('img', { name: 'Chances: not known' }).waitFor();
    await panel(1).getByRole('columnheader', { name: 'Chances' }).waitFor();
    await panel(1).getByRole('img', { name: /^Chances: Player 1 \d+ %, Player 2 \d+ %, Player 3 \d+ %$/ }).waitFor();
    // There is nothing to stop in searches that have ended.
    await page.getByRole('button', { name: 'Search', exact: true }).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Stop', exact: true }).count(), 0);
    // Near its end the search sees all of the game.
    await page.keyboard.press('End');
    await page.getByText('Player 3 wins').waitFor();
    await page.getByRole('button', { name: 'Search every position' }).click();
    await page.getByText(/^maxn:table=off gives no chances in \d+ of 10 positions; mcts gives them in every game\.$/).waitFor({ timeout: 40_000 });
    const graph = page.getByRole('img', { name: /^Chances over the game/ });
    assert.ok((await graph.locator('.mark').count()) >= 6, 'at least two positions have the chances of three players');
    await close();
  });

  it('has trees', async () => {
    const { page, close } = await test.open('#/tree?game=sticks&players=3&agent=maxn&depth=2');
    await page.getByText(/^Plays 1\b.*; 13 nodes/).waitFor();
    assert.equal(await page.locator('.canvas .node').count(), 13);
    await close();
  });
});
