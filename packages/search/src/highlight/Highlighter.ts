import {
  analyzerOf,
  expandFields,
  positiveClauses,
  resolveFieldPattern,
  lowerCase,
  type CompiledField,
  type CompiledMapping,
  type ExpandedQuery,
  type Highlight,
  type HighlightField,
  type JsonObject,
} from '@millrace/query';
import { PlacedTokenList } from '../analysis/PlacedTokenList.js';
import { dropImpossible } from '../queries/dropImpossible.js';
import type { SearchScope } from '../SearchScope.js';
import { storedTextsAt, textsAt } from '../sourceValues.js';
import { cutFragments, leadOf, type Fragment } from './cutFragments.js';
import { findSpans, type Span } from './findSpans.js';
import type { HitText } from './conditionOf.js';
import type { TermTest } from './Wanted.js';
import { seenByTerms, wantedBy, type WantedWhere } from './wantedBy.js';

/** One field to show, and what is looked for in it. */
interface Target {
  readonly field: CompiledField;
  /** Where its values stand in the document: a multi-field has those of its field, a target of copies theirs too. */
  readonly sourcePaths: readonly string[];
  readonly options: HighlightField;
  readonly wanted: readonly WantedWhere[];
  /** The words that conditions see; undefined: all. */
  readonly seen: readonly TermTest[] | undefined;
  /** Whether terms are marked wherever they stand, and not only where the clauses match that look for them. */
  readonly isByTerms: boolean;
  /** Whether it is indexed with the hit. */
  readonly isIndexed: boolean;
}

/*
 * Marks what a query found, in the texts of a document as they are stored: the texts of the few hits of a page are
 * analysed again, and each token is put to the conditions of the query. Phrases are marked as a whole, only where they
 * match.
 */
export class Highlighter {
  private readonly targets: readonly Target[];

  /** @param query after `expandFields` */
  constructor(highlight: Highlight, query: ExpandedQuery, scope: SearchScope) {
    const { mapping, nestedPath } = scope.index;
    const wanted = wantedBy(dropImpossible(query, scope), scope, true);
    const targets = new Map<string, Target>();
    for (const options of highlight.fields) {
      const { highlightQuery, requireFieldMatch } = options;
      const ownQuery = highlightQuery && expandFields(highlightQuery, mapping, nestedPath);
      const own =
        ownQuery === undefined ? wanted : wantedBy(dropImpossible(ownQuery, scope), scope, false);
      // Of a query that holds a nested one a server can't tell where it matches.
      const isByTerms = !requireFieldMatch || holdsNested(ownQuery ?? query, mapping);
      for (const field of resolveFieldPattern(mapping, options.field)) {
        if (field.type !== 'text' && field.type !== 'keyword') continue;
        const inField = own.filter((one) => !requireFieldMatch || one.field === field.name);
        // Those of nested objects are not indexed with the document.
        const isIndexed = scope.index.shows(field);
        const isIndexedElsewhere = !isIndexed && isReadFromIndex(field, inField);
        const parent = field.name.slice(0, Math.max(0, field.name.lastIndexOf('.')));
        targets.set(field.name, {
          field,
          sourcePaths: [
            mapping.fields.has(parent) ? parent : field.name,
            ...copiedFrom(field, mapping),
          ],
          options,
          wanted: isIndexedElsewhere
            ? []
            : isByTerms
              ? seenByTerms(inField)
              : inField.filter(({ isIdle }) => !isIdle),
          seen: isByTerms ? undefined : seenWords(field, inField),
          isByTerms,
          isIndexed,
        });
      }
    }
    this.targets = [...targets.values()].filter(({ field }) => !isKeptElsewhere(field, scope));
  }

  /**
   * @param slot of the scope's index; undefined: a part of a hit, to which all clauses count
   * @param source a document, or the object of a nested field
   * @param path that field; undefined for a document
   * @returns `highlight` of a hit; undefined where there is nothing to show
   */
  highlight(slot: number | undefined, source: JsonObject, path?: string): JsonObject | undefined {
    const shown: [string, readonly string[]][] = [];
    for (const target of this.targets) {
      const { sourcePaths, field } = target;
      const texts = sourcePaths.flatMap((sourcePath) => {
        if (path !== undefined && !sourcePath.startsWith(`${path}.`)) return [];
        const relative = path === undefined ? sourcePath : sourcePath.slice(path.length + 1);
        const read = field.isStored ? storedTextsAt : textsAt;
        return read(source, relative, field.nullValue);
      });
      // Keywords are shown as they are indexed.
      const shownTexts = field.isLowerCased ? texts.map(lowerCase) : texts;
      const wanted =
        slot === undefined || target.isByTerms
          ? target.wanted
          : wantedIn(target, { slot, texts: shownTexts });
      const fragments = fragmentsOf({ ...target, wanted }, shownTexts);
      if (fragments.length > 0) shown.push([field.name, fragments]);
    }
    return shown.length === 0 ? undefined : Object.fromEntries(shown);
  }
}

