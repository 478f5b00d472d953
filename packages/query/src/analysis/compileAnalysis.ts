/*
 * Compiles the analyzers that a mapping's `settings.analysis` defines. Only features that behave the same on both
 * engines are supported: the settings are sent to Elasticsearch unchanged, and everything beyond these features is
 * refused by name.
 */
import {
  type Analyzer,
  BUILT_IN_ANALYZERS,
  changing,
  type CharacterFilter,
  compileSeparator,
  createAnalyzer,
  eliding,
  grams,
  type GramSizes,
  gramTokenizer,
  type JsonObject,
  type JsonValue,
  keeping,
  languageAnalyzer,
  lowerCase,
  mapCharacters,
  SEPARATOR_FORM,
  splitBy,
  stemmerOf,
  STEMMERS,
  STOP_WORD_LANGUAGES,
  stoppingAnalyzer,
  type StopWordLanguage,
  stopWordsOf,
  TOKEN_CHARACTERS,
  TOKEN_FILTERS,
  type TokenFilter,
  type Tokenizer,
  TOKENIZERS,
} from '@millrace/language';
import { MappingError } from '../errors.js';
import { quote } from '../show.js';
import { Definition } from './Definition.js';
import type { AnalysisSection, AnalysisSettings } from './parseAnalysis.js';

/** The analyzers of a mapping, by name. */
export type Analyzers = ReadonlyMap<string, Analyzer>;

const MAX_FILTERS = 20;
const MAX_GRAM = 32;
/** Limited because the number of n-grams per character equals the number of lengths. */
export const MAX_GRAM_DIFFERENCE = 7;
const MAX_MAPPINGS = 1_000;
const MAX_LENGTH = 2 ** 31 - 1;

const compiled = new WeakMap<AnalysisSettings, Analyzers>();

/** The built-in analyzers and those of the settings. @throws MappingError if a definition is refused */
export function compileAnalysis(settings: AnalysisSettings | undefined): Analyzers {
  if (settings === undefined) return BUILT_IN_ANALYZERS;
  let analyzers = compiled.get(settings);
  if (analyzers === undefined) {
    analyzers = new AnalysisCompiler(settings).compile();
    compiled.set(settings, analyzers);
  }
  return analyzers;
}

interface NamedTokenizer {
  readonly tokenize: Tokenizer;
  readonly isOfWords: boolean;
  readonly filters: readonly TokenFilter[];
}

class AnalysisCompiler {
  private readonly tokenizers: ReadonlyMap<string, NamedTokenizer>;
  private readonly filters: ReadonlyMap<string, TokenFilter>;
  private readonly characterFilters: ReadonlyMap<string, CharacterFilter>;

  constructor(private readonly settings: AnalysisSettings) {
    this.tokenizers = new Map([
      ...Array.from(TOKENIZERS.keys(), (name) => [name, plainTokenizer(name)] as const),
      ...this.definitions('tokenizer', readTokenizer),
    ]);
    this.filters = new Map([
      ...TOKEN_FILTERS,
      ['stop', stopping(stopWordsOf('english'), false)],
      ...this.definitions('filter', readFilter),
    ]);
    this.characterFilters = new Map(this.definitions('char_filter', readCharacterFilter));
  }

  compile(): Analyzers {
    const own = this.definitions('analyzer', (definition, name) => this.readAnalyzer(definition, name));
    return new Map([...BUILT_IN_ANALYZERS, ...own]);
  }

  private definitions<Part>(
    section: AnalysisSection,
    read: (definition: Definition, name: string) => Part,
  ): (readonly [string, Part])[] {
    const entries = Object.entries(this.settings[section] ?? {});
    return entries.map(([name, options]) => {
      const definition = new Definition(`settings.analysis.${section}.${name}`, options as JsonObject);
      const part = read(definition, name);
      definition.end();
      return [name, part] as const;
    });
  }

  private readAnalyzer(definition: Definition, name: string): Analyzer {
    const types = ['custom', 'standard', 'stop', ...STOP_WORD_LANGUAGES];
    const type = definition.oneOf('type', types, 'custom');
    if (type === 'custom') return this.readCustom(definition, name);
    if (type === 'standard') return stoppingAnalyzer('standard', name, readStopWords(definition, '_none_'));
    if (type === 'stop') return stoppingAnalyzer('lowercase', name, readStopWords(definition, '_english_'));
    const language = type as StopWordLanguage;
    return languageAnalyzer(language, name, readStopWords(definition, `_${language}_`));
  }

  private readCustom(definition: Definition, name: string): Analyzer {
    const { tokenize, isOfWords, filters } = named(definition, 'tokenizer', this.tokenizers, [
      definition.string('tokenizer'),
    ])[0] as NamedTokenizer;
    const characterFilters = named(
      definition,
      'char_filter',
      this.characterFilters,
      definition.strings('char_filter') ?? [],
    );
    const others = named(definition, 'filter', this.filters, definition.strings('filter') ?? []);
    if (others.filter((filter) => filter.stacks === true).length > 1)
      definition.fail('filter', 'a list with at most one filter of n-grams');
    return createAnalyzer(name, {
      characterFilters,
      tokenize,
      isOfWords,
      filters: [...filters, ...others],
    });
  }
}

/** The parts with the given names. */
function named<Part>(
  definition: Definition,
  key: string,
  parts: ReadonlyMap<string, Part>,
  names: readonly string[],
): readonly Part[] {
  if (names.length > MAX_FILTERS) definition.fail(key, `a list of at most ${MAX_FILTERS} names`);
  return names.map((name) => {
    const part = parts.get(name);
    if (part !== undefined) return part;
    const known = parts.size === 0 ? 'none' : [...parts.keys()].slice(0, 20).join(', ');
    throw new MappingError(
      `${definition.path}.${key}`,
      `No ${key} ${quote(name)} for ${definition.path}: there are ${known}`,
    );
  });
}

