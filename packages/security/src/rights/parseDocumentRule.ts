/*
 * Rights on documents (SEC-80 to SEC-86) as a role has them. They are checked with an example value in place of each
 * reference; the queries of a user are parsed when the user first needs them.
 */
import { randomUUID } from 'node:crypto';
import { isJsonObject, showValue, type DocumentGrant, type JsonObject, type JsonValue } from '@millrace/kernel';
import { assertComparable, parseQuery, QueryError, type FieldRule, type Query } from '@millrace/query';
import { compareWhole, whereMisplaced } from './compareWhole.js';
import type { DocumentRule } from './DocumentRule.js';
import { checkReferences, CHOSEN, replaceReferences, resolveReference, Unresolved } from './references.js';

export const DOCUMENT_RULE_KEYS: readonly string[] = ['documents', 'check', 'fields'];

const MAX_FIELDS = 1_000;
/** Valid wherever a query takes a value. */
const EXAMPLE = '1';
/** In place of a value that users choose: no other value of a query is equal. */
const CHOSEN_EXAMPLE = randomUUID();

/** Creates the error from a message that begins with the path in the role. */
type Refuse = (message: string) => Error;

/** Options of `parseDocumentRule`. */
export interface DocumentRuleContext {
  /** Of the right in its role, for messages. */
  readonly path: string;
  readonly refuse: Refuse;
  /** See `security.protectedProperties`. */
  readonly protectedProperties: readonly string[];
}

/** Parses `{documents?, check?, fields?}`. @throws what `refuse` creates, naming the path */
export function parseDocumentRule(body: JsonObject, context: DocumentRuleContext): DocumentRule {
  const { path, refuse } = context;
  const unknown = Object.keys(body).find((key) => !DOCUMENT_RULE_KEYS.includes(key));
  if (unknown === 'when') {
    throw refuse(`${path}: when can't be combined with documents, check or fields`);
  }
  if (unknown !== undefined) {
    const known = DOCUMENT_RULE_KEYS.join(', ');
    throw refuse(`${path}.${unknown.slice(0, 100)} is unknown: expected ${known}`);
  }
  const documents = readQuery(body, 'documents', context);
  const check = readQuery(body, 'check', context) ?? documents;
  const fields = readFields(body, context);
  return {
    body,
    resolve(claims): DocumentGrant | null {
      const read = (query: JsonObject | undefined) => query && resolved(query, claims);
      try {
        return {
          documents: read(documents) ?? null,
          check: read(check) ?? null,
          fields: fields ?? null,
        };
      } catch (error) {
        if (error instanceof Unresolved || error instanceof QueryError) return null;
        throw error;
      }
    },
    assertFits(mapping) {
      for (const key of ['documents', 'check'] as const) {
        const query = body[key];
        if (isJsonObject(query)) assertComparable(exampleOf(query, `${path}.${key}`), mapping);
      }
    },
  };
}

/** A string that is equal for equal grants. */
export function keyOfGrants(grants: readonly DocumentGrant[]): string {
  return JSON.stringify(grants);
}

function resolved(query: JsonObject, claims: JsonObject): Query {
  return parseReplaced(query, 'documents', (path, isList) => resolveReference(claims, path, isList));
}

/** The query with values in place of its references, which are compared with whole values of fields. */
function parseReplaced(query: JsonObject, path: string, resolve: (path: string, isList: boolean) => JsonValue): Query {
  const [all, chosen] = [new Set<string>(), new Set<unknown>()];
  const replaced = replaceReferences(query, (reference, isList) => {
    const value = resolve(reference, isList);
    // References stand for scalars and lists of them.
    for (const each of [value].flat() as (string | number | boolean)[]) {
      all.add(String(each));
      if (reference === CHOSEN) chosen.add(each);
    }
    return value;
  });
  return compareWhole(parseQuery(replaced, path), { all, chosen });
}

/** The query with an example in place of each reference. @throws QueryError */
function exampleOf(query: JsonObject, path: string): Query {
  return parseReplaced(query, path, (reference, isList) => {
    const value = reference === CHOSEN ? CHOSEN_EXAMPLE : EXAMPLE;
    return isList ? [value] : value;
  });
}

