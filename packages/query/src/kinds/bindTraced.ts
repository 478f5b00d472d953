import type { CompiledField, CompiledMapping, CompiledObject } from '../mapping/CompiledMapping.js';
import type { Query } from '../tree/Query.js';
import { bindQuery, type BoundRoot } from './bindQuery.js';

/** A query bound by itself, and what it has read of the mapping. */
export interface TracedRoot extends BoundRoot {
  /** The names of the fields and objects that it looked up, mapped or not; null: it looked through all of them. */
  readonly names: readonly string[] | null;
}

/**
 * Binds a query that will be bound again when the mapping changes: only the names that it looked up concern it.
 * @throws QueryError as `bindQuery`
 */
export function bindTraced(query: Query, compiled: CompiledMapping): TracedRoot {
  const trace = { names: new Set<string>(), readsAll: false };
  const traced = {
    ...compiled,
    fields: new TracedMap(compiled.fields, trace),
    objects: new TracedMap(compiled.objects, trace),
  };
  const bound = bindQuery(query, traced);
  return { ...bound, names: trace.readsAll ? null : [...trace.names] };
}

/** The names of fields and objects that queries bound to one mapping would find otherwise in the other. */
export function changedNames(before: CompiledMapping, after: CompiledMapping): Set<string> {
  const changed = new Set<string>();
  const compare = <V extends CompiledField | CompiledObject>(
    old: ReadonlyMap<string, V>,
    current: ReadonlyMap<string, V>,
  ) => {
    for (const name of new Set([...old.keys(), ...current.keys()])) {
      if (describe(old.get(name)) !== describe(current.get(name))) changed.add(name);
    }
  };
  compare(before.fields, after.fields);
  compare(before.objects, after.objects);
  return changed;
}

/** The simple properties: multi-fields and targets of copies are compared under their names. */
function describe(entry: CompiledField | CompiledObject | undefined): string {
  if (entry === undefined) return '';
  const { kind } = entry;
  const dateFormat = kind === 'field' ? entry.dateFormat.text : '';
  const own = Object.entries(entry).filter(([, value]) => typeof value !== 'object');
  return JSON.stringify([own, dateFormat]);
}

interface Trace {
  readonly names: Set<string>;
  readsAll: boolean;
}

class TracedMap<V> implements ReadonlyMap<string, V> {
  constructor(
    private readonly map: ReadonlyMap<string, V>,
    private readonly trace: Trace,
  ) {}

  get(name: string): V | undefined {
    this.trace.names.add(name);
    return this.map.get(name);
  }

  has(name: string): boolean {
    return this.get(name) !== undefined;
  }

  get size(): number {
    return this.all.size;
  }

  forEach(visit: (value: V, name: string, map: ReadonlyMap<string, V>) => void): void {
    this.all.forEach(visit);
  }

  entries() {
    return this.all.entries();
  }

  keys() {
    return this.all.keys();
  }

  values() {
    return this.all.values();
  }

  [Symbol.iterator]() {
    return this.all[Symbol.iterator]();
  }

  private get all(): ReadonlyMap<string, V> {
    this.trace.readsAll = true;
    return this.map;
  }
}
