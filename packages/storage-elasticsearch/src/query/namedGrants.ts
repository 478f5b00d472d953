/*
 * If documents show different fields, each grant is a named query, and hits list those that match them
 * (`matched_queries`).
 */
import type { JsonObject } from '@millrace/language';
import { unionOf, type CompiledMapping, type FieldSet, type ShownFields } from '@millrace/query';
import { toElasticsearchQuery } from './toElasticsearchQuery.js';

/** A filter that matches every document and names the grants; undefined: every hit shows the same fields. */
export function toNamedGrants(shown: ShownFields | undefined, compiled: CompiledMapping): JsonObject | undefined {
  if (shown?.grants === undefined) return undefined;
  const should = shown.grants.flatMap(({ documents }, at) =>
    documents === null ? [] : [{ bool: { filter: [toElasticsearchQuery(documents, compiled)], _name: nameOf(at) } }],
  );
  return { bool: { must: [{ match_all: {} }], should } };
}

/** The fields that a hit shows; null: all. @param matched the named queries that match it */
export function fieldsOfHit({ common, grants }: ShownFields, matched: readonly string[] = []): FieldSet | null {
  if (grants === undefined) return common;
  const sets: FieldSet[] = [];
  for (const [at, { documents, fields }] of grants.entries()) {
    if (documents !== null && !matched.includes(nameOf(at))) continue;
    if (fields === null) return null;
    sets.push(fields);
  }
  return unionOf(sets);
}

function nameOf(grant: number): string {
  return `grant ${grant}`;
}
