/*
 * Reads the options of one construct against an allow-list: every option is taken by name and type, and `end` refuses
 * options that weren't taken. An option that is `null` counts as absent. Numbers and booleans may be given as strings,
 * as in Elasticsearch.
 */
import { isJsonObject, isJsonScalar, type JsonObject, type JsonScalar, type JsonValue, own } from '@millrace/language';
import { forbidden, invalid } from '../errors.js';
import { show, quote } from '../show.js';

export interface NumberLimits {
  readonly min?: number;
  /** Exclusive lower limit. */
  readonly above?: number;
  readonly max?: number;
  readonly isInteger?: boolean;
}

/** Legacy options of queries and filters without effect (SEARCH-30). */
const DROPPED_ON_QUERIES: ReadonlySet<string> = new Set([
  '_cache',
  '_cache_key',
  'execution',
  'optimize_bbox',
  'coerce',
  'ignore_malformed',
  'normalize',
]);

const SCRIPT_OPTION = /(^|_)(script|scripts)(_|$)|^runtime_mappings$/;

export class Options {
  /** A list, since few options are taken and fewer given. */
  private readonly taken: string[] = [];
  private takesLegacy = false;

  constructor(
    readonly source: JsonObject,
    readonly path: string,
    /** For messages: `match`, `Aggregation terms`. */
    readonly construct: string,
  ) {}

  static from(value: JsonValue | undefined, path: string, construct: string): Options {
    if (!isJsonObject(value)) {
      throw invalid(path, `${construct} at ${path} must be an object, not ${show(value)}`);
    }
    return new Options(value, path, construct);
  }

  /** The raw value; undefined if absent or null. */
  raw(key: string): JsonValue | undefined {
    this.taken.push(key);
    return own(this.source, key) ?? undefined;
  }

  /** The options taken so far, given or not. */
  names(): Iterable<string> {
    return new Set(this.taken);
  }

  has(key: string): boolean {
    return (own(this.source, key) ?? undefined) !== undefined;
  }

  fail(key: string, expected: string): never {
    const value = own(this.source, key);
    throw invalid(
      `${this.path}.${key}`,
      value === undefined || value === null
        ? `${this.construct} at ${this.path} needs ${quote(key)}: ${expected}`
        : `${quote(key)} of ${this.construct} at ${this.path} must be ${expected}, not ${show(value)}`,
    );
  }

  text(key: string): string | undefined {
    const value = this.raw(key);
    return value === undefined || typeof value === 'string' ? value : this.fail(key, 'a string');
  }

  /** A string, which may be given as a number or boolean. */
  looseText(key: string): string | undefined {
    const value = this.raw(key);
    if (value === undefined || typeof value === 'string') return value;
    if (typeof value === 'number' || typeof value === 'boolean') return String(value);
    return this.fail(key, 'a string');
  }

  scalar(key: string): JsonScalar | undefined {
    const value = this.raw(key);
    if (value === undefined || isJsonScalar(value)) return value;
    return this.fail(key, 'a string, number or boolean');
  }

  number(key: string, limits: NumberLimits = {}): number | undefined {
    const value = this.raw(key);
    if (value === undefined) return undefined;
    const number = toNumber(value);
    if (number === undefined || !isWithin(number, limits)) this.fail(key, describe(limits));
    return number;
  }

  boolean(key: string): boolean | undefined {
    const value = this.raw(key);
    if (value === undefined || typeof value === 'boolean') return value;
    if (value === 'true') return true;
    if (value === 'false') return false;
    return this.fail(key, 'true or false');
  }

  /** One of several keywords, in any case. */
  choice<Word extends string>(key: string, words: readonly Word[]): Word | undefined {
    const value = this.raw(key);
    if (value === undefined) return undefined;
    const lower = typeof value === 'string' ? value.toLowerCase() : undefined;
    return words.find((word) => word === lower) ?? this.fail(key, `one of ${words.join(', ')}`);
  }

  /** A string or a list of strings. */
  texts(key: string): readonly string[] | undefined {
    const value = this.raw(key);
    if (value === undefined) return undefined;
    if (typeof value === 'string') return [value];
    if (!Array.isArray(value)) return this.fail(key, 'a string or a list of strings');
    const list: readonly JsonValue[] = value;
    return list.map((item) => (typeof item === 'string' ? item : this.fail(key, 'a string or a list of strings')));
  }

  drop(...keys: readonly string[]): void {
    this.taken.push(...keys);
  }

  dropLegacy(): void {
    this.takesLegacy = true;
  }

  /** Keys that weren't taken. */
  rest(): readonly string[] {
    return Object.keys(this.source).filter((key) => !this.isTaken(key));
  }

  /** @throws QueryError for the first key that wasn't taken */
  end(): void {
    const key = Object.keys(this.source).find((each) => !this.isTaken(each));
    if (key === undefined) return;
    const path = `${this.path}.${key}`;
    if (SCRIPT_OPTION.test(key)) {
      throw forbidden(path, `${quote(key)} is not allowed in ${this.construct} at ${this.path}`);
    }
    throw invalid(path, `Unknown option ${quote(key)} of ${this.construct} at ${this.path}`);
  }

  private isTaken(key: string): boolean {
    return this.taken.includes(key) || (this.takesLegacy && DROPPED_ON_QUERIES.has(key));
  }
}

/** A JSON number or decimal string. */
export function toNumber(value: JsonValue | undefined): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (typeof value !== 'string' || value.length > 64) return undefined;
  if (!/^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(value)) return undefined;
  const number = Number(value);
  return Number.isFinite(number) ? number : undefined;
}

function isWithin(number: number, limits: NumberLimits): boolean {
  return (
    (limits.min === undefined || number >= limits.min) &&
    (limits.above === undefined || number > limits.above) &&
    (limits.max === undefined || number <= limits.max) &&
    (limits.isInteger !== true || Number.isSafeInteger(number))
  );
}

function describe(limits: NumberLimits): string {
  const kind = limits.isInteger === true ? 'an integer' : 'a number';
  const bounds = [
    limits.min === undefined ? '' : ` ≥ ${limits.min}`,
    limits.above === undefined ? '' : ` > ${limits.above}`,
    limits.max === undefined ? '' : ` ≤ ${limits.max}`,
  ].filter((bound) => bound !== '');
  return `${kind}${bounds.join(' and')}`;
}
