import { describe, expect, it } from 'vitest';
import { type JsonObject, type JsonValue, TokenList } from '@millrace/language';
import { MappingError } from '../errors.js';
import { compileMapping } from '../mapping/compileMapping.js';
import { mergeMapping } from '../mapping/mergeMapping.js';
import { parseMapping } from '../mapping/parseMapping.js';
import { toMappingBody } from '../mapping/toMappingBody.js';

const NOTHING = { properties: new Map() };
const withAnalysis = (analysis: JsonValue, properties: JsonObject = {}) =>
  mergeMapping(parseMapping({ settings: { analysis }, properties }), NOTHING);

/** Terms, positions and offsets that the analyzer `a` produces. */
function tokens(parts: JsonObject, text: string): readonly string[] {
  const { a, ...sections } = parts;
  const mapping = compileMapping(withAnalysis({ ...sections, analyzer: { a: a ?? null } }));
  const found: string[] = [];
  class Shown extends TokenList {
    override add(term: string, position: number, start: number, end: number): void {
      found.push(`${term}@${position}[${start},${end}]`);
    }
  }
  mapping.analyzers.get('a')?.analyze(text, new Shown(), 0);
  return found;
}
const own = (filter: JsonObject, text: string) =>
  tokens({ a: { tokenizer: 'whitespace', filter: ['own'] }, filter: { own: filter } }, text);
const split = (tokenizer: JsonObject, text: string) =>
  tokens({ a: { tokenizer: 'own' }, tokenizer: { own: tokenizer } }, text);

describe('filters', () => {
  it('leave gaps for what they leave out, but for duplicates', () => {
    expect(own({ type: 'stop', stopwords: ['B'], ignore_case: true }, 'a b c')).toEqual(['a@0[0,1]', 'c@2[4,5]']);
    expect(own({ type: 'length', min: 2 }, 'a bc')).toEqual(['bc@1[2,4]']);
    expect(own({ type: 'unique' }, 'a b a c')).toEqual(['a@0[0,1]', 'b@1[2,3]', 'c@2[6,7]']);
  });

  it('make n-grams at the position of their word', () => {
    expect(own({ type: 'edge_ngram', min_gram: 2, max_gram: 3 }, 'a 😀bc')).toEqual(['😀b@1[2,6]', '😀bc@1[2,6]']);
    expect(own({ type: 'ngram', min_gram: 2, max_gram: 3 }, 'abc')).toEqual(['ab@0[0,3]', 'abc@0[0,3]', 'bc@0[0,3]']);
  });

  it('fold, trim, elide and stem', () => {
    expect(own({ type: 'asciifolding' }, 'Ångström ßæ')).toEqual(['Angstrom@0[0,8]', 'ssae@1[9,11]']);
    expect(own({ type: 'elision', articles: ['l'] }, "l'avion L'avion")).toEqual(['avion@0[0,7]', "L'avion@1[8,15]"]);
    expect(own({ type: 'stemmer', language: 'light_french' }, 'chevaux')).toEqual(['cheval@0[0,7]']);
    expect(tokens({ a: { tokenizer: 'keyword', filter: ['trim'] } }, ' a b ')).toEqual(['a b@0[0,5]']);
  });
});

describe('tokenizers', () => {
  it.each([
    [',', 'a,,b c', ['a', 'b c']],
    ['[,;]\\s*', 'a; b,c', ['a', 'b', 'c']],
    ['\\W+', 'a-b_c é', ['a', 'b_c']],
    ['\\|', 'a|b', ['a', 'b']],
    ['--', 'a--b-c', ['a', 'b-c']],
    ['[^0-9]+', '10 to 20', ['10', '20']],
  ])('split by %s', (pattern, text, terms) => {
    const found = split({ type: 'pattern', pattern }, text);
    expect(found.map((token) => token.replace(/@.*$/, ''))).toEqual(terms);
  });

  it.each(['(a|b)', 'a*', '.*', '(a+)+$', 'a+b', '[a', '[a&&b]', '\\p{L}', '\\bx', ''])(
    'refuse the pattern %s',
    (pattern) => {
      expect(() => split({ type: 'pattern', pattern }, 'x')).toThrow(MappingError);
    },
  );

  it('make n-grams one after another', () => {
    const sizes = { min_gram: 2, max_gram: 3, token_chars: ['letter'] };
    expect(split({ type: 'edge_ngram', ...sizes }, 'abc 1de')).toEqual(['ab@0[0,2]', 'abc@1[0,3]', 'de@2[5,7]']);
  });
});

