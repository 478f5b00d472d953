import convict from 'convict';
import { coreErrors } from '../errors/errors.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../json/Json.js';
import { showValue } from '../request/showValue.js';
import { didYouMean } from '../names/didYouMean.js';
import { createConfig, type Config } from './Config.js';
import { listConfigKeys, type ConfigKey, type ConfigSchema } from './ConfigSchema.js';

/** The sources of values; later ones win. */
export interface ConfigSources {
  /** Content of the configuration file, or the programmatic options: a tree. */
  readonly file?: { readonly name: string; readonly values: JsonObject };
  /** Environment variables; only `MILLRACE_*` are read. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Command line flags by key path: `{ 'http.port': '8080' }`. */
  readonly flags?: Readonly<Record<string, string>>;
}

interface Given {
  readonly value: unknown;
  readonly origin: string;
}

const NUMERIC = /^-?\d{1,15}(\.\d+)?$/;
// Variables of the test tools and the command line itself, which aren't configuration keys.
const FOREIGN_VARIABLES = /^MILLRACE_(TEST_.*|CONFIG|TOKEN)$/;

/** Credentials in a URL: `redis://user:password@host`. */
const LOGIN_IN_ADDRESS = /\/\/[^/@\s]*@/g;

/**
 * Merges defaults ← file ← environment ← flags and checks everything.
 * @throws core.invalid_config: one line with the key, the expected value, and the actual value unless it is, or may be,
 *   a secret: the value of a sensitive key, of an unknown key (a misspelt one may be sensitive), or credentials in a
 *   URL
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
    if (key !== undefined) set(config, key, toTyped(key, value, origin), origin);
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
      const hint = didYouMean(name, byName.keys());
      throw invalid(
        `Unknown environment variable ${name}: no configuration key has this name${hint}`,
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

/** Converts a string strictly to the type of the key's format: convict itself would parse "12abc" as 12. */
function toTyped({ path, leaf }: ConfigKey, value: unknown, origin: string): unknown {
  const { format } = leaf;
  const refuse = (expected: string): Error =>
    invalid(
      `Invalid configuration ${path}: expected ${expected}, got ${shown(leaf.sensitive, value)} (${origin})`,
    );
  const parse = (): JsonValue => {
    try {
      return JSON.parse(value as string) as JsonValue;
    } catch {
      // The parser's message quotes the value.
      throw refuse('JSON');
    }
  };
  if (typeof value !== 'string') {
    if (format === Boolean && typeof value !== 'boolean') throw refuse('true or false');
    // Convict would treat its members as keys.
    if (isJsonObject(value) && typeof leaf.default === 'number') throw refuse('a number');
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
  // A custom format doesn't imply a type: the default does.
  if (typeof leaf.default === 'number') {
    if (NUMERIC.test(value)) return Number(value);
    throw refuse('a number');
  }
  if (typeof leaf.default === 'boolean' && (value === 'true' || value === 'false'))
    return value === 'true';
  if (format === Object || format === Array) return parse();
  // Convict parses these without naming the key in errors.
  if (isJsonObject(leaf.default)) {
    const tree = value.trim() === '' ? {} : parse();
    if (isJsonObject(tree)) return tree;
    throw refuse('an object as JSON');
  }
  return value;
}

/** Reports every refusal by convict with the key, and without convict's message, which may quote the value. */
function set(
  config: convict.Config<Record<string, unknown>>,
  { path }: ConfigKey,
  value: unknown,
  origin: string,
): void {
  try {
    config.set(path, value);
  } catch (cause) {
    const problem = `Invalid configuration ${path}: it can't be read (${origin})`;
    throw coreErrors.invalid_config({ problem }, { cause });
  }
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
    // convict appends `: value was …` only for its own formats.
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
  const hint = didYouMean(path, keys.keys());
  return invalid(
    `Unknown configuration key ${nameIn(path)} (${nameIn(origin)}): expected one of ${expected.join(', ')}${hint}`,
  );
}

/**
 * A flag such as `--security.jwt.secret:value` is an unknown key as a whole: only the part that can be a name is shown.
 */
function nameIn(path: string): string {
  const name = /^[\w.-]*/.exec(path)?.[0] ?? '';
  return name === path ? name : `${name}…`;
}

function shown(isSecret: boolean | undefined, value: unknown): string {
  return isSecret === true
    ? 'a secret of another form'
    : showValue(value).replace(LOGIN_IN_ADDRESS, '//…@');
}

function invalid(problem: string): Error {
  return coreErrors.invalid_config({ problem });
}
