import convict from 'convict';
import { coreErrors } from '../errors/errors.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../json/Json.js';
import { showValue } from '../request/showValue.js';
import { createConfig, type Config } from './Config.js';
import { listConfigKeys, type ConfigKey, type ConfigSchema } from './ConfigSchema.js';

/** Where values come from; later ones win. */
export interface ConfigSources {
  /** Content of the configuration file, or of the programmatic options: a tree. */
  readonly file?: { readonly name: string; readonly values: JsonObject };
  /** Environment variables; only `MILLRACE_*` are looked at. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Command line flags by key path: `{ 'http.port': '8080' }`. */
  readonly flags?: Readonly<Record<string, string>>;
}

interface Given {
  readonly value: unknown;
  readonly origin: string;
}

const NUMERIC = /^-?\d{1,15}(\.\d+)?$/;
// Variables of the test tools and of the command line itself; they name no key.
const FOREIGN_VARIABLES = /^MILLRACE_(TEST_.*|CONFIG|KILL_ROUNDS)$/;

/**
 * Merges defaults ← file ← environment ← flags and checks everything.
 * @throws core.invalid_config: one line with the key, the value and what was expected
 */
export function loadConfig(schema: ConfigSchema, sources: ConfigSources): Config {
  const keys = new Map(listConfigKeys(schema).map((key) => [key.path, key]));
  const given = new Map<string, Given>();
  readFile(keys, sources, given);
  readEnvironment(keys, sources.environment ?? {}, given);
  readFlags(keys, sources.flags ?? {}, given);

  const config = convict(schema as convict.Schema<Record<string, unknown>>, { env: {}, args: [] });
  for (const [path, { value, origin }] of given) {
    const key = keys.get(path);
    if (key !== undefined) config.set(path, toTyped(key, value, origin));
  }
  validate(config, given, keys);
  const secrets = [...keys.values()].filter(({ leaf }) => leaf.sensitive === true);
  return createConfig(
    structuredClone(config.getProperties()) as JsonObject,
    new Set(secrets.map(({ path }) => path)),
  );
}

function readFile(
  keys: ReadonlyMap<string, ConfigKey>,
  { file }: ConfigSources,
  given: Map<string, Given>,
): void {
  const walk = (tree: JsonObject, prefix: string): void => {
    for (const [name, value] of Object.entries(tree)) {
      const path = prefix + name;
      if (keys.has(path)) given.set(path, { value, origin: file?.name ?? '' });
      else if (isJsonObject(value) && isSection(keys, path)) walk(value, `${path}.`);
      else throw unknown(keys, path, file?.name ?? '');
    }
  };
  if (file !== undefined) walk(file.values, '');
}

function readEnvironment(
  keys: ReadonlyMap<string, ConfigKey>,
  environment: Readonly<Record<string, string | undefined>>,
  given: Map<string, Given>,
): void {
  const byName = new Map([...keys.values()].map((key) => [key.environmentName, key.path]));
  for (const [name, value] of Object.entries(environment)) {
    if (!name.startsWith('MILLRACE_') || value === undefined || FOREIGN_VARIABLES.test(name))
      continue;
    const path = byName.get(name);
    if (path === undefined) {
      throw invalid(
        `Unknown environment variable ${name}=${showValue(value)}: no configuration key has this name`,
      );
    }
    given.set(path, { value, origin: name });
  }
}

function readFlags(
  keys: ReadonlyMap<string, ConfigKey>,
  flags: Readonly<Record<string, string>>,
  given: Map<string, Given>,
): void {
  for (const [path, value] of Object.entries(flags)) {
    if (!keys.has(path)) throw unknown(keys, path, `--${path}`);
    given.set(path, { value, origin: `--${path}` });
  }
}

function isSection(keys: ReadonlyMap<string, ConfigKey>, path: string): boolean {
  return [...keys.keys()].some((key) => key.startsWith(`${path}.`));
}

/** Text becomes what the key's format asks for, strictly: convict itself would read "12abc" as 12. */
function toTyped({ path, leaf }: ConfigKey, value: unknown, origin: string): unknown {
  const { format } = leaf;
  const refuse = (expected: string): Error =>
    invalid(
      `Invalid configuration ${path}: expected ${expected}, got ${shown(leaf.sensitive, value)} (${origin})`,
    );
  if (typeof value !== 'string') {
    if (format === Boolean && typeof value !== 'boolean') throw refuse('true or false');
    return value;
  }
  if (format === Boolean || format === 'Boolean') {
    if (value === 'true') return true;
    if (value === 'false') return false;
    throw refuse('true or false');
  }
  if (format === 'int' || format === 'nat' || format === 'port' || format === Number) {
    if (NUMERIC.test(value)) return Number(value);
    throw refuse(format === 'port' ? 'a port from 0 to 65535' : 'a number');
  }
  // A format of the package's own says nothing of the type: the default does.
  if (typeof leaf.default === 'number') {
    if (NUMERIC.test(value)) return Number(value);
    throw refuse('a number');
  }
  if (typeof leaf.default === 'boolean' && (value === 'true' || value === 'false'))
    return value === 'true';
  if (format === Object || format === Array) {
    try {
      return JSON.parse(value) as JsonValue;
    } catch {
      throw refuse('JSON');
    }
  }
  return value;
}

function validate(
  config: convict.Config<Record<string, unknown>>,
  given: ReadonlyMap<string, Given>,
  keys: ReadonlyMap<string, ConfigKey>,
): void {
  try {
    config.validate({ allowed: 'strict' });
  } catch (error) {
    const [line = ''] = (error as Error).message.split('\n');
    const path = line.slice(0, line.indexOf(':'));
    const isSecret = keys.get(path)?.leaf.sensitive;
    // convict adds `: value was …` to its own formats alone.
    const expected = line
      .slice(line.indexOf(':') + 1)
      .replace(/: value was .*$/, '')
      .trim();
    const value = shown(isSecret, given.get(path)?.value);
    const origin = given.get(path)?.origin ?? 'default';
    throw invalid(`Invalid configuration ${path}: ${expected}, got ${value} (${origin})`);
  }
}

function unknown(keys: ReadonlyMap<string, ConfigKey>, path: string, origin: string): Error {
  const section = path.split('.')[0] ?? '';
  const near = [...keys.keys()].filter((key) => key.startsWith(`${section}.`));
  const expected =
    near.length === 0 ? [...new Set([...keys.keys()].map((key) => key.split('.')[0]))] : near;
  return invalid(
    `Unknown configuration key ${path} (${origin}): expected one of ${expected.join(', ')}`,
  );
}

function shown(isSecret: boolean | undefined, value: unknown): string {
  return isSecret === true ? 'a secret of another form' : showValue(value);
}

function invalid(problem: string): Error {
  return coreErrors.invalid_config({ problem });
}