it('character filters change what a tokenizer reads, and marks stay in the text', () => {
  const mapped = { type: 'mapping', mappings: ['ph => f', '& => and'] };
  expect(
    tokens({ a: { tokenizer: 'whitespace', char_filter: 'own' }, char_filter: { own: mapped } }, 'phone & x'),
  ).toEqual(['fone@0[0,5]', 'and@1[6,7]', 'x@2[8,9]']);
});

it('analysis takes time in proportion to the text', () => {
  const text = `a${' '.repeat(500_000)}b`;
  expect(tokens({ a: { tokenizer: 'keyword', filter: ['trim'] } }, text)).toHaveLength(1);
  expect(split({ type: 'pattern', pattern: ',\\s*' }, text)).toHaveLength(1);
});

describe('settings', () => {
  const analyzer = (definition: JsonValue) => ({ analyzer: { a: definition } });
  const filter = (definition: JsonObject) => ({ filter: { f: definition } });
  it.each<[string, JsonValue, string]>([
    ['another section', { normalizer: {} }, 'settings.analysis.normalizer'],
    ['a list of analyzers', { analyzer: [] }, 'settings.analysis.analyzer'],
    ['the name of a built-in one', { analyzer: { french: {} } }, 'settings.analysis.analyzer.french'],
    ['a name with spaces', { analyzer: { 'a b': {} } }, 'settings.analysis.analyzer'],
    ['an unknown type', analyzer({ type: 'icu' }), 'settings.analysis.analyzer.a.type'],
    ['no tokenizer', analyzer({ filter: ['trim'] }), 'settings.analysis.analyzer.a.tokenizer'],
    ['an unknown tokenizer', analyzer({ tokenizer: 'x' }), 'settings.analysis.analyzer.a.tokenizer'],
    [
      'an unknown filter',
      analyzer({ tokenizer: 'letter', filter: ['synonym'] }),
      'settings.analysis.analyzer.a.filter',
    ],
    ['an unknown option', analyzer({ tokenizer: 'letter', boost: 1 }), 'settings.analysis.analyzer.a.boost'],
    ['a filter of another kind', filter({ type: 'synonym' }), 'settings.analysis.filter.f.type'],
    [
      'a stemmer that there is not',
      filter({ type: 'stemmer', language: 'klingon' }),
      'settings.analysis.filter.f.language',
    ],
    [
      'a list of stop words that there is not',
      filter({ type: 'stop', stopwords: '_klingon_' }),
      'settings.analysis.filter.f.stopwords',
    ],
    ['long n-grams', filter({ type: 'ngram', min_gram: 2, max_gram: 20 }), 'settings.analysis.filter.f.max_gram'],
    [
      'character filters of another kind',
      { char_filter: { c: { type: 'html_strip' } } },
      'settings.analysis.char_filter.c.type',
    ],
    [
      'too many definitions',
      {
        filter: Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`f${i}`, { type: 'trim' }])),
      },
      'settings.analysis',
    ],
    [
      'definitions that are too large',
      filter({ type: 'stop', stopwords: Array.from({ length: 10_000 }, (_, i) => `word${i}`) }),
      'settings.analysis',
    ],
  ])('refuse %s, naming the place', (_, analysis, path) => {
    try {
      withAnalysis(analysis);
    } catch (error) {
      expect(error).toBeInstanceOf(MappingError);
      expect((error as MappingError).path).toBe(path);
      return;
    }
    throw new Error('nothing was refused');
  });

  it('refuse other settings, and fields of analyzers that there are not', () => {
    expect(() => parseMapping({ settings: { number_of_shards: 1 } })).toThrow(MappingError);
    expect(() => withAnalysis({}, { z: { type: 'text', analyzer: 'klingon' } })).toThrow(
      '"analyzer" at properties.z must be one of standard, simple, stop,',
    );
  });

  it('are shown as they were given, and can be added to', () => {
    const given = { analyzer: { b: { tokenizer: 'letter', filter: ['own'] } }, filter: { own: { type: 'trim' } } };
    const base = withAnalysis(given, { t: { type: 'text', analyzer: 'b' } });
    expect(toMappingBody(base)['settings']).toEqual({ analysis: given });
    const update = { analyzer: { c: { tokenizer: 'keyword', filter: ['own'] } } };
    const merged = mergeMapping(base, parseMapping({ settings: { analysis: update } }));
    expect(toMappingBody(merged)['settings']).toEqual({
      analysis: { ...given, analyzer: { ...given.analyzer, ...update.analyzer } },
    });
    const changed = { analyzer: { b: { tokenizer: 'keyword' } } };
    expect(() => mergeMapping(base, parseMapping({ settings: { analysis: changed } }))).toThrow(
      'settings.analysis.analyzer.b cannot change',
    );
  });
});
