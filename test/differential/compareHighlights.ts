/*
 * Each fragment holds a marked word, and where one condition alone asks, both engines highlight the same fields and agree
 * on a word. Which other words are marked is not promised, nor what conditions mark that did not make a document match.
 */
import type { JsonObject, JsonValue, SearchHit } from '@millrace/kernel';
import type { Mismatch, RequestBody } from './Answer.js';

const CONDITION =
  /^(match|match_phrase|match_phrase_prefix|match_bool_prefix|multi_match|term|prefix|wildcard|regexp|fuzzy)$/;

export function* compareHighlights(
  { id, highlight: left = {} }: SearchHit,
  { highlight: right = {} }: SearchHit,
  request: RequestBody,
): Generator<Mismatch, void> {
  if (request['highlight'] === undefined) return;
  const options = request['highlight'] as JsonObject;
  const [marked, others] = [left, right].map((side) => markedWords(side, options)) as [Marked, Marked];
  const shown = { left: { [id]: left }, right: { [id]: right } };
  if (
    [marked, others].some((side) => [...side.values()].some((fragments) => fragments.some((words) => words.size === 0)))
  )
    yield { kind: 'highlight without a mark', ...shown };
  const [condition = 'match_all'] = Object.keys((options['highlight_query'] ?? request['query'] ?? {}) as JsonObject);
  // `cross_fields` is one condition for each group of fields with one analyzer.
  if (!CONDITION.test(condition) || JSON.stringify(request).includes('cross_fields')) return;
  if ([...marked.keys()].sort().join(' ') !== [...others.keys()].sort().join(' '))
    yield { kind: 'highlighted fields', ...shown };
  for (const [field, fragments] of marked) {
    const isWhole = options['number_of_fragments'] === 0;
    const other = others.get(field);
    if (isWhole && other !== undefined && !shareWord(fragments, other)) yield { kind: 'marked words', ...shown };
  }
}

/** The marked words of each fragment, by field. */
type Marked = ReadonlyMap<string, readonly ReadonlySet<string>[]>;

function markedWords(highlight: JsonObject, options: JsonObject): Marked {
  const [open, close] = [tag(options['pre_tags'], '<em>'), tag(options['post_tags'], '</em>')];
  const words = (fragment: string): ReadonlySet<string> =>
    new Set(
      fragment
        .split(open)
        .slice(1)
        .flatMap((part) => (part.split(close)[0] ?? '').toLowerCase().split(/[^\p{L}\p{N}]+/u))
        .filter((word) => word !== ''),
    );
  return new Map(
    Object.entries(highlight).map(([field, fragments]) => [field, (fragments as readonly string[]).map(words)]),
  );
}

function tag(value: JsonValue | undefined, initial: string): string {
  return String((Array.isArray(value) ? value[0] : value) ?? initial);
}

function shareWord(a: readonly ReadonlySet<string>[], b: readonly ReadonlySet<string>[]): boolean {
  const words = new Set(b.flatMap((each) => [...each]));
  return a.some((each) => [...each].some((word) => words.has(word)));
}
