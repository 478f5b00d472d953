import { lowerCase } from './lowerCase.js';
import type { Analyzer } from './Analyzer.js';
import { FRENCH_ARTICLES, ITALIAN_ARTICLES, withoutArticle } from './TokenFilter.js';
import { standardTokens } from './standardTokens.js';
import { normalizeGerman } from './stemmers/normalizeGerman.js';
import { stemmerOf, withoutPossessive, type Stemmer } from './stemmers/stemmerOf.js';
import { stopWordsOf, type StopWordLanguage } from './stopWords.js';
import type { TokenList } from './TokenList.js';
import { TOKENIZERS, type Tokenizer } from './tokenizers.js';

// Plain ASCII needs neither Unicode's classes nor its case rules.
const PLAIN_WORDS = /^[a-zA-Z0-9 ]*$/;

function standard(text: string, tokens: TokenList, from: number): number {
  if (text.length < 250 && PLAIN_WORDS.test(text)) return plainWords(text.toLowerCase(), tokens, from);
  let position = from;
  standardTokens(text, (start, end) => {
    tokens.add(lowerCase(text.slice(start, end)), position, start, end);
    position += 1;
  });
  return position;
}

/** For text of letters, digits and spaces: splits at spaces. */
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

/** The tokens of a tokenizer, each changed independently. */
function plain(name: string, tokenizer: string, change: (token: string) => string): Analyzer {
  const tokenize = TOKENIZERS.get(tokenizer) as Tokenizer;
  return {
    name,
    analyze: (text, tokens, from) => {
      let position = from;
      tokenize(text, (start, end) => {
        tokens.add(change(text.slice(start, end)), position, start, end);
        position += 1;
      });
      return position;
    },
    normalize: change,
    stacks: false,
    isOfWords: tokenizer !== 'keyword',
  };
}

interface WordRules {
  readonly tokenize: Tokenizer;
  /** Converts a word to the form that is compared with the stop words. */
  readonly prepare: (token: string) => string;
  readonly stopWords: ReadonlySet<string>;
  readonly stem: Stemmer;
}

/** Words in lower case, stemmed; removed stop words leave a gap. */
function analyzeWords({ tokenize, prepare, stopWords, stem }: WordRules): Analyzer['analyze'] {
  return (text, tokens, from) => {
    let position = from;
    tokenize(text, (start, end) => {
      const word = prepare(text.slice(start, end));
      if (!stopWords.has(word)) tokens.add(stem(word), position, start, end);
      position += 1;
    });
    return position;
  };
}

interface Language {
  readonly prepare?: (token: string) => string;
  /** For part of a word, if it differs from `prepare`. */
  readonly normalize?: (text: string) => string;
  readonly stem: Stemmer;
}

/** Words that Snowball's stemmer would confuse with others. */
const DUTCH_STEMS: ReadonlyMap<string, string> = new Map([
  ['fiets', 'fiets'],
  ['bromfiets', 'bromfiets'],
  ['ei', 'eier'],
  ['kind', 'kinder'],
]);

const stemGerman = stemmerOf('light_german');
const stemDutch = stemmerOf('dutch');

/** Per language, the parts that differ; words are split as in the standard analyzer. */
const LANGUAGES: Readonly<Record<StopWordLanguage, Language>> = {
  english: {
    prepare: (token) => lowerCase(withoutPossessive(token)),
    normalize: lowerCase,
    stem: stemmerOf('english'),
  },
  french: {
    prepare: (token) => lowerCase(withoutArticle(token, FRENCH_ARTICLES, true)),
    stem: stemmerOf('light_french'),
  },
  german: {
    normalize: (text) => normalizeGerman(lowerCase(text)),
    stem: (word) => stemGerman(normalizeGerman(word)),
  },
  spanish: { stem: stemmerOf('light_spanish') },
  italian: {
    prepare: (token) => lowerCase(withoutArticle(token, ITALIAN_ARTICLES, true)),
    stem: stemmerOf('light_italian'),
  },
  portuguese: { stem: stemmerOf('light_portuguese') },
  dutch: { stem: (word) => DUTCH_STEMS.get(word) ?? stemDutch(word) },
};

/** The analyzer of a language. @param stopWords in lower case; absent: the language's list */
export function languageAnalyzer(
  language: StopWordLanguage,
  name: string = language,
  stopWords = stopWordsOf(language),
): Analyzer {
  const { prepare = lowerCase, normalize = prepare, stem } = LANGUAGES[language];
  return {
    name,
    analyze: analyzeWords({ tokenize: standardTokens, prepare, stopWords, stem }),
    normalize,
    stacks: false,
    isOfWords: true,
  };
}

/** The standard analyzer or `stop` with a list of stop words. */
export function stoppingAnalyzer(
  tokenizer: 'standard' | 'lowercase',
  name: string,
  stopWords: ReadonlySet<string>,
): Analyzer {
  const tokenize = TOKENIZERS.get(tokenizer) as Tokenizer;
  return {
    name,
    analyze: analyzeWords({ tokenize, prepare: lowerCase, stopWords, stem: (word) => word }),
    normalize: lowerCase,
    stacks: false,
    isOfWords: true,
  };
}

const STANDARD: Analyzer = {
  name: 'standard',
  analyze: standard,
  normalize: lowerCase,
  stacks: false,
  isOfWords: true,
};

/** The analyzers available in every mapping, by name. `default` is `standard` for a field that names none. */
export const BUILT_IN_ANALYZERS: ReadonlyMap<string, Analyzer> = new Map(
  [
    STANDARD,
    { ...STANDARD, name: 'default' },
    plain('simple', 'lowercase', lowerCase),
    stoppingAnalyzer('lowercase', 'stop', stopWordsOf('english')),
    plain('whitespace', 'whitespace', (token) => token),
    plain('keyword', 'keyword', (token) => token),
    languageAnalyzer('english'),
    languageAnalyzer('french'),
    languageAnalyzer('german'),
    languageAnalyzer('spanish'),
    languageAnalyzer('italian'),
    languageAnalyzer('portuguese'),
    languageAnalyzer('dutch'),
  ].map((analyzer) => [analyzer.name, analyzer]),
);
