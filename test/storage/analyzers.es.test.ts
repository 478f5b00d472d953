/*
 * The analyzers of the embedded engine against those of a real server: the same terms at the same positions, and the same
 * hits. The words are made of roots and of every ending that a stemmer knows, so that each rule has an example; lists
 * of words in `MILLRACE_TEST_WORDS` (a folder with `french.txt` and so on) come on top.
 */
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { silentLogger, type JsonObject, type StorageEngine } from '@millrace/kernel';
import { wordsOf } from '@millrace/language';
import { analyzerOf, compileMapping, parseMapping, parseSearch, type CompiledField } from '@millrace/query';
import { createSqliteEngine } from '@millrace/storage-sqlite';
import { discard, hasElasticsearch, NODE, startEngine, testConfig } from './openElasticsearch.js';

const NAME = { index: 'analysis', collection: 'texts' };

const ROOTS: Readonly<Record<string, string>> = {
  english:
    'walk hop agree formal relat condit digit hope electr happ cat pon fall defin adjust commun ration oper sens triplic b sk',
  french:
    "chev caval publi modifi élev fin port nation travail progr maîtr act cré l'éduc édu jou fol mol bouv canon tro qu'int s' électr",
  german: 'haus häus straß kind schön geb lieb mäd wahr frau äpf quel treu über koeln buech gut alt größ klein feuer k',
  spanish:
    'niñ cancion luz vez árbol franc ingl habl com viv nacion rápid lápiz reloj mes pap ciudad trabaj jov algun f',
  italian:
    "gatt amic l'amic ragazz cas dell'acqu città perch felic grand lung spiagg sol fotograf bell part stazion nell'occ vecch t",
  portuguese:
    'menin coraç can fácil animal inglês rapid português flor luz hom bo campe leit nacion gost dent amig jard av p',
  dutch:
    'boek kind huis lop maan ei fiets bromfiets vrijheid gelijk man brief bel ton heer ijs koning mogelijk aap werk kat d',
};
const ENDINGS: Readonly<Record<string, string>> = {
  english:
    "s es ies sses ed eed ing y ational tional enci anci izer abli bli alli entli eli ousli ization ation ator alism iveness fulness ousness aliti iviti biliti icate ative alize iciti ical ful ness al ance ence er ic able ible ant ement ment ent ion ou ism ate iti ous ive ize ll e logi 's ly less",
  french:
    's x aux eaux eux al ale ales er ez é ée és ées ement ements ivement issement issements issant issante issantes ation ations ition itions ateur ateurs atrice atrices cateur catrice ficateur ficatrice icateur icatrice trice teur teuse euse euses ième ièmes ère ive if ifs olle nnelle nnel ète ique iques esse inage isation isateur ualisation ie ies i e ré rr lle ette âtre ûment ïque',
  german:
    'e en em er ern es s st est sten ster stern heit heiten keit ung ungen lich licher lichsten isch ischer ig igkeit bar chen lein nis nisse ä ö ü ß ae oe ue aue eue innen in bs ds fs gs hs ks ls ms ns ts et end endes',
  spanish:
    'o a e os as es eses ces iones ión ción ciones dad dades mente ista istas able ibles oso osa amos áis aron ería aba ía é ó ú ü ñ ñas ez eces izo ito itas illo illas azo ando iendo ado idas eza ezas',
  italian:
    'o a e i io ia ie ii he hi ho ha iamo ate ano ava avano ato ata ati azione azioni tà ità mente ista isti ezza evole ibile oso osa ò è ù ì é ino etto ella one accio uzzo ando endo ente enti ura iero',
  portuguese:
    'o a e os as es is eis éis ais óis ões ães ãos ns m mente inha inhas iaca eira eiras osa ica ida ada iva ama ona ora esa na res ses les zes l r ção ções dade ão ã ável íveis ista ismo ar er ir ando ou ava á ç ê',
  dutch:
    "e en s 's es je jes tje heid heden ig ige lijk lijke baar bare ing ingen end ende er ers st ste t d dt den de heidje igheid elijk erig isme ist eur euse iteit aan ee oo uu ieën ën ïe kk pp tt je's",
};
const ADDED = ['', '2', '-tje', "'s", ' ', 'THE ', 'Der ', 'les '];

/** Words of a language: more than 2,000, in lower case and in others, with stop words among them. */
function textsOf(language: string): readonly string[] {
  const roots = (ROOTS[language] ?? '').split(' ');
  const endings = ['', ...(ENDINGS[language] ?? '').split(' ')];
  const words = roots.flatMap((root, i) =>
    endings.flatMap((ending, j) => {
      const word = `${root}${ending}`;
      const changed = (i + j) % 5 === 0 ? word.toUpperCase() : `${ADDED[(i + j) % 8] ?? ''}${word}`;
      return [word, changed];
    }),
  );
  const texts: string[] = [];
  for (let i = 0; i < words.length; i += 500) texts.push(words.slice(i, i + 500).join(' '));
  const folder = process.env['MILLRACE_TEST_WORDS'] ?? '';
  if (folder !== '') {
    const lines = readFileSync(join(folder, `${language}.txt`), 'utf8').split('\n');
    for (let i = 0; i < lines.length; i += 4_000) texts.push(lines.slice(i, i + 4_000).join(' '));
  }
  return texts;
}

