/*
 * Removes hidden fields from the hits of a search. If all grants of a right show the same fields, each hit is filtered
 * alike. Otherwise the grants that cover a hit decide about it, which needs its whole content: the search then returns
 * it, and the caller's own `_source` filter is applied afterwards.
 */
import type {
  CollectionName,
  DocumentRight,
  JsonObject,
  JsonValue,
  SearchHit,
  SearchOutcome,
  StoredDocument,
} from '@millrace/kernel';
import {
  intersectionOf,
  selectFields,
  SourceSelection,
  toFieldSet,
  type FieldSet,
  type SearchRequest,
  type SourceFilter,
} from '@millrace/query';
import { searchViewOf, type DocumentJudge } from '@millrace/search';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { DocumentLimits } from './DocumentLimits.js';

const EVERYTHING: SourceFilter = { enabled: true, includes: [], excludes: [] };

/** A search within a right. */
export interface LimitedSearch {
  readonly request: SearchRequest;
  /** False if hits must be parsed, since fields are removed from them. */
  readonly keepsTexts: boolean;
  /** The outcome as the caller may see it. */
  readonly show: (outcome: SearchOutcome) => Promise<SearchOutcome>;
}

/** Limits searches to what a right shows. */
@scoped(Scope.ContainerScoped)
export class ShownHits {
  constructor(@inject(DocumentLimits) private readonly limits: DocumentLimits) {}

  /** @throws security.field_hidden (403) if the request names a hidden field */
  async limit(
    request: SearchRequest,
    right: DocumentRight,
    name: CollectionName,
  ): Promise<LimitedSearch> {
    const view = searchViewOf(right);
    await this.limits.assertNames(request, view.fields, name);
    const limited = { ...request, view };
    const rules = new Set(right.grants.map(({ fields }) => JSON.stringify(fields)));
    if (view.fields.length === 0) {
      return { request: limited, keepsTexts: true, show: (outcome) => Promise.resolve(outcome) };
    }
    const isUniform = rules.size === 1;
    const { source } = request;
    return {
      request: isUniform ? limited : { ...limited, source: EVERYTHING },
      keepsTexts: false,
      show: async (outcome) => {
        const mapping = await this.limits.mappingOf(name);
        const judge = await this.limits.judgeOf(right, name);
        const common = intersectionOf(view.fields.map((rule) => toFieldSet(rule, mapping)));
        const fieldsOf = isUniform ? () => common : fieldsByGrants(judge);
        const asked = isUniform ? undefined : new AskedSource(source);
        return showOutcome(outcome, { fieldsOf, common, asked });
      },
    };
  }
}

interface Showing {
  /** The fields of a hit; null: all. */
  readonly fieldsOf: (hit: SearchHit) => FieldSet | null;
  /** The fields of every document. */
  readonly common: FieldSet;
  readonly asked: AskedSource | undefined;
}

function fieldsByGrants(judge: DocumentJudge): Showing['fieldsOf'] {
  return (hit) => {
    const { id, version, meta, source = {} } = hit;
    const document: StoredDocument = { id, version, meta, source };
    return judge.fieldsOf(judge.covering(document));
  };
}

/** The `_source` filter of a request. */
class AskedSource {
  private readonly selection: SourceSelection;

  constructor(private readonly filter: SourceFilter) {
    this.selection = new SourceSelection(filter);
  }

  apply({ source, ...hit }: SearchHit): SearchHit {
    if (!this.filter.enabled || source === undefined) return hit;
    return { ...hit, source: this.selection.select(source) };
  }
}

function showOutcome(outcome: SearchOutcome, showing: Showing): SearchOutcome {
  const { aggregations } = outcome;
  return {
    ...outcome,
    hits: outcome.hits.map((hit) => showHit(hit, showing)),
    // The documents of `top_hits` have the fields that every document shows.
    ...(aggregations && { aggregations: showSources(aggregations, showing.common) as JsonObject }),
  };
}

function showHit(hit: SearchHit, { fieldsOf, asked }: Showing): SearchHit {
  const fields = fieldsOf(hit);
  const { source, innerHits } = hit;
  const shown =
    fields === null
      ? hit
      : {
          ...hit,
          ...(source && { source: selectFields(source, fields) }),
          ...(innerHits && { innerHits: showSources(innerHits, fields) as JsonObject }),
        };
  return asked === undefined ? shown : asked.apply(shown);
}

/** Filters every `_source` in inner hits and `top_hits`; those of nested objects have the path of their object. */
function showSources(value: JsonValue, fields: FieldSet): JsonValue {
  if (Array.isArray(value)) {
    return (value as readonly JsonValue[]).map((item) => showSources(item, fields));
  }
  if (typeof value !== 'object' || value === null) return value;
  const object = value as JsonObject;
  const path = pathOf(object['_nested']);
  return Object.fromEntries(
    Object.entries(object).map(([key, inner]) =>
      key === '_source' && isObject(inner)
        ? [key, selectFields(inner, fields, path)]
        : [key, showSources(inner, fields)],
    ),
  );
}

function pathOf(nested: JsonValue | undefined): string {
  if (!isObject(nested)) return '';
  const { field, _nested: deeper } = nested;
  const own = typeof field === 'string' ? field : '';
  const below = pathOf(deeper);
  return below === '' ? own : `${own}.${below}`;
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
