import { access } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { coreErrors, type JsonValue, type Plugin } from '@millrace/kernel';
import { firstLine, placedMessage, typeScriptProblem } from '../imports/importProblems.js';
import { pluginEntries, type PluginEntry } from './PluginEntry.js';

/** Where the plugins are named. */
export interface PluginList {
  /** Value of the key `plugins`. */
  readonly value: JsonValue;
  /** The file, variable or option that sets it, for error messages. */
  readonly origin: string;
  /** Relative paths start here; packages are searched in its `node_modules` and those above. */
  readonly folder: string;
}

/** A plugin that was loaded by configuration. */
export interface LoadedPlugin {
  /** As the configuration names it. */
  readonly name: string;
  /** The file that was imported. */
  readonly path: string;
}

const loaded = new WeakMap<Plugin, LoadedPlugin>();

/** Where a plugin was loaded from; undefined for one that a program passes. */
export function loadedFrom(plugin: Plugin): LoadedPlugin | undefined {
  return loaded.get(plugin);
}

/**
 * Imports the plugins that the configuration names: packages and files whose default export, or only export, is a plugin
 * or the function that makes it.
 * @throws core.invalid_config: one line that names the plugin, the problem and what to do
 */
export async function loadPlugins(list: PluginList): Promise<readonly Plugin[]> {
  const { value, origin } = list;
  try {
    pluginEntries(value);
  } catch (error) {
    throw refused(`Invalid configuration plugins: ${(error as Error).message} (${origin})`);
  }
  const plugins: Plugin[] = [];
  for (const given of value) {
    const entry = typeof given === 'string' ? { plugin: given } : given;
    plugins.push(await load(entry, list));
  }
  return plugins;
}

async function load(entry: PluginEntry, { origin, folder }: PluginList): Promise<Plugin> {
  const fail = (problem: string, cause?: unknown): never => {
    throw refused(`Plugin ${JSON.stringify(entry.plugin)} (${origin}): ${problem}`, cause);
  };
  const path = await find(entry.plugin, folder, fail);
  const unreadable = typeScriptProblem(path);
  if (unreadable !== undefined) fail(`${unreadable}, use a .js or .mjs file`);
  let module: Readonly<Record<string, unknown>> = {};
  try {
    module = (await import(pathToFileURL(path).href)) as typeof module;
  } catch (error) {
    fail(`it can't be loaded: ${await placedMessage(error, path, folder)}`, error);
  }
  let plugin = exportOf(module, fail);
  if (typeof plugin === 'function') {
    try {
      plugin = await (plugin as (options?: object) => unknown)(entry.options);
    } catch (error) {
      fail(`its function threw: ${await placedMessage(error, path, folder)}`, error);
    }
  } else if (entry.options !== undefined) {
    fail('it takes no options: it exports a plugin, not a function');
  }
  if (!isPlugin(plugin)) return fail('its function returned no plugin: expected what definePlugin returns');
  loaded.set(plugin, { name: entry.plugin, path });
  return plugin;
}

type Fail = (problem: string, cause?: unknown) => never;

async function find(name: string, folder: string, fail: Fail): Promise<string> {
  if (/^[./]/.test(name)) {
    const path = resolve(folder, name);
    await access(path).catch(() => fail(`there is no file ${path}`));
    return path;
  }
  // Only where a package is named: it is read in 10 ms.
  const library = await import('import-meta-resolve');
  try {
    return fileURLToPath(library.resolve(name, pathToFileURL(join(folder, 'any.js')).href));
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND';
    return isMissing
      ? fail(`there is no such package in ${folder}: npm install ${name}`)
      : fail(`it can't be found: ${firstLine(error)}`, error);
  }
}

/** The default export, or the only one that a plugin can be. */
function exportOf(module: Readonly<Record<string, unknown>>, fail: Fail): unknown {
  if (module['default'] !== undefined) return module['default'];
  const candidates = Object.entries(module).filter(([, value]) => typeof value === 'function' || isPlugin(value));
  const [only] = candidates;
  if (only !== undefined && candidates.length === 1) return only[1];
  const names = candidates.map(([name]) => name).join(', ');
  return fail(
    `it has no default export, and ${names === '' ? 'none that is a plugin' : `several others (${names})`}: expected a plugin, or the function that makes it, as the default export`,
  );
}

function isPlugin(value: unknown): value is Plugin {
  return typeof value === 'object' && value !== null && 'setup' in value && 'name' in value;
}

function refused(problem: string, cause?: unknown): Error {
  return coreErrors.invalid_config({ problem }, { cause });
}
