import {
  BUILT_IN_ANALYZERS,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  TOKEN_FILTERS,
  TOKENIZERS,
} from '@millrace/language';
import { MappingError } from '../errors.js';
import { quote, show } from '../show.js';

/** The sections of `settings.analysis`. */
export const ANALYSIS_SECTIONS = ['analyzer', 'tokenizer', 'filter', 'char_filter'] as const;

export type AnalysisSection = (typeof ANALYSIS_SECTIONS)[number];

/** `settings.analysis` of a mapping as given: definitions by section and name. `compileAnalysis` interprets them. */
export type AnalysisSettings = Readonly<Partial<Record<AnalysisSection, JsonObject>>>;

const MAX_BYTES = 65_536;
const MAX_DEFINITIONS = 100;
const NAME = /^[A-Za-z][\w-]{0,63}$/;

/** Names that have a meaning without a definition, here or in Elasticsearch. */
const RESERVED: Readonly<Record<AnalysisSection, ReadonlySet<string>>> = {
  analyzer: new Set([...BUILT_IN_ANALYZERS.keys(), 'default_search', 'default_search_quoted']),
  tokenizer: new Set([...TOKENIZERS.keys(), 'pattern', 'ngram', 'edge_ngram']),
  filter: new Set([...TOKEN_FILTERS.keys(), 'stop', 'stemmer', 'elision', 'length', 'ngram', 'edge_ngram']),
  char_filter: new Set(['html_strip', 'mapping']),
};

/** Parses the `settings` of a mapping body. @throws MappingError */
export function parseSettings(value: JsonValue): AnalysisSettings {
  if (!isJsonObject(value)) throw new MappingError('settings', `settings must be an object, not ${show(value)}`);
  const unknown = Object.keys(value).find((key) => key !== 'analysis');
  if (unknown !== undefined)
    throw new MappingError(`settings.${unknown}`, `Unknown key ${quote(unknown)} in settings: expected analysis`);
  const { analysis } = value;
  return analysis === undefined || analysis === null ? {} : parseAnalysis(analysis);
}

function parseAnalysis(value: JsonValue): AnalysisSettings {
  const path = 'settings.analysis';
  if (!isJsonObject(value)) throw new MappingError(path, `${path} must be an object, not ${show(value)}`);
  for (const [section, definitions] of Object.entries(value)) {
    const place = `${path}.${section}`;
    if (!isSection(section))
      throw new MappingError(
        place,
        `Unknown key ${quote(section)} in ${path}: expected ${ANALYSIS_SECTIONS.join(', ')}`,
      );
    if (!isJsonObject(definitions))
      throw new MappingError(place, `${place} must be an object of definitions by name, not ${show(definitions)}`);
    for (const [name, definition] of Object.entries(definitions)) {
      checkName(section, name, place);
      if (!isJsonObject(definition))
        throw new MappingError(
          `${place}.${name}`,
          `${place}.${name} must be an object with "type", not ${show(definition)}`,
        );
    }
  }
  checkAnalysisLimits(value);
  return value;
}

function checkName(section: AnalysisSection, name: string, place: string): void {
  if (!NAME.test(name))
    throw new MappingError(
      place,
      `Name ${quote(name)} at ${place} must be of 1 to 64 letters, digits, "_" and "-", a letter first`,
    );
  if (RESERVED[section].has(name))
    throw new MappingError(
      `${place}.${name}`,
      `${quote(name)} at ${place} is the name of a built-in ${section}: choose another one`,
    );
}

function isSection(name: string): name is AnalysisSection {
  return (ANALYSIS_SECTIONS as readonly string[]).includes(name);
}

/** @throws MappingError if there are too many definitions, or they are too large */
function checkAnalysisLimits(settings: AnalysisSettings): void {
  const path = 'settings.analysis';
  const count = ANALYSIS_SECTIONS.reduce((sum, section) => sum + Object.keys(settings[section] ?? {}).length, 0);
  if (count > MAX_DEFINITIONS)
    throw new MappingError(path, `${path} has ${count} definitions, at most ${MAX_DEFINITIONS}`);
  const bytes = new TextEncoder().encode(JSON.stringify(settings)).length;
  if (bytes > MAX_BYTES) throw new MappingError(path, `${path} has ${bytes} bytes, at most ${MAX_BYTES}`);
}

/**
 * Merges two sets of definitions. Existing definitions can't change, as the terms of indexed documents depend on them.
 * @throws MappingError
 */
export function mergeAnalysis(
  base: AnalysisSettings | undefined,
  update: AnalysisSettings | undefined,
): AnalysisSettings | undefined {
  if (update === undefined || base === update) return base;
  if (base === undefined) return update;
  const merged: Partial<Record<AnalysisSection, JsonObject>> = { ...base };
  let isChanged = false;
  for (const section of ANALYSIS_SECTIONS) {
    for (const [name, definition] of Object.entries(update[section] ?? {})) {
      const known = merged[section] ?? {};
      if (!Object.hasOwn(known, name)) {
        merged[section] = { ...known, [name]: definition };
        isChanged = true;
      } else if (canonical(known[name]) !== canonical(definition)) {
        const path = `settings.analysis.${section}.${name}`;
        throw new MappingError(
          path,
          `${path} cannot change: add a ${section} with another name, and fields that use it`,
        );
      }
    }
  }
  if (!isChanged) return base;
  checkAnalysisLimits(merged);
  return merged;
}

/** JSON with sorted keys. */
function canonical(value: JsonValue | undefined): string {
  return JSON.stringify(value, (_, inner: JsonValue) =>
    isJsonObject(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
  );
}
