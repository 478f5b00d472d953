import { lowerCase, type JsonObject } from '@millrace/language';
import {
  resolveFieldPattern,
  analyzerOf,
  type CompiledField,
  type CompiledMapping,
  type BoundQuery,
  type Highlight,
  type HighlightField,
} from '@millrace/query';
import type { SearchScope } from '../SearchScope.js';
import { textsAt } from '../sourceValues.js';
import type { SearchedPhrase } from './SearchedPhrase.js';
import { collectPhrases, type ClausePhrase } from './collectPhrases.js';
import { cutFragments, leadOf, type Fragment } from './cutFragments.js';
import { findSpans, PlacedTokenList } from './findSpans.js';

/** A field to highlight. */
interface Target {
  readonly field: CompiledField;
  /**
   * Paths of its values in the document: for a multi-field those of its field, for a target of `copy_to` those of its
   * sources too.
   */
  readonly sourcePaths: readonly string[];
  readonly options: HighlightField;
  readonly phrases: readonly ClausePhrase[];
}

/*
 * Marks the words and phrases of a query in the values of a document. The values are analysed again for each hit of a
 * page, and each term is compared with those of the query for the same field (for any field without
 * `require_field_match`).
 */
export class Highlighter {
  private readonly targets: readonly Target[];

  /**
   * @param isOfSlots false: the query applies to the documents that contain the slots, and each of its clauses counts
   */
  constructor(highlight: Highlight<BoundQuery>, query: BoundQuery, scope: SearchScope, isOfSlots = true) {
    const { mapping } = scope.index;
    const searched = collectPhrases(query, scope, { isRequired: true, isOfSlots });
    const targets = new Map<string, Target>();
    for (const options of highlight.fields) {
      const { highlightQuery, requireFieldMatch } = options;
      const phrases =
        highlightQuery === undefined
          ? searched
          : collectPhrases(highlightQuery, scope, { isRequired: false, isOfSlots });
      for (const field of resolveFieldPattern(mapping, options.field)) {
        if (field.type !== 'text' && field.type !== 'keyword') continue;
        targets.set(field.name, {
          field,
          sourcePaths: sourcePathsOf(field, mapping),
          options,
          phrases: phrases.filter((one) => !requireFieldMatch || one.field === field.name),
        });
      }
    }
    this.targets = [...targets.values()];
  }

  /**
   * @param slot of the scope's index
   * @param source a document, or the object of a nested field
   * @param path of that field; undefined for a document
   * @returns `highlight` of a hit; undefined if it is empty
   */
  highlight(slot: number, source: JsonObject, path?: string): JsonObject | undefined {
    const shown: [string, readonly string[]][] = [];
    const prefix = path === undefined ? '' : `${path}.`;
    for (const { field, sourcePaths, options, phrases } of this.targets) {
      const values = sourcePaths
        .filter((sourcePath) => sourcePath.startsWith(prefix))
        .flatMap((each) => textsAt(source, each.slice(prefix.length), field.nullValue))
        .filter((value) => value.trim() !== '' && value.length <= field.ignoreAbove)
        .map((value) => (field.isLowerCased ? lowerCase(value) : value));
      const matching = phrases.filter(({ isIn }) => isIn(slot));
      const fragments = highlightValues(values, field, matching, options);
      if (fragments.length > 0) shown.push([field.name, fragments]);
    }
    return shown.length === 0 ? undefined : Object.fromEntries(shown);
  }
}

function sourcePathsOf(field: CompiledField, mapping: CompiledMapping): string[] {
  const around = field.name.slice(0, Math.max(0, field.name.lastIndexOf('.')));
  const copied = [...mapping.fields.values()].filter(({ copyTo }) => copyTo.includes(field));
  return [mapping.fields.has(around) ? around : field.name, ...copied.map(({ name }) => name)];
}

function highlightValues(
  values: readonly string[],
  field: CompiledField,
  phrases: readonly SearchedPhrase[],
  options: HighlightField,
): string[] {
  const { numberOfFragments, fragmentSize, noMatchSize, order } = options;
  const isWhole = numberOfFragments === 0 || field.type === 'keyword';
  const analyzer = field.type === 'text' ? field.analyzer : undefined;
  const found = values.flatMap((text): Fragment[] => {
    if (phrases.length === 0) return [];
    const spans = findSpans(tokensIn(field, text, analyzer), phrases);
    if (spans.length === 0) return [];
    return isWhole ? [{ text, start: 0, end: text.length, spans }] : cutFragments(text, spans, fragmentSize);
  });
  const [first] = values;
  if (found.length === 0 && first !== undefined && noMatchSize > 0) {
    const text = leadOf(first, noMatchSize);
    return [markFragment({ text, start: 0, end: text.length, spans: [] }, options)];
  }
  const best = numberOfFragments === 0 ? found : byWords(found).slice(0, numberOfFragments);
  const shown = order === 'score' ? byWords(best) : found.filter((one) => best.includes(one));
  return shown.map((fragment) => markFragment(fragment, options));
}

/** Fragments with the most distinct words first, then those with the most words. */
function byWords(fragments: readonly Fragment[]): Fragment[] {
  const wordCount = ({ text, spans }: Fragment) =>
    new Set(spans.map(({ start, end }) => lowerCase(text.slice(start, end)))).size;
  const ranked = fragments.map((fragment) => ({ fragment, count: wordCount(fragment) }));
  ranked.sort((a, b) => b.count - a.count || b.fragment.spans.length - a.fragment.spans.length);
  return ranked.map(({ fragment }) => fragment);
}

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['"', '&quot;'],
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ["'", '&#x27;'],
  ['/', '&#x2F;'],
]);

/** A fragment with tags around its spans. Trimmed, unless whole values are requested. */
function markFragment(
  { text, start, end, spans }: Fragment,
  { preTags, postTags, encoder, numberOfFragments }: HighlightField,
): string {
  const [before = '<em>'] = preTags;
  const [after = '</em>'] = postTags;
  const encode = (part: string) =>
    encoder === 'html' ? part.replace(/["&<>'/]/g, (sign) => ENTITIES.get(sign) ?? sign) : part;
  let marked = '';
  let at = start;
  for (const span of spans) {
    marked += encode(text.slice(at, span.start)) + before;
    marked += encode(text.slice(span.start, span.end)) + after;
    at = span.end;
  }
  marked += encode(text.slice(at, end));
  return numberOfFragments === 0 ? marked : marked.trim();
}

/**
 * The terms of a string in a text or keyword field.
 * @param analyzer undefined: the string as a whole is the term, as in keyword fields
 */
function tokensIn(field: CompiledField, text: string, analyzer: string | undefined): PlacedTokenList {
  const tokens = new PlacedTokenList();
  if (analyzer !== undefined) analyzerOf(field, analyzer).analyze(text, tokens, 0);
  else tokens.add(field.isLowerCased ? lowerCase(text) : text, 0, 0, text.length);
  return tokens;
}
