import type { Look, Seat, State } from './api';
import { shared } from './shared.svelte';

/** How the players of a state look, whether or not the game has a scene. */
export function looks(state: { players: number; scene: { players: Look[] } | null }): Look[] {
  if (state.scene && state.scene.players.length > 0) return state.scene.players;
  return playerLooks(state.players);
}

export function playerLooks(players: number): Look[] {
  return Array.from({ length: players }, (_, index) => {
    const style = shared.styles?.players[index];
    return { name: `Player ${index + 1}`, color: style?.color ?? 'red', mark: style?.mark ?? 'circle', about: '' };
  });
}

export function seatName(seat: Seat | undefined): string {
  switch (seat?.kind) {
    case 'human':
      return seat.name ?? 'person';
    case 'level':
      return `computer, ${seat.level}`;
    case 'agent':
      if (seat.level) return `computer, ${seat.level}`;
      return seat.budget ? `${seat.agent}, ${seat.budget}` : seat.agent;
    case undefined:
      return '';
  }
}

/** How a game ended, in one line. */
export function ending(state: State, names: Look[]): string {
  if (!state.over) return '';
  const best = Math.max(...state.over.payoff);
  const winners = state.over.payoff.flatMap((share, player) => (share === best ? [names[player]?.name ?? `Player ${player + 1}`] : []));
  const text = winners.length === 1 ? `${winners[0]} wins` : winners.length === state.players ? 'A draw' : `${winners.join(' and ')} share the win`;
  const quitter = state.over.player;
  return typeof quitter === 'number' ? `${names[quitter]?.name ?? `Player ${quitter + 1}`} resigned: ${text}` : text;
}
