import { run } from '../connection.js';

/** One element of a key: a field of a hash, an item of a list, a member of a set. */
export interface Element {
  /** What removes it, and what edits it. */
  readonly id: string;
  /** One text for each column. */
  readonly cells: readonly string[];
}

/** How a kind of key with several elements is shown and changed. */
export interface Kind {
  /** Of the key: `hash`. */
  readonly title: string;
  readonly columns: readonly string[];
  /** Command that counts the elements. */
  readonly count: string;
  readonly read: (key: string, from: number, size: number) => Promise<readonly Element[]>;
  /** What an element is made of; absent: it can't be added here. */
  readonly inputs?: readonly string[];
  /** The first input names the element: it stays when the element is edited. */
  readonly isKeyed?: boolean;
  /** Adds an element, or replaces the one that `replaces` names. */
  readonly write: (key: string, values: readonly string[], replaces: string | undefined) => Promise<unknown>;
  readonly remove: (key: string, element: Element) => Promise<unknown>;
}

/** The kinds of keys with several elements, by the names that the command `type` gives. */
export const KINDS: Readonly<Record<string, Kind>> = {
  hash: {
    title: 'Hash',
    columns: ['Field', 'Value'],
    count: 'hlen',
    async read(_id, from, size) {
      const fields = (await run<string[]>('ms.hkeys', { _id })).slice(from, from + size);
      if (fields.length === 0) return [];
      const values = await run<(string | null)[]>('ms.hmget', { _id, fields });
      return fields.map((field, at) => ({ id: field, cells: [field, values[at] ?? ''] }));
    },
    inputs: ['Field', 'Value'],
    isKeyed: true,
    write: (_id, [field = '', value = '']) => run('ms.hset', { _id, body: { field, value } }),
    remove: (_id, { id }) => run('ms.hdel', { _id, body: { field: id } }),
  },
  list: {
    title: 'List',
    columns: ['Position', 'Value'],
    count: 'llen',
    async read(_id, from, size) {
      const values = await run<string[]>('ms.lrange', { _id, start: from, stop: from + size - 1 });
      return values.map((value, at) => ({ id: String(from + at), cells: [String(from + at), value] }));
    },
    inputs: ['Value'],
    write: (_id, [value = ''], replaces) =>
      replaces === undefined
        ? run('ms.rpush', { _id, body: { value } })
        : run('ms.lset', { _id, body: { idx: Number(replaces), value } }),
    // Lists remove by value: the first one that is equal.
    remove: (_id, { cells: [, value = ''] }) => run('ms.lrem', { _id, body: { count: 1, value } }),
  },
  set: {
    title: 'Set',
    columns: ['Member'],
    count: 'scard',
    async read(_id, from, size) {
      const members = await run<string[]>('ms.smembers', { _id });
      return members.slice(from, from + size).map((member) => ({ id: member, cells: [member] }));
    },
    inputs: ['Member'],
    async write(_id, [member = ''], replaces) {
      await run('ms.sadd', { _id, body: { member } });
      if (replaces !== undefined && replaces !== member) await run('ms.srem', { _id, body: { member: replaces } });
    },
    remove: (_id, { id }) => run('ms.srem', { _id, body: { member: id } }),
  },
  zset: {
    title: 'Sorted set',
    columns: ['Member', 'Score'],
    count: 'zcard',
    async read(_id, from, size) {
      const flat = await run<string[]>('ms.zrange', { _id, start: from, stop: from + size - 1, withscores: true });
      return Array.from({ length: flat.length / 2 }, (_, at) => {
        const member = flat[at * 2] ?? '';
        return { id: member, cells: [member, flat[at * 2 + 1] ?? ''] };
      });
    },
    inputs: ['Member', 'Score'],
    isKeyed: true,
    write: (_id, [member = '', score = '']) => run('ms.zadd', { _id, body: { member, score } }),
    remove: (_id, { id }) => run('ms.zrem', { _id, body: { member: id } }),
  },
  stream: {
    title: 'Stream',
    columns: ['Id', 'Fields'],
    count: 'xlen',
    async read(_id, from, size) {
      // Streams are read from an id, not from a position: the newest ones are shown.
      if (from > 0) return [];
      const entries = await run<[string, string[]][]>('ms.xrevrange', { _id, end: '+', start: '-', count: size });
      return entries.map(([id, fields]) => ({ id, cells: [id, pairsOf(fields)] }));
    },
    write: () => Promise.resolve(),
    remove: (_id, { id }) => run('ms.xdel', { _id, body: { id } }),
  },
};

/** The positions of members whose scores are those of places (`geoadd`); null for other members. */
export async function readPositions(_id: string, members: readonly string[]): Promise<readonly (string | null)[]> {
  const found = await run<([string, string] | null)[]>('ms.geopos', { _id, members });
  return found.map((each) => each && `${Number(each[1]).toFixed(5)}, ${Number(each[0]).toFixed(5)}`);
}

function pairsOf(flat: readonly string[]): string {
  const pairs = Array.from({ length: flat.length / 2 }, (_, at) => `${flat[at * 2]}=${flat[at * 2 + 1]}`);
  return pairs.join(' ');
}
