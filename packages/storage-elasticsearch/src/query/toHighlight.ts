import type { JsonObject } from '@millrace/language';
import {
  highlightedFields,
  type BoundQuery,
  type CompiledMapping,
  type Highlight,
  type HighlightField,
  type InnerHits,
} from '@millrace/query';
import { toSort } from './toSort.js';
import { toSourceFilter } from './toSourceFilter.js';
import { toElasticsearchQuery } from './toElasticsearchQuery.js';

/**
 * `highlight` with field names in place of patterns, because in Elasticsearch a pattern would also match the engine's
 * metadata.
 */
export function toHighlight({ fields }: Highlight<BoundQuery>, compiled: CompiledMapping): JsonObject {
  const encoder = fields[0]?.encoder ?? 'default';
  return {
    type: 'unified',
    encoder,
    fields: fields.flatMap((field) =>
      highlightedFields(field.field, compiled).map((name) => ({
        [name]: toOptions(field, compiled),
      })),
    ),
  };
}

function toOptions(field: HighlightField<BoundQuery>, compiled: CompiledMapping): JsonObject {
  return {
    pre_tags: field.preTags,
    post_tags: field.postTags,
    fragment_size: field.fragmentSize,
    number_of_fragments: field.numberOfFragments,
    no_match_size: field.noMatchSize,
    require_field_match: field.requireFieldMatch,
    ...(field.order === 'score' ? { order: 'score' } : {}),
    ...(field.highlightQuery === undefined
      ? {}
      : { highlight_query: toElasticsearchQuery(field.highlightQuery, compiled) }),
  };
}

/**
 * `inner_hits` of a nested query, always starting at the first hit: version 8 returns a total
 * of 0 for a page after the last one. `toSearchOutcome` drops the hits before the page.
 */
export function toInnerHits(innerHits: InnerHits<BoundQuery>, compiled: CompiledMapping): JsonObject {
  const { name, from, size, sort, source, highlight } = innerHits;
  return {
    name,
    from: 0,
    size: size === 0 ? 0 : from + size,
    _source: toSourceFilter(source),
    ...(sort === undefined ? {} : { sort: sort.map((each) => toSort(each, compiled)) }),
    ...(highlight === undefined ? {} : { highlight: toHighlight(highlight, compiled) }),
  };
}