const ANALYSIS = {
  char_filter: { signs: { type: 'mapping', mappings: ['& => und', 'ph => f', 'C++ => cpp'] } },
  tokenizer: {
    commas: { type: 'pattern', pattern: '[,;]\\s*' },
    words: { type: 'pattern' },
    beginnings: { type: 'edge_ngram', min_gram: 2, max_gram: 6, token_chars: ['letter', 'digit'] },
    trigrams: { type: 'ngram', min_gram: 2, max_gram: 4, token_chars: ['letter'] },
  },
  filter: {
    french_elision: { type: 'elision', articles_case: true, articles: ['l', 'd', 'qu'] },
    french_stop: { type: 'stop', stopwords: '_french_' },
    own_stop: { type: 'stop', stopwords: ['Der', 'x'], ignore_case: true },
    snowball_french: { type: 'stemmer', language: 'french' },
    german_light: { type: 'stemmer', name: 'light_german' },
    possessive: { type: 'stemmer', language: 'possessive_english' },
    middle: { type: 'length', min: 2, max: 8 },
    edges: { type: 'edge_ngram', min_gram: 1, max_gram: 20 },
    grams: { type: 'ngram', min_gram: 2, max_gram: 9 },
  },
  analyzer: {
    fr: { tokenizer: 'standard', filter: ['french_elision', 'lowercase', 'french_stop', 'snowball_french'] },
    de: {
      type: 'custom',
      tokenizer: 'standard',
      filter: ['lowercase', 'own_stop', 'german_normalization', 'german_light'],
    },
    folded: { tokenizer: 'whitespace', filter: ['lowercase', 'asciifolding', 'possessive'] },
    typing: { tokenizer: 'standard', filter: ['lowercase', 'asciifolding', 'edges'] },
    parts: { tokenizer: 'letter', filter: ['lowercase', 'middle', 'grams'] },
    listed: { tokenizer: 'commas', filter: ['trim', 'unique', 'lowercase'] },
    whole: { tokenizer: 'keyword', filter: ['lowercase', 'trim'] },
    mapped: { char_filter: ['signs'], tokenizer: 'words', filter: ['lowercase', 'own_stop', 'unique'] },
    starts: { tokenizer: 'beginnings', filter: ['lowercase'] },
    thirds: { tokenizer: 'trigrams', filter: 'lowercase' },
    english_all: { type: 'english', stopwords: '_none_' },
    standard_de: { type: 'standard', stopwords: '_german_' },
    lower: { tokenizer: 'lowercase', filter: ['stop'] },
  },
};
const CUSTOM = Object.keys(ANALYSIS.analyzer);
const LANGUAGES = Object.keys(ROOTS);

const TEXTS = [
  "L'Été des élèves qu'ils aiment, d’Artagnan et l'ami",
  'Der Käufer; die Käufer, der Straße & der Häuser x X',
  "O'Neil's dogs' C++ phone, phone; philosophy & co",
  '  a ab abc abcd Ångström ﬁnal ½ ① 😀😀b \t naïve-café ',
  'Quick,brown; fox,  fox; Quick fox_bar 3.14 1,000',
  'x der der x the of and',
  '',
  ' … ',
];

const BODY = {
  settings: { analysis: ANALYSIS },
  properties: Object.fromEntries(
    [...LANGUAGES, 'simple', 'stop', ...CUSTOM].map((analyzer) => [analyzer, { type: 'text', analyzer }]),
  ),
};

