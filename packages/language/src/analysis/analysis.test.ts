import { describe, expect, it } from 'vitest';
import { BUILT_IN_ANALYZERS } from './BUILT_IN_ANALYZERS.js';
import { porterStem } from './stemmers/porterStem.js';
import { TokenList } from './TokenList.js';

function terms(analyzer: string, text: string): readonly string[] {
  const tokens = new TokenList();
  BUILT_IN_ANALYZERS.get(analyzer)?.analyze(text, tokens, 0);
  return tokens.terms;
}

describe('the standard analyzer', () => {
  it.each([
    ['The 2 QUICK Brown-Foxes', ['the', '2', 'quick', 'brown', 'foxes']],
    ["dog's bone, O'Neil's", ["dog's", 'bone', "o'neil's"]],
    ["'quoted' end'", ['quoted', 'end']],
    ['3.14 1,000 3. ,5 a.b. c', ['3.14', '1,000', '3', '5', 'a.b', 'c']],
    ['foo_bar __x__ ___ _', ['foo_bar', '__x__']],
    ['foo:bar foo: a;b 1;2', ['foo:bar', 'foo', 'a', 'b', '1;2']],
    ['john@example.com www.example.com', ['john', 'example.com', 'www.example.com']],
    ['état naïve cafe\u0301 ÜBER', ['état', 'naïve', 'cafe\u0301', 'über']],
    ['漢字かなカタカナ', ['漢', '字', 'か', 'な', 'カタカナ']],
    ['한국어 말', ['한국어', '말']],
    ['ราคา 5', ['ราคา', '5']],
    ["צה''ל צה\"ל ג'", ["צה'", 'ל', 'צה"ל', "ג'"]],
    ['I 😀 you 🇫🇷!', ['i', '😀', 'you', '🇫🇷']],
    ['ΣΑΣ İstanbul', ['σασ', 'istanbul']],
    ['абв1г e9', ['абв1г', 'e9']],
    ['', []],
    [' … !!! ', []],
  ])('splits %j', (text, expected) => {
    expect(terms('standard', text)).toEqual(expected);
  });

  it('cuts tokens into pieces of 255', () => {
    expect(terms('standard', 'x'.repeat(600)).map((term) => term.length)).toEqual([255, 255, 90]);
  });

  it('takes time in proportion to the length of a hostile text', () => {
    const text = "a'".repeat(200_000) + '\u0301'.repeat(200_000);
    terms('standard', text);
  });
});

describe('the other analyzers (SEARCH-47)', () => {
  it('english removes possessives and stop words, and stems', () => {
    expect(terms('english', "The dog's shining apples were running to me")).toEqual([
      'dog',
      'shine',
      'appl',
      'were',
      'run',
      'me',
    ]);
  });
  it('keeps the gap of a stop word', () => {
    const tokens = new TokenList();
    expect(BUILT_IN_ANALYZERS.get('english')?.analyze('cats and dogs', tokens, 0)).toBe(3);
    expect(tokens.positions).toEqual([0, 2]);
  });
  it('simple takes letters, whitespace everything between spaces, keyword everything', () => {
    expect(terms('simple', 'Wi-Fi 5G')).toEqual(['wi', 'fi', 'g']);
    expect(terms('whitespace', ' Wi-Fi\t5G ')).toEqual(['Wi-Fi', '5G']);
    expect(terms('keyword', 'Wi-Fi 5G')).toEqual(['Wi-Fi 5G']);
  });
});

describe('porterStem', () => {
  // Examples from Porter's paper.
  it.each(
    Object.entries({
      caresses: 'caress',
      ponies: 'poni',
      ties: 'ti',
      caress: 'caress',
      cats: 'cat',
      feed: 'feed',
      agreed: 'agre',
      plastered: 'plaster',
      bled: 'bled',
      motoring: 'motor',
      sing: 'sing',
      conflated: 'conflat',
      troubled: 'troubl',
      sized: 'size',
      hopping: 'hop',
      tanned: 'tan',
      falling: 'fall',
      hissing: 'hiss',
      fizzed: 'fizz',
      failing: 'fail',
      filing: 'file',
      happy: 'happi',
      sky: 'sky',
      relational: 'relat',
      conditional: 'condit',
      rational: 'ration',
      valenci: 'valenc',
      digitizer: 'digit',
      radicalli: 'radic',
      differentli: 'differ',
      vileli: 'vile',
      analogousli: 'analog',
      vietnamization: 'vietnam',
      predication: 'predic',
      operator: 'oper',
      feudalism: 'feudal',
      decisiveness: 'decis',
      hopefulness: 'hope',
      callousness: 'callous',
      formaliti: 'formal',
      sensitiviti: 'sensit',
      sensibiliti: 'sensibl',
      triplicate: 'triplic',
      formative: 'form',
      formalize: 'formal',
      electriciti: 'electr',
      electrical: 'electr',
      hopeful: 'hope',
      goodness: 'good',
      revival: 'reviv',
      allowance: 'allow',
      inference: 'infer',
      airliner: 'airlin',
      gyroscopic: 'gyroscop',
      adjustable: 'adjust',
      defensible: 'defens',
      irritant: 'irrit',
      replacement: 'replac',
      adjustment: 'adjust',
      dependent: 'depend',
      adoption: 'adopt',
      homologou: 'homolog',
      communism: 'commun',
      activate: 'activ',
      angulariti: 'angular',
      homologous: 'homolog',
      effective: 'effect',
      bowdlerize: 'bowdler',
      probate: 'probat',
      rate: 'rate',
      cease: 'ceas',
      controll: 'control',
      roll: 'roll',
      is: 'is',
    }),
  )('%s → %s', (word, stem) => {
    expect(porterStem(word)).toBe(stem);
  });
});
