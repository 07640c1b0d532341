// Keys of the view that is shown. `?` lists them.

export type Key = { keys: string[]; about: string; run: () => void };

class Keys {
  list = $state.raw<Key[]>([]);

  /** Makes these the keys of the view until the returned function is called; for `$effect`. */
  use(list: Key[]): () => void {
    this.list = list;
    return () => {
      if (this.list === list) this.list = [];
    };
  }

  find(key: string): (() => void) | undefined {
    return this.list.find((entry) => entry.keys.includes(key))?.run;
  }
}

export const keys = new Keys();
