import { isJsonObject, type JsonObject, type JsonValue } from '@millrace/kernel';

const LOOPBACK_HOSTS = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Reads the settings of one of several objects, such as one identity provider, which a convict schema can't describe.
 * Errors name the key and the expected value, never the actual value, which may be a secret. `null` and an empty string
 * count as absent.
 */
export class SettingsReader {
  private readonly known = new Set<string>();

  constructor(
    private readonly path: string,
    private readonly options: JsonObject,
  ) {}

  text(key: string): string | null {
    const value = this.own(key);
    if (value === undefined) return null;
    if (typeof value !== 'string') throw this.refused(key, 'a string');
    return value;
  }

  boolean(key: string): boolean | null {
    const value = this.own(key);
    if (value === undefined) return null;
    if (typeof value !== 'boolean') throw this.refused(key, 'true or false');
    return value;
  }

  oneOf<const V extends string>(key: string, values: readonly V[]): V | null {
    const value = this.own(key);
    if (value === undefined) return null;
    const found = values.find((each) => each === value);
    if (found === undefined) {
      throw this.refused(key, values.map((each) => `"${each}"`).join(' or '));
    }
    return found;
  }

  texts(key: string): readonly string[] | null {
    const value = this.own(key);
    if (value === undefined) return null;
    if (!isTextList(value)) throw this.refused(key, 'a list of strings');
    return value;
  }

  textOrTexts(key: string): readonly string[] | null {
    const value = this.own(key);
    if (typeof value === 'string') return [value];
    return this.texts(key);
  }

  textMap(key: string): Readonly<Record<string, string>> {
    const value = this.own(key);
    if (value === undefined) return {};
    const isMap = isJsonObject(value) && isTextList(Object.values(value));
    if (!isMap) throw this.refused(key, 'an object of strings');
    return value as Readonly<Record<string, string>>;
  }

  /** An absolute https URL; http is allowed for a loopback host, or if `allowHttp` is set. */
  address(key: string, allowHttp: boolean): string | null {
    const text = this.text(key);
    if (text === null) return null;
    const url = URL.canParse(text) ? new URL(text) : null;
    const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:';
    if (url === null || !isWeb || url.hash !== '' || url.username !== '' || url.password !== '') {
      throw this.refused(key, 'an absolute https address without a fragment or a user');
    }
    const isPlain = url.protocol === 'http:' && !LOOPBACK_HOSTS.includes(url.hostname);
    if (isPlain && !allowHttp) {
      throw this.refused(key, 'an address over https (or set "allowHttp")');
    }
    return text;
  }

  /** @throws Error if it is missing */
  required<T>(value: T | null, key: string, expected: string): T {
    if (value === null) throw new Error(`${this.path}.${key} is missing: expected ${expected}`);
    return value;
  }

  /** @throws Error naming a key that was never read */
  assertAllKnown(): void {
    const unknown = Object.keys(this.options).find((key) => !this.known.has(key));
    if (unknown === undefined) return;
    throw new Error(
      `${this.path} has an unknown key ${JSON.stringify(unknown.slice(0, 60))}: expected one of ${[...this.known].join(', ')}`,
    );
  }

  refused(key: string, expected: string): Error {
    return new Error(`${this.path}.${key}: expected ${expected}`);
  }

  private own(key: string): JsonValue | undefined {
    this.known.add(key);
    const value = Object.hasOwn(this.options, key) ? this.options[key] : undefined;
    return value === null || value === '' ? undefined : value;
  }
}

function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string' && each !== '');
}
