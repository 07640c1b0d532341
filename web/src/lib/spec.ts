// Agents and budgets as text: `name:key=value,…`.

import type { AgentInfo, Options } from './api';

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

/**
 * What an agent's work is counted in: nodes if it deepens, playouts if it plays games out. One that takes both limits hands them on
 * to the agent inside it, and only time means something to all of these. Null: it needs no limit.
 */
export function measure({ limits, needs_limit }: AgentInfo): 'nodes' | 'playouts' | 'time' | null {
  if (!needs_limit) return null;
  const [deepens, playsOut] = [limits.includes('depth'), limits.includes('playouts')];
  if (deepens === playsOut) return 'time';
  return playsOut ? 'playouts' : 'nodes';
}

/** The budget of an agent for a search that takes a moment. */
export function moment(agent: string, agents: AgentInfo[]): string {
  const info = agents.find((info) => info.name === agent.split(':')[0]);
  const limit = info ? measure(info) : 'time';
  return limit === null ? '' : `${limit}=${{ nodes: '5k', playouts: '1000', time: '100ms' }[limit]}`;
}