function holdsNested(query: ExpandedQuery, mapping: CompiledMapping): boolean {
  if (query.kind === 'nested' && mapping.objects.get(query.nestedPath)?.isNested === true)
    return true;
  const excluded = query.kind === 'bool' ? query.mustNot : [];
  return [...positiveClauses(query), ...excluded].some((each) =>
    holdsNested(each as ExpandedQuery, mapping),
  );
}

/** What is looked for by clauses that match there. */
function wantedIn(
  { field, wanted, seen, isIndexed }: Target,
  { slot, texts }: { readonly slot: number; readonly texts: readonly string[] },
): WantedWhere[] {
  let words: readonly PlacedTokenList[] | undefined;
  const read = () => {
    const all = keptOf(field, texts).map((text) => tokensOf(field, text));
    return seen === undefined ? all : all.map((tokens) => only(tokens, seen));
  };
  const hit: HitText = {
    slot,
    field: field.name,
    isIndexed,
    seen: isIndexed && seen === undefined ? undefined : () => (words ??= read()),
  };
  return wanted.filter(({ conditions }) => conditions.every((holds) => holds(hit)));
}

/** Tokens that one of the tests accepts, where they stand. */
function only({ terms, positions, starts, ends }: PlacedTokenList, tests: readonly TermTest[]) {
  const kept = new PlacedTokenList();
  for (const [i, term] of terms.entries()) {
    if (tests.some((accepts) => accepts(term)))
      kept.add(term, positions[i] as number, starts[i] as number, ends[i] as number);
  }
  return kept;
}

/**
 * Whether Lucene has kept with the document where the words of the text stand, and need not read it again. A list of places
 * by word does not help it with patterns, nor with what it can't tell the words of.
 */
function isReadFromIndex({ offsetsIn }: CompiledField, wanted: readonly WantedWhere[]): boolean {
  if (offsetsIn !== 'index') return offsetsIn === 'text';
  return !wanted.some(
    ({ isLiteral, isOpaque, places }) =>
      isOpaque === true ||
      (isLiteral !== true && places.some(({ isPattern }) => isPattern === true)),
  );
}

/** Lucene reads a text again for the words that the query wants in it, or for all where it can't tell them. */
function seenWords(
  field: CompiledField,
  wanted: readonly WantedWhere[],
): readonly TermTest[] | undefined {
  const isWhole =
    isReadFromIndex(field, wanted) || wanted.some(({ isOpaque }) => isOpaque === true);
  return isWhole ? undefined : wanted.flatMap(({ places }) => places.map(({ accepts }) => accepts));
}

/**
 * What is kept apart is not read from the document: of a disabled object nothing is kept, of a nested one with that object
 * alone, unless it is indexed farther out as well.
 */
function isKeptElsewhere(field: CompiledField, { index }: SearchScope): boolean {
  if (!field.isStored) return false;
  const { name } = field;
  for (let dot = name.lastIndexOf('.'); dot > 0; dot = name.lastIndexOf('.', dot - 1)) {
    if (index.mapping.objects.get(name.slice(0, dot))?.isEnabled === false) return true;
  }
  return !index.shows(field);
}

function copiedFrom(target: CompiledField, mapping: CompiledMapping): string[] {
  const sources: string[] = [];
  for (const field of mapping.fields.values()) {
    if (field.copyTo.includes(target)) sources.push(field.name);
  }
  return sources;
}

