// The worked examples of the papers, as in docs/algorithms.md and the essays of the library.

export type Example = { name: string; source: string; players: number; position: string; agent: string; depth: number | null; playouts: number | null };

const tree = (name: string, source: string, position: string, agent: string, more: Partial<Example> = {}): Example => ({ name, source, players: 3, position, agent, depth: 4, playouts: null, ...more });

export const EXAMPLES: Example[] = [
  tree('Everybody for themselves', 'Schadd and Winands 2011, figure 1', '(1 (2 6,2,6 4,1,6) (2 7,2,9 5,2,1))', 'maxn', { depth: 2 }),
  tree('The same, cautious', 'Schadd and Winands 2011, figure 1', '(1 (2 6,2,6 4,1,6) (2 7,2,9 5,2,1))', 'maxn:ties=cautious', { depth: 2 }),
  tree('Shallow pruning', 'Sturtevant 2003, figure 2', '(1 5,4,1 (2 4,6,0 0,5,5))', 'maxn:pruning=shallow,mu=0', { depth: 2 }),
  tree('Last-branch pruning', 'Sturtevant 2003, figure 4', '(1 5,4,1 (2 3,3,4 (3 4,4,2 1,1,8)))', 'maxn:pruning=last-branch,mu=0', { depth: 3 }),
  tree('Speculative pruning', 'Sturtevant 2003, figure 6', '(1 5,4,1 (2 3,3,4 (3 4,4,2 1,1,8) 4,4,2))', 'maxn:pruning=speculative,mu=0', { depth: 3 }),
  tree('Speculation that fails', 'Sturtevant 2003, figure 6', '(1 5,4,1 (2 3,3,4 (3 4,4,2 1,1,8) 6,4,0))', 'maxn:pruning=speculative,mu=0', { depth: 3 }),
  tree('Everybody against me', 'Schadd and Winands 2011', '(1 (2 6,2,6 4,1,6) (2 7,2,9 5,2,1))', 'paranoid', { depth: 2 }),
  tree('One opponent deviates', 'Esser et al. 2013', '(1 (2 (3 7,0,0 5,0,0) (3 9,0,0 1,0,0) (3 6,0,0 0,0,0)))', 'brs+:score=own', { depth: 3 }),
  tree('Play it out and see', 'Nijssen and Winands 2011', '(1 (2 1,9,0 8,0,0) (2 9,1,0 7,0,2))', 'mcts', { depth: null, playouts: 100 }),
];
