import type { InjectionToken } from 'tsyringe';
import type { JsonObject, JsonValue } from '../json/Json.js';

/** The configuration of a server: checked, complete and frozen. */
export interface Config {
  /** All values, by section. */
  readonly values: JsonObject;
  /** The values with every secret replaced by `"[redacted]"`, for `server.getConfig`. */
  readonly redacted: JsonObject;
  /** The file, environment variable or flag that sets a key, by key: `{"http.port": "--http.port"}`. Not of defaults. */
  readonly origins: Readonly<Record<string, string>>;
  /** One section, such as `http`, typed by the package that declares it. */
  section<T>(name: string): T;
}

/** The configuration of this server. */
export const CONFIG: InjectionToken<Config> = Symbol.for('millrace.Config');

/** Creates a checked configuration object from its complete values. */
export function createConfig(
  values: JsonObject,
  secretPaths: ReadonlySet<string>,
  origins: ReadonlyMap<string, string>,
): Config {
  const frozen = deepFreeze(values) as JsonObject;
  return {
    values: frozen,
    redacted: redact(frozen, '', secretPaths) as JsonObject,
    origins: Object.freeze(Object.fromEntries(origins)),
    section: <T>(name: string) => frozen[name] as T,
  };
}

function deepFreeze(value: JsonValue): JsonValue {
  if (typeof value === 'object' && value !== null) {
    Object.values(value).forEach(deepFreeze);
    Object.freeze(value);
  }
  return value;
}

function redact(value: JsonValue, path: string, secrets: ReadonlySet<string>): JsonValue {
  if (secrets.has(path)) return value === null || value === '' ? value : '[redacted]';
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const prefix = path === '' ? '' : `${path}.`;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, redact(inner, prefix + key, secrets)]));
}