function fragmentsOf(
  { field, options, wanted, isByTerms }: Target,
  texts: readonly string[],
): string[] {
  const { numberOfFragments, fragmentSize, noMatchSize, order } = options;
  const found: { readonly text: string; readonly fragment: Fragment }[] = [];
  const kept = keptOf(field, texts);
  for (const [at, text] of kept.entries()) {
    // An empty value is shown as marked only before another one.
    if (text === '' && at === kept.length - 1) continue;
    const spans = findSpans(tokensOf(field, text), wanted, !isByTerms);
    if (spans.length === 0) continue;
    if (text === '') {
      const fragment = { start: 0, end: 0, spans: spans.slice(0, 1) };
      for (let times = timesOfEmpty(wanted); times > 0; times -= 1) found.push({ text, fragment });
      continue;
    }
    const whole = numberOfFragments === 0 || field.type === 'keyword';
    const fragments = whole
      ? [{ start: 0, end: text.length, spans }]
      : cutFragments(text, spans, fragmentSize);
    for (const fragment of fragments) found.push({ text, fragment });
  }
  if (found.length === 0) {
    const first = kept.find((text) => text !== '');
    if (first === undefined || noMatchSize === 0) return [];
    const lead = leadOf(first, noMatchSize);
    const shown = numberOfFragments === 0 ? lead : trim(lead);
    return BLANK.test(shown) ? [] : [encode(shown, options)];
  }
  const rank = found
    .map((_, i) => i)
    .sort((a, b) => scoreOf(found, b) - scoreOf(found, a) || a - b);
  const best = numberOfFragments === 0 ? rank : rank.slice(0, numberOfFragments);
  if (order !== 'score') best.sort((a, b) => a - b);
  return best.flatMap((i) => {
    const one = found[i];
    return one === undefined ? [] : [mark(one.text, one.fragment, options)];
  });
}

/** An empty value is shown for each pattern that it fits, and once more where it is asked for as it is. */
function timesOfEmpty(wanted: readonly WantedWhere[]): number {
  let [patternCount, termCount] = [0, 0];
  for (const { places, isLiteral } of wanted) {
    if (places[0]?.accepts('') !== true) continue;
    if (places[0].isPattern === true && isLiteral !== true) patternCount += 1;
    else termCount += 1;
  }
  return patternCount + Math.min(1, termCount);
}

/** The texts that are indexed. */
function keptOf({ type, ignoreAbove }: CompiledField, texts: readonly string[]): readonly string[] {
  return type === 'keyword' ? texts.filter((text) => text.length <= ignoreAbove) : texts;
}

/** Different words count more than the same one again. */
function scoreOf(
  found: readonly { readonly text: string; readonly fragment: Fragment }[],
  i: number,
): number {
  const one = found[i];
  if (one === undefined) return 0;
  const words = one.fragment.spans.map(({ start, end }) =>
    one.text.slice(start, end).toLowerCase(),
  );
  return new Set(words).size + words.length / (words.length + 2);
}

function tokensOf(field: CompiledField, text: string): PlacedTokenList {
  const tokens = new PlacedTokenList();
  if (field.type === 'text') analyzerOf(field, field.analyzer).analyze(text, tokens, 0);
  else tokens.add(field.isLowerCased ? lowerCase(text) : text, 0, 0, text.length);
  return tokens;
}

function mark(text: string, { start, end, spans }: Fragment, options: HighlightField): string {
  const [before = '<em>'] = options.preTags;
  const [after = '</em>'] = options.postTags;
  const parts: string[] = [];
  let at = start;
  for (const span of spans) {
    const marked: Span = { start: Math.max(span.start, at), end: Math.min(span.end, end) };
    parts.push(encode(text.slice(at, marked.start), options), before);
    parts.push(encode(text.slice(marked.start, marked.end), options), after);
    at = marked.end;
  }
  parts.push(encode(text.slice(at, end), options));
  // Whole values are shown as they are.
  const shown = parts.join('');
  return options.numberOfFragments === 0 ? shown : trim(shown);
}

/** As Java, to which only these are blank: up to here for what is taken off the ends, and for a whole text. */
const LAST_BLANK = 0x20;
const BLANK = /^[\t-\r\u001c- \u1680\u2000-\u2006\u2008-\u200a\u2028\u2029\u205f\u3000]*$/;

function trim(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && text.charCodeAt(start) <= LAST_BLANK) start += 1;
  while (end > start && text.charCodeAt(end - 1) <= LAST_BLANK) end -= 1;
  return text.slice(start, end);
}

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['"', '&quot;'],
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ["'", '&#x27;'],
  ['/', '&#x2F;'],
]);

function encode(text: string, { encoder }: HighlightField): string {
  if (encoder !== 'html') return text;
  return text.replace(/["&<>'/]/g, (character) => ENTITIES.get(character) ?? character);
}
