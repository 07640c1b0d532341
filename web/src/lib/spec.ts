// Agents and budgets as text: `name:key=value,…`.

import type { Options } from './api';

function word(value: unknown): string {
  if (value === true) return 'yes';
  if (value === false) return 'no';
  if (Array.isArray(value)) return `(${value.map((item) => `(${String(item)})`).join(' ')})`;
  const text = String(value);
  return /[\s,:=()]/.test(text) ? `(${text})` : text;
}

export function spec(name: string, values: Options): string {
  const settings = Object.entries(values).map(([key, value]) => `${key}=${word(value)}`);
  return settings.length === 0 ? name : `${name}:${settings.join(',')}`;
}

export const LIMITS: Record<string, { unit: string; usual: string }> = {
  time: { unit: 'such as 200ms or 2s', usual: '500ms' },
  nodes: { unit: 'positions, such as 20k', usual: '20k' },
  depth: { unit: 'plies', usual: '3' },
  playouts: { unit: 'games played out', usual: '1000' },
};
