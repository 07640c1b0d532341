import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setUp } from './harness.js';

describe('seeing the search', () => {
  let test;
  before(async () => (test = await setUp()));
  after(() => test.tearDown());

  /** The worked examples: what the root is worth, what is played, and which cuts are named. */
  const EXAMPLES = [
    { name: 'Everybody for themselves', plays: '2', root: '7, 2, 9', cuts: [] },
    { name: 'The same, cautious', plays: '1', root: '6, 2, 6', cuts: [] },
    { name: 'Shallow pruning', plays: '1', root: '5, 4, 1', cuts: ['shallow'] },
    { name: 'Last-branch pruning', plays: '1', root: '5, 4, 1', cuts: ['last-branch'] },
    { name: 'Speculative pruning', plays: '1', root: '5, 4, 1', cuts: ['speculative'] },
    { name: 'Speculation that fails', plays: '2', root: '6, 4, 0', cuts: ['speculative'] },
    { name: 'Everybody against me', plays: '1', root: '-3', cuts: ['alpha-beta'] },
    { name: 'One opponent deviates', plays: '1', root: '5', cuts: [] },
    { name: 'Play it out and see', plays: '2', root: null, cuts: [] },
  ];

  for (const { name, plays, root, cuts } of EXAMPLES) {
    it(`the tree of "${name}" has its numbers`, async () => {
      const { page, close } = await test.open('#/tree');
      const select = page.getByLabel('Worked examples');
      await select.waitFor();
      const value = await select.locator('option', { hasText: name }).first().getAttribute('value');
      await select.selectOption(value);
      await page.getByText(new RegExp(`^Plays ${plays}\\b`)).waitFor();
      const labels = await page.locator('.canvas .node').evaluateAll((nodes) => nodes.map((node) => node.getAttribute('aria-label')));
      if (root !== null) assert.match(labels.find((label) => label.startsWith('the root')) ?? '', new RegExp(`value ${root}(,|$)`));
      const shown = await page.locator('.canvas .reason').allTextContents();
      for (const cut of cuts) assert.ok(shown.some((text) => text.includes(cut)), `${cut} is named: ${shown}`);
      await close();
    });
  }

  it('keys step in the order of the visits', async () => {
    const { page, close } = await test.open('#/tree');
    await page.getByRole('heading', { name: /^Step (\d+) of \1$/ }).waitFor();
    await page.keyboard.press('Home');
    await page.getByRole('heading', { name: /^Step 1 of/ }).waitFor();
    assert.equal(await page.locator('.canvas .node').count(), 1);
    await page.keyboard.press('ArrowRight');
    assert.equal(await page.locator('.canvas .node').count(), 2);
    await close();
  });

  it('a tree is saved as SVG and as TikZ', async () => {
    const { page, close } = await test.open('#/tree');
    for (const [button, start] of [['Save as SVG', /^<svg/], ['Save as TikZ', /tikzpicture/]]) {
      const download = page.waitForEvent('download');
      await page.getByRole('button', { name: button }).click();
      const stream = await (await download).createReadStream();
      let text = '';
      for await (const part of stream) text += part;
      assert.match(text, start);
    }
    await close();
  });

  it('a real position is searched to a small depth', async () => {
    const { page, close } = await test.open('#/tree?game=connect-four&players=2&agent=paranoid&depth=2');
    await page.locator('.canvas .node').nth(7).waitFor();
    await close();
  });
});
