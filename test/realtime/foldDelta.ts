/** A delta of a followed search, as its notification carries it (FOLLOW-5). */
export interface Delta {
  readonly base: string;
  readonly cursor: string;
  readonly changes: readonly Change[];
  readonly total?: number;
  readonly aggregations?: readonly { readonly op: string; readonly path: string; readonly value?: unknown }[];
  readonly check: string;
} // prettier-ignore

interface Change {
  readonly op: 'remove' | 'insert' | 'move' | 'update';
  readonly id?: string;
  readonly at?: number;
  readonly hit?: Hit;
}

export interface Hit {
  readonly _id: string;
  readonly _version: number;
  readonly [field: string]: unknown;
}

/** What a follower knows. */
export interface Folded {
  readonly cursor: string;
  readonly hits: readonly Hit[];
  readonly total: number;
  readonly aggregations?: unknown;
}

/** A follower's result after a delta, as the reference describes it. */
export function foldDelta(known: Folded, delta: Delta): Folded {
  if (delta.base !== known.cursor) throw new Error(`base ${delta.base}, known ${known.cursor}`);
  const hits = [...known.hits];
  for (const { op, id, at = -1, hit } of delta.changes) {
    if (op === 'remove' || op === 'move') {
      const place = hits.findIndex((each) => each._id === id);
      if (place < 0) throw new Error(`no hit ${String(id)}`);
      hits.splice(place, 1);
    }
    if (hit === undefined) continue;
    hits.splice(at, op === 'update' ? 1 : 0, hit);
  }
  const { cursor, total = known.total, aggregations: patch = [] } = delta;
  let aggregations = known.aggregations;
  for (const { op, path, value } of patch) {
    if (path === '') aggregations = value;
    else set(aggregations, path.split('/').slice(1), op, value);
  }
  return { cursor, hits, total, aggregations };
}

function set(target: unknown, path: readonly string[], op: string, value: unknown): void {
  const names = path.map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
  const last = names.pop() as string;
  let holder = target as Record<string, unknown>;
  for (const name of names) holder = holder[name] as Record<string, unknown>;
  if (op === 'remove') Reflect.deleteProperty(holder, last);
  else holder[last] = value;
}