function readQuery(
  body: JsonObject,
  key: 'documents' | 'check',
  { path, refuse, protectedProperties }: DocumentRuleContext,
): JsonObject | undefined {
  if (!Object.hasOwn(body, key)) return undefined;
  const query = body[key];
  const at = `${path}.${key}`;
  if (!isJsonObject(query)) throw refuse(`${at}: expected a query, got ${showValue(query)}`);
  checkReferences(query, at, protectedProperties, refuse);
  try {
    const example = exampleOf(query, at);
    const reason = whyUnfit(example);
    if (reason !== null) throw refuse(reason);
    const misplaced = whereMisplaced(example, CHOSEN_EXAMPLE, at);
    if (misplaced !== undefined) {
      throw refuse(
        `${misplaced}: users could choose a ${CHOSEN} that covers more than their own documents: expected it in term, terms or ids, without case_insensitive`,
      );
    }
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
    throw refuse(`${at}: ${error.message}`);
  }
  return query;
}

/** Why a query can't decide about one document by itself; null if it can. */
function whyUnfit(query: Query): string | null {
  switch (query.kind) {
    case 'query_string':
    case 'function_score':
    case 'distance_feature':
    case 'boosting':
    case 'fuzzy':
    case 'match_phrase_prefix':
      return `${query.path}: ${query.kind} can't be used in a right on documents`;
    case 'match':
    case 'match_bool_prefix':
    case 'multi_match':
      return 'fuzziness' in query && query.fuzziness !== undefined
        ? `${query.path}: fuzziness can't be used in a right on documents`
        : query.kind === 'multi_match' && query.type === 'phrase_prefix'
          ? `${query.path}: multi_match of type phrase_prefix can't be used in a right on documents`
          : null;
    case 'nested':
      if (query.innerHits !== undefined) {
        return `${query.path}: inner_hits can't be used in a right on documents`;
      }
      return whyUnfit(query.query);
    case 'constant_score':
      return whyUnfit(query.filter);
    case 'dis_max':
      return firstReason(query.queries);
    case 'bool':
      return firstReason([...query.must, ...query.filter, ...query.should, ...query.mustNot]);
    case 'match_all':
    case 'match_none':
    case 'term':
    case 'terms':
    case 'range':
    case 'exists':
    case 'ids':
    case 'prefix':
    case 'wildcard':
    case 'regexp':
    case 'match_phrase':
    case 'geo_distance':
    case 'geo_bounding_box':
    case 'geo_polygon':
    case 'geo_shape':
      return null;
    // Requests can't name them.
    case 'cross_fields':
    case 'visible':
      return `${query.path}: ${query.kind} can't be used in a right on documents`;
  }
}

function firstReason(queries: readonly Query[]): string | null {
  for (const query of queries) {
    const reason = whyUnfit(query);
    if (reason !== null) return reason;
  }
  return null;
}

function readFields(body: JsonObject, { path, refuse }: DocumentRuleContext): FieldRule | undefined {
  if (!Object.hasOwn(body, 'fields')) return undefined;
  const fields = body['fields'];
  const at = `${path}.fields`;
  if (!isJsonObject(fields)) {
    throw refuse(`${at}: expected {only: […]} or {except: […]}, got ${showValue(fields)}`);
  }
  const [key, second] = Object.keys(fields);
  if ((key !== 'only' && key !== 'except') || second !== undefined) {
    throw refuse(`${at}: expected either {only: […]} or {except: […]}`);
  }
  const list = fields[key];
  if (!Array.isArray(list) || list.length > MAX_FIELDS) {
    throw refuse(`${at}.${key}: expected a list of at most ${MAX_FIELDS} names`);
  }
  const names = (list as readonly JsonValue[]).map((name, position) => {
    if (typeof name === 'string' && isFieldName(name)) return name;
    throw refuse(`${at}.${key}[${position}]: expected the name of a field or prefix.*, got ${showValue(name)}`);
  });
  return key === 'only' ? { only: names } : { except: names };
}

function isFieldName(name: string): boolean {
  const stem = name.endsWith('.*') ? name.slice(0, -2) : name;
  return (
    stem.length > 0 &&
    stem.length <= 512 &&
    !stem.includes('*') &&
    !stem.startsWith('_') &&
    !stem.startsWith('.') &&
    !stem.endsWith('.')
  );
}