function plainTokenizer(name: string): NamedTokenizer {
  return {
    tokenize: TOKENIZERS.get(name) as Tokenizer,
    isOfWords: name !== 'keyword',
    filters: name === 'lowercase' ? [{ open: changing(lowerCase, false).open }] : [],
  };
}

function readTokenizer(definition: Definition): NamedTokenizer {
  const type = definition.oneOf('type', [...TOKENIZERS.keys(), 'pattern', 'ngram', 'edge_ngram']);
  switch (type) {
    case 'pattern': {
      const separator = compileSeparator(definition.string('pattern', '\\W+'));
      if (separator === undefined) return definition.fail('pattern', SEPARATOR_FORM);
      return { tokenize: splitBy(separator), isOfWords: false, filters: [] };
    }
    case 'ngram':
    case 'edge_ngram': {
      const sizes = readSizes(definition, type === 'ngram');
      const classes = definition.strings('token_chars') ?? [];
      if (!classes.every((name) => TOKEN_CHARACTERS.has(name)))
        definition.fail('token_chars', `a list of ${[...TOKEN_CHARACTERS.keys()].join(', ')}`);
      const tokenize = gramTokenizer(sizes, type === 'edge_ngram', classes);
      return { tokenize, isOfWords: false, filters: [] };
    }
    default:
      return plainTokenizer(type);
  }
}

const FILTER_TYPES = [...TOKEN_FILTERS.keys(), 'stop', 'stemmer', 'elision', 'length', 'ngram', 'edge_ngram'];

function readFilter(definition: Definition): TokenFilter {
  const type = definition.oneOf('type', FILTER_TYPES);
  switch (type) {
    case 'stop': {
      const ignoresCase = definition.boolean('ignore_case');
      return stopping(readStopWords(definition, '_english_', ignoresCase), ignoresCase);
    }
    case 'stemmer': {
      const key = definition.raw('name') === undefined ? 'language' : 'name';
      return changing(stemmerOf(definition.oneOf(key, STEMMERS.keys(), 'english')), false);
    }
    case 'elision': {
      const ignoresCase = definition.boolean('articles_case');
      const articles = definition.strings('articles');
      if (articles === undefined) return definition.fail('articles', 'a list of strings');
      const form = ignoresCase ? lowerCase : (word: string) => word;
      return eliding(new Set(articles.map(form)), ignoresCase);
    }
    case 'length': {
      const min = definition.integer('min', { min: 0, max: MAX_LENGTH, byDefault: 0 });
      const max = definition.integer('max', { min, max: MAX_LENGTH, byDefault: MAX_LENGTH });
      return keeping(({ length }) => length >= min && length <= max);
    }
    case 'ngram':
    case 'edge_ngram':
      return grams(readSizes(definition, type === 'ngram'), type === 'edge_ngram');
    default:
      return TOKEN_FILTERS.get(type) as TokenFilter;
  }
}

function readSizes(definition: Definition, isFromEach: boolean): GramSizes {
  const min = definition.integer('min_gram', { min: 1, max: MAX_GRAM, byDefault: 1 });
  const longest = isFromEach ? Math.min(MAX_GRAM, min + MAX_GRAM_DIFFERENCE) : MAX_GRAM;
  const max = definition.integer('max_gram', { min, max: longest, byDefault: Math.max(min, 2) });
  return { min, max };
}

function stopping(words: ReadonlySet<string>, ignoresCase: boolean): TokenFilter {
  return keeping((term) => !words.has(ignoresCase ? lowerCase(term) : term));
}

/** A list, or the name of a predefined one such as `_french_`. */
function readStopWords(definition: Definition, byDefault: string, ignoresCase = false): ReadonlySet<string> {
  const words = definition.strings('stopwords') ?? [byDefault];
  const all = words.flatMap((word): readonly string[] => {
    if (!/^_.*_$/.test(word)) return [ignoresCase ? lowerCase(word) : word];
    if (word === '_none_') return [];
    const language = STOP_WORD_LANGUAGES.find((name) => word === `_${name}_`);
    const known = STOP_WORD_LANGUAGES.map((name) => `_${name}_`).join(', ');
    return language === undefined
      ? definition.fail('stopwords', `a list of words, or one of ${known}, _none_`)
      : [...stopWordsOf(language)];
  });
  return new Set(all);
}

function readCharacterFilter(definition: Definition): CharacterFilter {
  definition.oneOf('type', ['mapping']);
  const form = `a list of at most ${MAX_MAPPINGS} strings such as "ph => f"`;
  const mappings = definition.strings('mappings') ?? definition.fail('mappings', form);
  const pairs = mappings.map((mapping): readonly [string, string] => {
    const [from = '', to, more] = mapping.split('=>').map((side) => side.trim());
    // To Elasticsearch an escape means another character.
    const isFit = from !== '' && to !== undefined && more === undefined && !mapping.includes('\\');
    return isFit ? [from, to] : definition.fail('mappings', form);
  });
  if (pairs.length === 0 || pairs.length > MAX_MAPPINGS) definition.fail('mappings', form);
  return mapCharacters(new Map(pairs));
}

/** Whether the settings have n-grams from each character, for which Elasticsearch allows few lengths by default. */
export function hasGrams(settings: AnalysisSettings): boolean {
  return [settings.filter, settings.tokenizer].some((definitions) =>
    Object.values(definitions ?? {}).some((definition: JsonValue) => (definition as JsonObject)['type'] === 'ngram'),
  );
}
