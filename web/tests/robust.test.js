import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { make, serve, setUp } from './harness.js';

describe('whatever happens', () => {
  let test;
  before(async () => (test = await setUp()));
  after(() => test.tearDown());

  const people = [{ kind: 'human' }, { kind: 'human' }];
  const start = () => test.api('POST', '/sessions', { game: 'connect-four', players: 2, seats: people });
  const at = (page, ply) => page.locator(`.boardbox [data-ply="${ply}"]`).waitFor();

  it('a reload in the middle changes nothing', async () => {
    const { id, moves } = await start();
    const { page, close } = await test.open(`#/play/${id}`);
    await at(page, 0);
    await make(page, moves, moves[3]);
    await at(page, 1);
    await page.reload();
    await at(page, 1);
    const state = await test.api('GET', `/sessions/${id}`);
    await make(page, state.moves, state.moves[0]);
    await at(page, 2);
    await close();
  });

  it('a reload while the computer thinks joins its search', async () => {
    const seats = [{ kind: 'agent', agent: 'alphabeta', budget: 'time=2s' }, { kind: 'human' }];
    const { id } = await test.api('POST', '/sessions', { game: 'connect-four', players: 2, seats });
    const { page, close } = await test.open(`#/play/${id}`);
    await page.getByText(/alphabeta.*: depth/).waitFor();
    await page.reload();
    await at(page, 1);
    assert.equal((await test.api('GET', `/sessions/${id}`)).ply, 1);
    await close();
  });

  it('two tabs follow each other and cannot both move', async () => {
    const { id, moves } = await start();
    const first = await test.open(`#/play/${id}`, { expected: /409/ });
    const second = await test.open(`#/play/${id}`, { expected: /409/ });
    await at(first.page, 0);
    await at(second.page, 0);
    await make(first.page, moves, moves[0]);
    await at(first.page, 1);
    await make(second.page, moves, moves[1]);
    await at(second.page, 1);
    await first.page.waitForTimeout(300);
    const state = await test.api('GET', `/sessions/${id}`);
    assert.ok(state.ply <= 2);
    assert.equal(state.history[0].move, moves[0].text);
    await make(second.page, state.moves, state.moves[2]);
    await at(second.page, state.ply + 1);
    await at(first.page, state.ply + 1);
    await first.close();
    await second.close();
  });

  it('a server that is killed and started again loses no move', async () => {
    const { id, moves } = await start();
    const { page, close } = await test.open(`#/play/${id}`, { expected: /ERR_CONNECTION|Failed to (load|fetch)/ });
    await at(page, 0);
    await make(page, moves, moves[2]);
    await at(page, 1);
    const { port } = test.world.server;
    await test.world.server.end('SIGKILL');
    await page.getByText('No connection to the server').waitFor();
    test.world.server = await serve(test.world.folder, port);
    await page.getByText('No connection to the server').waitFor({ state: 'detached' });
    await at(page, 1);
    const state = await test.api('GET', `/sessions/${id}`);
    assert.equal(state.history[0].move, moves[2].text);
    await make(page, state.moves, state.moves[2]);
    await at(page, 2);
    await close();
  });

  const DAMAGED = [
    '#/play/nosuchgame',
    '#/play/%E0%A4%A',
    '#/analyze?game=nosuchgame',
    '#/analyze?game=focus&players=9',
    '#/analyze?game=focus&players=3&moves=xx',
    '#/analyze?game=focus&players=3&options=%7B',
    '#/analyze?game=focus&options=%7B%22rules%22%3A%22wrong%22%7D',
    '#/analyze?game=connect-four&position=nonsense',
    '#/tree?game=tree&position=(1%205,4',
    '#/tree?game=tree&position=(1%205,4%203,2)&agent=nobody',
    '#/tournaments/nosuch',
    '#/tournaments?results=../../etc/passwd',
    '#/nowhere',
  ];
  for (const hash of DAMAGED) {
    it(`a damaged link says what is wrong: ${hash}`, async () => {
      const { page, close } = await test.open(hash, { expected: /status of (400|404|422)/ });
      const alert = page.getByRole('alert').first();
      await alert.waitFor();
      assert.ok((await alert.textContent()).length > 10);
      // The page still works.
      await page.getByRole('link', { name: 'Play', exact: true }).click();
      await page.getByRole('button', { name: 'Play', exact: true }).waitFor();
      await close();
    });
  }
});
