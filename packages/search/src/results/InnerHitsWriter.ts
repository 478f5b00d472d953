import type { JsonObject } from '@millrace/language';
import {
  clausesIn,
  selectFields,
  SourceSelection,
  type BoundQuery,
  type FieldSet,
  type InnerHits,
  type NestedQuery,
} from '@millrace/query';
import type { Deadline } from '../Deadline.js';
import { Highlighter } from '../highlight/Highlighter.js';
import type { CollectionIndex } from '../index/CollectionIndex.js';
import { descendants } from '../index/NestedIndex.js';
import { matchQuery } from '../matchQuery.js';
import { nestedScope, type NestedScope } from '../nestedScope.js';
import { noMatches, type Matches } from '../queries/Matches.js';
import { advance } from '../queries/setOperations.js';
import { Refusal } from '../Refusal.js';
import { Ranking } from './Ranking.js';
import type { SearchScope } from '../SearchScope.js';
import { nestedIdentity, objectOf } from './nestedIdentity.js';

/** A document that contains inner hits. */
export interface OuterDocument {
  readonly id: string;
  readonly source: JsonObject;
  /** Those that it shows; null: all. */
  readonly fields: FieldSet | null;
  readonly index: string;
  readonly collection: string;
}

/** `inner_hits` of one `nested` query. */
interface Definition {
  readonly spec: InnerHits<BoundQuery>;
  readonly nestedPath: string;
  /** Undefined if no document has such an object. */
  readonly scope: NestedScope | undefined;
  readonly matches: Matches;
  readonly selection: SourceSelection;
  readonly highlighter: Highlighter | undefined;
  readonly inner: InnerHitsWriter | undefined;
}

/*
 * Nested queries with `inner_hits` are matched once per search, on all objects. The matching objects of one hit are a
 * contiguous range, which is ranked like a small search.
 */
export class InnerHitsWriter {
  private constructor(
    private readonly definitions: readonly Definition[],
    /** The index with the slots of the hits. */
    private readonly around: CollectionIndex,
  ) {}

  /** @returns undefined if the queries have no inner hits @throws Refusal */
  static create(queries: readonly BoundQuery[], scope: SearchScope): InnerHitsWriter | undefined {
    const definitions = queries.flatMap((query) => [...nestedWithHits(query)].map((each) => define(...each, scope)));
    const names = new Set<string>();
    for (const { spec, nestedPath } of definitions) {
      if (names.has(spec.name)) {
        throw new Refusal(`Two inner_hits have the name "${spec.name}" (of "${nestedPath}"): give one another "name"`);
      }
      names.add(spec.name);
    }
    return definitions.length === 0 ? undefined : new InnerHitsWriter(definitions, scope.index);
  }

  /** `inner_hits` of the hit with that slot. @param deadline of the page: each page of a cursor has a new one */
  write(slot: number, document: OuterDocument, deadline: Deadline): JsonObject {
    return Object.fromEntries(
      this.definitions.map((definition) => [definition.spec.name, this.hitsOf(definition, slot, document, deadline)]),
    );
  }

  private hitsOf(definition: Definition, slot: number, document: OuterDocument, deadline: Deadline): JsonObject {
    const { spec, scope, selection, highlighter, inner, nestedPath } = definition;
    if (scope === undefined) return { hits: [], total: 0, max_score: null };
    const [from, to] = descendants(scope.index, this.around, slot);
    const matches = range(definition.matches, from, to);
    const { sort, source } = spec;
    const request = { trackScores: false, isInner: true, ...(sort === undefined ? {} : { sort }) };
    deadline.check();
    const later = { ...scope, deadline };
    const limit = spec.size === 0 ? 0 : spec.from + spec.size;
    const ranking = new Ranking(matches, request, later, limit);
    const { fields } = document;
    const sourceOf = (object: JsonObject) => {
      const selected = selection.selectAt(object, nestedPath);
      return fields === null ? selected : selectFields(selected, fields, nestedPath);
    };
    const hits = ranking.hits(spec.from, limit).map((hit): JsonObject => {
      const identity = nestedIdentity(scope.index, hit.slot);
      const object = objectOf(document.source, identity);
      const highlight = highlighter?.highlight(hit.slot, object, nestedPath);
      return {
        _index: document.index,
        _type: document.collection,
        _id: document.id,
        _nested: identity as unknown as JsonObject,
        _score: hit.score,
        ...(source.enabled ? { _source: sourceOf(object) } : {}),
        ...(hit.sort === undefined ? {} : { sort: hit.sort }),
        ...(highlight === undefined ? {} : { highlight }),
        ...(inner === undefined ? {} : { inner_hits: inner.write(hit.slot, document, deadline) }),
      };
    });
    return { hits, total: matches.slots.length, max_score: ranking.maxScore };
  }
}

/** The outermost nested queries: inner hits of nested queries within them are part of theirs, or aren't returned. */
function* nestedWithHits(
  query: BoundQuery,
): Generator<[query: NestedQuery<BoundQuery>, innerHits: InnerHits<BoundQuery>], void> {
  if (query.kind !== 'nested') {
    // A hit has no object that clauses of `must_not` match.
    const { positive, rescoring = [] } = clausesIn(query);
    for (const inner of [...positive, ...rescoring]) yield* nestedWithHits(inner);
  } else if (query.innerHits !== undefined) yield [query, query.innerHits];
}

function define(query: NestedQuery<BoundQuery>, spec: InnerHits<BoundQuery>, scope: SearchScope): Definition {
  const inside = nestedScope(scope, query.nestedPath);
  const inner = query.query;
  return {
    spec,
    nestedPath: query.nestedPath,
    scope: inside,
    matches: inside === undefined ? noMatches() : matchQuery(inner, inside, true),
    selection: new SourceSelection(spec.source),
    highlighter: spec.highlight && new Highlighter(spec.highlight, inner, inside ?? scope),
    inner: inside && InnerHitsWriter.create([inner], inside),
  };
}

function range(matches: Matches, from: number, to: number): Matches {
  const first = advance(matches.slots, 0, from);
  const last = advance(matches.slots, first, to);
  return {
    slots: matches.slots.subarray(first, last),
    scores: matches.scores?.subarray(first, last),
    score: matches.score,
  };
}
