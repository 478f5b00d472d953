import { type JsonObject, type JsonValue, own } from '@millrace/language';
import { MappingError } from '../errors.js';
import { quote, show } from '../show.js';

/**
 * Reads the options of one analyzer, tokenizer or filter of the settings. Errors name the option and the expected
 * value.
 */
export class Definition {
  private readonly read = new Set<string>(['type']);

  constructor(
    readonly path: string,
    private readonly options: JsonObject,
  ) {}

  /** The option as given; undefined if it is absent or null. */
  raw(key: string): JsonValue | undefined {
    this.read.add(key);
    return own(this.options, key) ?? undefined;
  }

  /** One of several names. @param byDefault absent: the option is required */
  oneOf(key: string, names: Iterable<string>, byDefault?: string): string {
    const value = this.raw(key) ?? byDefault;
    const known = [...names];
    if (typeof value === 'string' && known.includes(value)) return value;
    return this.fail(key, `one of ${known.join(', ')}`);
  }

  string(key: string, byDefault?: string): string {
    const value = this.raw(key) ?? byDefault;
    return typeof value === 'string' ? value : this.fail(key, 'a string');
  }

  boolean(key: string): boolean {
    const value = this.raw(key) ?? false;
    if (typeof value === 'boolean') return value;
    if (value === 'true' || value === 'false') return value === 'true';
    return this.fail(key, 'true or false');
  }

  integer(
    key: string,
    { min, max, byDefault }: { readonly min: number; readonly max: number; byDefault: number },
  ): number {
    const value = this.raw(key) ?? byDefault;
    const number = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value;
    const isFit = typeof number === 'number' && Number.isInteger(number) && number >= min && number <= max;
    return isFit ? number : this.fail(key, `an integer from ${min} to ${max}`);
  }

  /** A list of strings; a single string counts as a list of one. */
  strings(key: string): readonly string[] | undefined {
    const value = this.raw(key);
    if (value === undefined) return undefined;
    const list: readonly JsonValue[] = Array.isArray(value) ? value : [value];
    const strings = list.filter((item) => typeof item === 'string');
    return strings.length === list.length ? strings : this.fail(key, 'a list of strings');
  }

  /** @throws MappingError if an option is left that no method has read */
  end(): void {
    const unknown = Object.keys(this.options).find((key) => !this.read.has(key));
    if (unknown === undefined) return;
    throw new MappingError(
      `${this.path}.${unknown}`,
      `Unknown option ${quote(unknown)} at ${this.path}: expected ${[...this.read].join(', ')}`,
    );
  }

  fail(key: string, expected: string): never {
    const given = Object.hasOwn(this.options, key) ? show(this.options[key]) : 'absent';
    throw new MappingError(`${this.path}.${key}`, `${quote(key)} at ${this.path} must be ${expected}, not ${given}`);
  }
}
