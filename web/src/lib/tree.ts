// Lays out a recorded tree: leaves side by side, every parent above the middle of its children.

import type { TreeNode } from './api';
import { counted } from './shared.svelte';

export type Spot = {
  node: TreeNode | null;
  /** A move that was never searched. */
  skipped: string | null;
  x: number;
  y: number;
  parent: Spot | null;
  /** Number of steps after which it is seen, and after which its value is known. */
  from: number;
  until: number;
  lines: string[];
  width: number;
  height: number;
};

const LEVEL = 100;
const GAP = 14;
const LETTER = 7.6;

const number = (value: number): string => (Number.isInteger(value) ? String(value) : value.toFixed(Math.abs(value) < 10 ? 2 : 0));

/** What a node shows once it is done. */
export function labels(node: TreeNode): string[] {
  const lines: string[] = [];
  if (node.vector) lines.push(node.vector.map(number).join(', '));
  else if (node.value !== null && node.value !== undefined) lines.push(number(node.value));
  else if (node.alpha !== null && node.alpha !== undefined && node.beta !== null && node.beta !== undefined) lines.push(`${number(node.alpha)} … ${number(node.beta)}`);
  if (node.visits !== null && node.visits !== undefined) lines.push(counted(node.visits, 'visit'));
  if (node.cut) lines.push(`✂ ${node.cut.reason}`);
  return lines;
}

export function layout(nodes: TreeNode[]): { spots: Spot[]; width: number; height: number } {
  const children = new Map<number, TreeNode[]>();
  const index = new Map<number, number>();
  nodes.forEach((node, at) => {
    index.set(node.id, at);
    if (node.parent !== null) {
      const list = children.get(node.parent);
      if (list) list.push(node);
      else children.set(node.parent, [node]);
    }
  });
  const spots: Spot[] = [];
  let right = 0;
  let deepest = 0;
  const place = (node: TreeNode, parent: Spot | null, depth: number): Spot => {
    const lines = labels(node);
    const width = Math.max(44, 22 + LETTER * Math.max(0, ...lines.map((line) => line.length)));
    const from = (index.get(node.id) ?? 0) + 1;
    const spot: Spot = { node, skipped: null, x: 0, y: depth * LEVEL, parent, from, until: from, lines, width, height: 18 + 15 * Math.max(1, lines.length) };
    spots.push(spot);
    deepest = Math.max(deepest, depth);
    const below = (children.get(node.id) ?? []).map((child) => place(child, spot, depth + 1));
    for (const child of below) spot.until = Math.max(spot.until, child.until);
    for (const move of node.cut?.skipped ?? []) {
      const stub: Spot = { node: null, skipped: move, x: right + 20, y: (depth + 1) * LEVEL, parent: spot, from: spot.until, until: spot.until, lines: [], width: 40, height: 32 };
      right += 40 + GAP;
      deepest = Math.max(deepest, depth + 1);
      spots.push(stub);
      below.push(stub);
    }
    if (below.length === 0) {
      spot.x = right + width / 2;
      right += width + GAP;
    } else {
      spot.x = (below[0]!.x + below.at(-1)!.x) / 2;
      // A wide label above a narrow child pushes what comes next.
      right = Math.max(right, spot.x + width / 2 + GAP);
      if (spot.x - width / 2 < 0) spot.x = width / 2;
    }
    return spot;
  };
  for (const node of nodes) if (node.parent === null || !index.has(node.parent)) place(node, null, 0);
  return { spots, width: right + GAP, height: (deepest + 1) * LEVEL };
}
