/* Names that a client may choose, each of which some result format uses itself. */
import type { JsonObject, JsonValue } from '@millrace/kernel';
import type { Chance } from '../differential/Chance.js';
import type { RandomMapping } from '../differential/randomMapping.js';

/** Valid as names of aggregations, filters, ranges and inner hits. */
export const HOSTILE_NAMES: readonly string[] = [
  '_source', '_id', '_index', '_type', '_nested', '_score', '_version', '_meta', 'hits', 'inner_hits', 'innerHits',
  'aggregations', 'fields', 'highlight', 'sort', 'value', 'values', 'buckets', 'key', 'doc_count', 'meta', 'total',
  'source', 'visible', 'matched_queries', 'grant 0', '__proto__', 'constructor', 'toString', 'hasOwnProperty', '0', 'a.b',
]; // prettier-ignore
/** Valid as names of fields, and as ids of documents, profiles and roles. */
export const HOSTILE_WORDS: readonly string[] = HOSTILE_NAMES.filter((name) => /^[a-zA-Z]\w*$/.test(name));

/** Ids of documents, some of which are such names. */
export function documentId(at: number): string {
  return at % 3 === 0 ? (HOSTILE_WORDS[at / 3] ?? `d${at}`) : `d${at}`;
}

/** A mapping with other names in place of some of the top level. */
export function withHostileFields(random: RandomMapping, chance: Chance): RandomMapping {
  const properties = random.body['properties'] as JsonObject;
  const free = [...HOSTILE_WORDS];
  const names = new Map<string, string>();
  for (const name of Object.keys(properties)) {
    // Other fields name this one.
    if (name === 'copies' || !chance.percent(40)) continue;
    const drawn = chance.of(free);
    free.splice(free.indexOf(drawn), 1);
    names.set(name, drawn);
  }
  const renamed = (path: string) => {
    const [head = '', ...rest] = path.split('.');
    return [names.get(head) ?? head, ...rest].join('.');
  };
  const entries = Object.entries(properties).map(([name, field]): [string, JsonValue] => [renamed(name), field]);
  return {
    body: { ...random.body, properties: Object.fromEntries(entries) },
    fields: random.fields.map((field) => ({
      ...field,
      name: renamed(field.name),
      ...(field.nestedPath !== undefined && { nestedPath: renamed(field.nestedPath) }),
    })),
    nestedPaths: random.nestedPaths.map(renamed),
  };
}

/** The keys of these objects are names of the client. */
const NAMED = ['aggs', 'aggregations'];

/** A search with other names in place of those that the client chose. */
export function withHostileNames(search: JsonObject, chance: Chance): JsonObject {
  return rename(search, chance, '') as JsonObject;
}

function rename(value: JsonValue, chance: Chance, key: string): JsonValue {
  if (Array.isArray(value)) {
    return (value as readonly JsonValue[]).map((item) => rename(item, chance, key));
  }
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value as JsonObject);
  if (NAMED.includes(key) || (key === 'filters' && 'f0' in value)) {
    return Object.fromEntries(renamedEntries(entries, chance));
  }
  return Object.fromEntries<JsonValue>(
    entries.map(([name, inner]) => [
      name,
      isChosen(key, name) ? chance.of(HOSTILE_NAMES) : rename(inner, chance, name),
    ]),
  );
}

/** Names of inner hits, keys of ranges and of the bucket of other documents. */
function isChosen(key: string, name: string): boolean {
  return (
    (key === 'inner_hits' && name === 'name') || (key === 'ranges' && name === 'key') || name === 'other_bucket_key'
  );
}

function renamedEntries(
  entries: readonly (readonly [string, JsonValue])[],
  chance: Chance,
): (readonly [string, JsonValue])[] {
  const names = new Set<string>();
  return entries.map(([name, inner]) => {
    const drawn = chance.of(HOSTILE_NAMES);
    // Orders of buckets name this one.
    const free = name === 'by_metric' || names.has(drawn) ? name : drawn;
    names.add(free);
    return [free, rename(inner, chance, '')] as const;
  });
}