describe.skipIf(!hasElasticsearch())('analyzers of both engines', () => {
  // A busy machine reopens an index slowly.
  const config = testConfig({ retryMs: 60_000 });
  const { fields } = compileMapping(parseMapping(BODY));
  // Without those of metadata, which no document has as content.
  const names = [...fields.keys()].filter((name) => !name.startsWith('_'));
  let server: StorageEngine;
  let embedded: StorageEngine;
  let dataDir: string;
  let physical: string;

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'millrace-analyzers-'));
    embedded = createSqliteEngine({ dataDir, logger: silentLogger });
    await embedded.start();
    server = await startEngine(config);
    for (const engine of [server, embedded]) await engine.createCollection(NAME, parseMapping(BODY));
    const answer = await fetch(`${NODE}/${config.prefix}*/_alias`);
    const indexes = (await answer.json()) as Record<string, { aliases: JsonObject }>;
    physical = Object.entries(indexes).find(([, { aliases }]) => Object.keys(aliases).length > 0)?.[0] ?? '';
  });

  afterAll(async () => {
    await discard(server, config);
    await embedded.stop();
    await rm(dataDir, { recursive: true, force: true });
  });

  const own = (analyzer: string, text: string): readonly string[] => {
    const words = wordsOf(analyzerOf(fields.get(analyzer) as CompiledField, analyzer), text);
    return words.terms.map((term, i) => `${term}@${words.positions[i] ?? ''}`);
  };

  const theirs = async (analyzer: string, text: string): Promise<readonly string[]> => {
    const answer = await fetch(`${NODE}/${physical}/_analyze`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ analyzer, text }),
    });
    const { tokens } = (await answer.json()) as { tokens: { token: string; position: number }[] };
    return tokens.map(({ token, position }) => `${token}@${position}`);
  };

  it.each(LANGUAGES)('make the same terms of thousands of words: %s', async (language) => {
    let count = 0;
    for (const text of textsOf(language)) {
      const terms = own(language, text);
      expect(terms).toEqual(await theirs(language, text));
      count += terms.length;
    }
    expect(count).toBeGreaterThan(2_000);
  });

  it.each(['simple', 'stop', ...CUSTOM])('make the same terms of strings: %s', async (analyzer) => {
    for (const text of [...TEXTS, (textsOf('french')[0] ?? '').slice(0, 2_000)])
      expect(own(analyzer, text)).toEqual(await theirs(analyzer, text));
  });

  it('can be added while others write and search', async () => {
    const name = { ...NAME, collection: 'busy' };
    await server.createCollection(name, parseMapping({ properties: { t: { type: 'text' } } }));
    let isOver = false;
    let count = 0;
    const write = async () => {
      for (; !isOver || count < 10; count += 1) {
        const [id, source] = [`d${count}`, { t: 'chevaux' }];
        const put = { ...name, kind: 'put', id, source, condition: 'absent' } as const;
        expect(await server.write([put], true)).toMatchObject([{ status: 'created' }]);
      }
    };
    const search = async () => {
      while (!isOver) await server.search(name, parseSearch({ query: { match: { t: 'chevaux' } } }));
    };
    const add = async () => {
      for (const number of [1, 2]) {
        const analysis = {
          filter: { [`f${number}`]: { type: 'ngram', min_gram: 2, max_gram: 9 } },
          analyzer: { [`a${number}`]: { tokenizer: 'standard', filter: [`f${number}`] } },
        };
        const properties = { [`t${number}`]: { type: 'text', analyzer: `a${number}` } };
        await server.updateMapping(name, parseMapping({ settings: { analysis }, properties }));
      }
      isOver = true;
    };
    await Promise.all([write(), search(), add()]);
    const found = await server.search(name, parseSearch({ query: { match: { t: 'chevaux' } } }));
    expect(found.total).toBe(count);
    const { analysis } = await server.getMapping(name);
    expect(Object.keys(analysis?.analyzer ?? {})).toEqual(['a1', 'a2']);
  });

  it('find the same', async () => {
    const texts = [...TEXTS, ...LANGUAGES.flatMap((language) => ROOTS[language] ?? '')];
    const documents = texts.map((text, i) => ({
      id: `d${i}`,
      source: Object.fromEntries(names.map((name) => [name, text])),
    }));
    for (const engine of [server, embedded]) {
      await engine.write(
        documents.map(({ id, source }) => {
          return { ...NAME, kind: 'put', id, source, condition: 'any' } as const;
        }),
        true,
      );
    }
    const asked = [
      "l'été",
      'eleves',
      'Kaeufer Straßen',
      'dogs phone',
      'Quick fox',
      'abc',
      'naïve-café',
      'the x',
      'boeken fietsen',
      'amici gatto',
      'fox, Quick',
    ];
    let foundCount = 0;
    for (const field of names) {
      for (const text of asked) {
        const queries: JsonObject[] = [
          { match: { [field]: text } },
          { match: { [field]: { query: text, operator: 'and' } } },
          { match: { [field]: { query: text, minimum_should_match: '60%' } } },
          { match_phrase: { [field]: text } },
          { match_phrase_prefix: { [field]: text } },
          { match_bool_prefix: { [field]: text } },
          { multi_match: { query: text, fields: [field, 'simple'], type: 'cross_fields', operator: 'and' } },
          { match: { [field]: { query: text, analyzer: 'folded' } } },
          { query_string: { query: `${text.replace(/[^\p{L}' ]/gu, ' ')}*`, fields: [field] } },
          { query_string: { query: "L'Él* OR KÄU* OR Straß*", fields: [field] } },
          { simple_query_string: { query: `"${text}" fo*`, fields: [field] } },
        ];
        for (const query of queries) {
          const body = { query, sort: ['_id'], size: 50, highlight: { fields: { [field]: {} } } };
          const [ours, its] = await Promise.all(
            [embedded, server].map((engine) => engine.search(NAME, parseSearch(body))),
          );
          const shown = (outcome: typeof ours) =>
            outcome?.hits.map(({ id, highlight }) => ({ id, isMarked: highlight !== undefined }));
          expect({ query, hits: shown(ours) }).toEqual({ query, hits: shown(its) });
          if (ours !== undefined && ours.total > 0) foundCount += 1;
        }
      }
    }
    expect(foundCount).toBeGreaterThan(1_000);
  });
});
