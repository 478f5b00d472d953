import convict from 'convict';
import { coreErrors } from '../errors/errors.js';
import { isJsonObject, type JsonObject } from '../json/Json.js';
import { didYouMean } from '../errors/didYouMean.js';
import { createConfig, type Config } from './Config.js';
import { listConfigKeys, type ConfigKey, type ConfigSchema } from './ConfigSchema.js';
import { showConfigValue, toTypedValue } from './toTypedValue.js';

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

// Variables of the test tools and the command line itself, which aren't configuration keys.
const FOREIGN_VARIABLES = /^MILLRACE_(TEST_.*|CONFIG|TOKEN|DEV)$/;

/** A fault in the sources of a configuration. */
export interface ConfigFault {
  /** The key, or the environment variable that is none. */
  readonly key: string;
  /**
   * One line with the key, the expected value, and the actual value unless it is, or may be, a secret: the value of a
   * sensitive key, of an unknown key (a misspelt one may be sensitive), or credentials in a URL.
   */
  readonly problem: string;
}

/** A configuration with its faults. */
export interface InspectedConfig {
  /** Incomplete if there are faults. */
  readonly config: Config;
  readonly faults: readonly ConfigFault[];
}

/**
 * Merges defaults ← file ← environment ← flags and checks everything.
 * @throws core.invalid_config with the first fault
 */
export function loadConfig(schema: ConfigSchema, sources: ConfigSources): Config {
  const { config, faults } = inspectConfig(schema, sources);
  const [first] = faults;
  if (first !== undefined) throw coreErrors.invalid_config({ problem: first.problem });
  return config;
}

/** Merges defaults ← file ← environment ← flags and lists every fault. */
export function inspectConfig(schema: ConfigSchema, sources: ConfigSources): InspectedConfig {
  const keys = new Map(listConfigKeys(schema).map((key) => [key.path, key]));
  const given = new Map<string, Given>();
  const faults: ConfigFault[] = [
    ...readFile(keys, sources, given),
    ...readEnvironment(keys, sources.environment ?? {}, given),
    ...readFlags(keys, sources.flags ?? {}, given),
  ];
  const config = convict(schema as convict.Schema<Record<string, unknown>>, { env: {}, args: [] });
  for (const [path, { value, origin }] of given) {
    const key = keys.get(path);
    if (key === undefined) continue;
    try {
      set(config, key, toTypedValue(key, value, origin), origin);
    } catch (error) {
      faults.push({ key: path, problem: (error as Error).message });
    }
  }
  faults.push(...validate(config, given, keys));
  const secrets = [...keys.values()].filter(({ leaf }) => leaf.sensitive === true);
  const complete = createConfig(
    structuredClone(config.getProperties()) as JsonObject,
    new Set(secrets.map(({ path }) => path)),
    new Map([...given].map(([path, { origin }]) => [path, origin])),
  );
  return { config: complete, faults };
}

function readFile(
  keys: ReadonlyMap<string, ConfigKey>,
  { file }: ConfigSources,
  given: Map<string, Given>,
): readonly ConfigFault[] {
  const walk = (tree: JsonObject, prefix: string): readonly ConfigFault[] =>
    Object.entries(tree).flatMap(([name, value]) => {
      const path = prefix + name;
      if (!keys.has(path)) {
        if (isJsonObject(value) && isSection(keys, path)) return walk(value, `${path}.`);
        return [unknown(keys, path, file?.name ?? '')];
      }
      given.set(path, { value, origin: file?.name ?? '' });
      return [];
    });
  return file === undefined ? [] : walk(file.values, '');
}

function readEnvironment(
  keys: ReadonlyMap<string, ConfigKey>,
  environment: Readonly<Record<string, string | undefined>>,
  given: Map<string, Given>,
): readonly ConfigFault[] {
  const faults: ConfigFault[] = [];
  const byName = new Map([...keys.values()].map((key) => [key.environmentName, key.path]));
  for (const [name, value] of Object.entries(environment)) {
    if (!name.startsWith('MILLRACE_') || value === undefined || FOREIGN_VARIABLES.test(name)) continue;
    const path = byName.get(name);
    if (path !== undefined) given.set(path, { value, origin: name });
    else {
      const hint = didYouMean(name, byName.keys());
      const problem = `Unknown environment variable ${name}: no configuration key has this name${hint}`;
      faults.push({ key: name, problem });
    }
  }
  return faults;
}

function readFlags(
  keys: ReadonlyMap<string, ConfigKey>,
  flags: Readonly<Record<string, string>>,
  given: Map<string, Given>,
): readonly ConfigFault[] {
  return Object.entries(flags).flatMap(([path, value]) => {
    if (!keys.has(path)) return [unknown(keys, path, `--${path}`)];
    given.set(path, { value, origin: `--${path}` });
    return [];
  });
}

function isSection(keys: ReadonlyMap<string, ConfigKey>, path: string): boolean {
  return [...keys.keys()].some((key) => key.startsWith(`${path}.`));
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
): readonly ConfigFault[] {
  try {
    config.validate({ allowed: 'strict' });
    return [];
  } catch (error) {
    return (error as Error).message.split('\n').flatMap((line) => {
      const path = line.slice(0, line.indexOf(':'));
      const key = keys.get(path);
      if (key === undefined && line === '') return [];
      if (key === undefined) return [{ key: '', problem: `Invalid configuration: ${line}` }];
      // convict appends `: value was …` only for its own formats.
      const expected = line
        .slice(line.indexOf(':') + 1)
        .replace(/: value was .*$/, '')
        .trim();
      const value = showConfigValue(key.leaf, given.get(path)?.value);
      const origin = given.get(path)?.origin ?? 'default';
      const problem = `Invalid configuration ${path}: ${expected}, got ${value} (${origin})`;
      return [{ key: path, problem }];
    });
  }
}

function unknown(keys: ReadonlyMap<string, ConfigKey>, path: string, origin: string): ConfigFault {
  const section = path.split('.')[0] ?? '';
  const whole = keys.get(section);
  if (whole !== undefined) {
    const reason = String(whole.leaf.doc);
    const problem = `Unknown configuration key ${nameIn(path)} (${nameIn(origin)}): ${reason}`;
    return { key: nameIn(path), problem };
  }
  const near = [...keys.keys()].filter((key) => key.startsWith(`${section}.`));
  const expected = near.length === 0 ? [...new Set([...keys.keys()].map((key) => key.split('.')[0]))] : near;
  const hint = didYouMean(path, keys.keys());
  const key = nameIn(path);
  const problem = `Unknown configuration key ${key} (${nameIn(origin)}): expected one of ${expected.join(', ')}${hint}`;
  return { key, problem };
}

/**
 * A flag such as `--security.jwt.secret:value` is an unknown key as a whole: only the part that can be a name is shown.
 */
function nameIn(path: string): string {
  const name = /^[\w.-]*/.exec(path)?.[0] ?? '';
  return name === path ? name : `${name}…`;
}
