import { lowerCase } from '../document/lowerCase.js';
import { porterStem } from './porterStem.js';
import { standardTokens } from './standardTokens.js';
import type { TokenList } from './TokenList.js';

/** Adds the terms of a text to `tokens`, positions counted on from `position`. Returns the position after the last. */
export type Analyzer = (text: string, tokens: TokenList, position: number) => number;

const STOP_WORDS: ReadonlySet<string> = new Set([
  'a',
  'an',
  'and',
  'are',
  'as',
  'at',
  'be',
  'but',
  'by',
  'for',
  'if',
  'in',
  'into',
  'is',
  'it',
  'no',
  'not',
  'of',
  'on',
  'or',
  'such',
  'that',
  'the',
  'their',
  'then',
  'there',
  'these',
  'they',
  'this',
  'to',
  'was',
  'will',
  'with',
]);

/** The same stem is asked for again and again; forgotten when there are too many. */
const stems = new Map<string, string>();
const MAX_STEMS = 50_000;

function stemOf(word: string): string {
  let stem = stems.get(word);
  if (stem === undefined) {
    stem = porterStem(word);
    if (stems.size >= MAX_STEMS) stems.clear();
    stems.set(word, stem);
  }
  return stem;
}

// ASCII alone needs neither Unicode's classes nor its case rules.
const PLAIN_WORDS = /^[a-zA-Z0-9 ]*$/;

function standard(text: string, tokens: TokenList, from: number): number {
  if (text.length < 250 && PLAIN_WORDS.test(text))
    return plainWords(text.toLowerCase(), tokens, from);
  let position = from;
  standardTokens(text, (start, end) => {
    tokens.add(lowerCase(text.slice(start, end)), position, start, end);
    position += 1;
  });
  return position;
}

/** Letters, digits and spaces: what stands between spaces is a word. */
function plainWords(text: string, tokens: TokenList, from: number): number {
  let position = from;
  for (let start = 0; start < text.length;) {
    let end = text.indexOf(' ', start);
    if (end === -1) end = text.length;
    if (end > start) {
      tokens.add(text.slice(start, end), position, start, end);
      position += 1;
    }
    start = end + 1;
  }
  return position;
}

function english(text: string, tokens: TokenList, from: number): number {
  let position = from;
  standardTokens(text, (start, end) => {
    const token = text.slice(start, end);
    const word = lowerCase(/['\u2019\uFF07][sS]$/.test(token) ? token.slice(0, -2) : token);
    if (!STOP_WORDS.has(word)) tokens.add(stemOf(word), position, start, end);
    position += 1;
  });
  return position;
}

/** Adds each match of `pattern`, cut at 255 code points as Lucene's character tokenizers do. */
function addMatches(
  text: string,
  pattern: RegExp,
  finish: (token: string) => string,
  tokens: TokenList,
  from: number,
): number {
  let position = from;
  for (const found of text.matchAll(pattern)) {
    let start = found.index;
    for (let rest = found[0]; rest.length > 0;) {
      const cut = rest.length <= 255 ? rest : [...rest.slice(0, 510)].slice(0, 255).join('');
      tokens.add(finish(cut), position, start, start + cut.length);
      position += 1;
      start += cut.length;
      rest = rest.slice(cut.length);
    }
  }
  return position;
}

const ANALYZERS: ReadonlyMap<string, Analyzer> = new Map<string, Analyzer>([
  ['standard', standard],
  ['default', standard],
  ['english', english],
  ['simple', (text, tokens, from) => addMatches(text, /\p{L}+/gu, lowerCase, tokens, from)],
  // As Java's `Character.isWhitespace`: no non-breaking spaces.
  [
    'whitespace',
    (text, tokens, from) =>
      addMatches(
        text,
        /[^\t-\r\u001C-\u0020\u1680\u2000-\u2006\u2008-\u200A\u2028\u2029\u205F\u3000]+/gu,
        (token) => token,
        tokens,
        from,
      ),
  ],
  [
    'keyword',
    (text, tokens, from) => {
      tokens.add(text, from, 0, text.length);
      return from + 1;
    },
  ],
]);

/** The analyzer of that name (query-language.md section 5). @throws Error for a name that no mapping can hold */
export function analyzerOf(name: string): Analyzer {
  const analyzer = ANALYZERS.get(name);
  if (analyzer === undefined) throw new Error(`No analyzer "${name}"`);
  return analyzer;
}
