// A real server and a real browser for the tests.

import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
export const BINARY = process.env.NPLY ?? join(root, 'target/release/nply');
/** The command with a game of one's own, `examples/own-game`. */
export const OWN_GAME = process.env.OWN_GAME ?? join(root, 'target/own-game/debug/own-game');
const BUILD = { [BINARY]: 'cargo build --release', [OWN_GAME]: 'cargo test -p nply-cli --test own_game' };
export const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';

/** Starts `nply serve` and waits for its address. */
export async function serve(folder, port = 0, binary = BINARY) {
  if (!existsSync(binary)) throw new Error(`there is no ${binary}: ${BUILD[binary]}`);
  const args = ['serve', '--port', String(port), '--db', join(folder, 'sessions.db'), '--results', join(root, 'results')];
  const process = spawn(binary, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  const address = await new Promise((resolve, reject) => {
    const hear = (data) => {
      output += data;
      const found = /http:\/\/[\w.:[\]]+/.exec(output);
      if (found) resolve(found[0].replace(/\/$/, ''));
    };
    process.stdout.on('data', hear);
    process.stderr.on('data', hear);
    process.on('exit', (code) => reject(new Error(`nply serve ended with ${code}: ${output}`)));
  });
  const end = (signal) =>
    new Promise((resolve) => {
      process.on('exit', resolve);
      process.kill(signal);
    });
  return { address, port: Number(new URL(address).port), end };
}

/** A server, a browser, and a helper that opens pages and collects what goes wrong in them. */
export async function setUp(binary = BINARY) {
  const folder = mkdtempSync(join(tmpdir(), 'nply-web-'));
  const server = await serve(folder, 0, binary);
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
  });
  const world = { folder, server, browser };
  return {
    world,
    /** A page that fails the test if a script fails, unless the message is expected. */
    async open(hash, { expected, ...options } = {}) {
      const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
      const page = await context.newPage();
      const faults = [];
      page.on('pageerror', (error) => faults.push(`error: ${error.message}`));
      page.on('console', (message) => {
        if (message.type() === 'error' && !(expected && expected.test(message.text()))) faults.push(`console: ${message.text()}`);
      });
      page.setDefaultTimeout(15_000);
      await page.goto(`${world.server.address}/${hash}`);
      return {
        page,
        context,
        async close() {
          await context.close();
          if (faults.length > 0) throw new Error(faults.join('\n'));
        },
      };
    },
    async api(method, path, body) {
      const response = await fetch(`${world.server.address}/api/v1${path}`, {
        method,
        headers: body === undefined ? {} : { 'content-type': 'application/json' },
        body: body === undefined ? undefined : JSON.stringify(body),
      });
      const value = await response.json().catch(() => null);
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(value)}`);
      return value;
    },
    async tearDown() {
      await browser.close();
      await world.server.end('SIGTERM');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The same numbers each time. */
export function numbers(seed) {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const place = (id) => `.boardbox [data-place="${CSS_escape(id)}"]`;
const CSS_escape = (id) => id.replace(/["\\]/g, '\\$&');

/** Clicks a place near its left edge: cards overlap, and their left edges stay free. */
export async function press(page, id, tap = false) {
  const target = page.locator(place(id));
  const box = await target.boundingBox();
  if (!box) throw new Error(`place ${id} is not on the page`);
  const at = { x: box.x + Math.min(box.width / 2, Math.max(4, box.height * 0.1)), y: box.y + box.height / 2 };
  await (tap ? page.touchscreen.tap(at.x, at.y) : page.mouse.click(at.x, at.y));
}

/** Makes a move as a person does: the first place, then the last; what is asked after that. */
export async function make(page, moves, move, tap = false) {
  const { clicks } = move;
  if (clicks.length === 0) {
    await page.locator('.boardbox').getByRole('button', { name: move.choice ?? move.text, exact: true }).click();
    return;
  }
  await press(page, clicks[0], tap);
  if (clicks.length > 1) await press(page, clicks.at(-1), tap);
  const same = moves.filter((other) => other.clicks.length > 0 && other.clicks[0] === clicks[0] && other.clicks.at(-1) === clicks.at(-1));
  if (same.length > 1) {
    const exact = same.filter((other) => other.clicks.length === clicks.length);
    if (exact.length > 1 || clicks.length > 2) {
      const button = page.getByRole('group', { name: 'Choose what the move does' }).getByRole('button', { name: move.choice ?? move.text, exact: true });
      if (await button.count()) await button.click();
    }
  }
}
