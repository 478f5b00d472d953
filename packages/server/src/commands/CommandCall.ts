import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { coreErrors, didYouMean, listConfigKeys, type JsonObject, type JsonValue, type Plugin } from '@millrace/kernel';
import { configSchema } from '../configuration/configSchema.js';
import { hideFromWatch } from './dev/hideFromWatch.js';
import type { KernelOptions } from '../configuration/prepareConfig.js';
import { loadedFrom, loadPlugins, type PluginList } from '../plugins/loadPlugins.js';
import { parsePluginEntries } from '../plugins/PluginEntry.js';
import { readConfigFile, type ConfigFile } from '../configuration/readConfigFile.js';
import type { CommandContext } from './Command.js';
import type { ParsedCommand } from './parseCommand.js';
import { UsageError } from './UsageError.js';

/** A call of a command: its arguments and options, and the process that it runs in. */
export class CommandCall {
  constructor(
    private readonly parsed: ParsedCommand,
    readonly context: CommandContext,
  ) {}

  /** The positional argument at a position; empty if it is optional and absent. */
  argument(position: number): string {
    return this.parsed.arguments[position] ?? '';
  }

  /** Whether a switch is set. */
  has(option: string): boolean {
    return this.parsed.switches.has(option);
  }

  /** The value of an option. */
  value(option: string): string | undefined {
    return this.parsed.values[option];
  }

  /**
   * Plugins and configuration sources for `new Kernel`: file, environment and options.
   * @throws UsageError for an unknown option, core.invalid_config for a file that can't be read
   */
  async kernelOptions(): Promise<KernelOptions> {
    const { environment, folder } = this.context;
    const { keys, values } = this.parsed;
    const file = await readConfigFile(folder, values['config'] ?? environment['MILLRACE_CONFIG']);
    const list = this.pluginList(file);
    const configured = await loadPlugins(list);
    const functions = await this.functionsOf(file);
    const names = new Set(configured.map(({ name }) => name));
    // What the configuration names has its options: it takes the place of the same plugin without.
    const own = (await this.context.plugins()).filter(({ name }) => !names.has(name));
    const plugins = [...own, ...configured, ...functions];
    const known = listConfigKeys(configSchema(plugins)).map(({ path }) => path);
    for (const key of Object.keys(keys)) {
      // The configuration names the plugin that a section belongs to.
      const isOfPlugin = known.includes(key.split('.')[0] ?? '');
      if (!known.includes(key) && !isOfPlugin)
        throw new UsageError(`Unknown option --${nameIn(key)}${didYouMean(key, known)}`);
    }
    return {
      ...(file === undefined ? undefined : { config: withNames(file, list, configured), configName: file.name }),
      environment,
      flags: keys,
      plugins,
    };
  }

  /** The folder of server functions, whether it exists or not; undefined if none is looked for. */
  async functionsFolder(): Promise<string | undefined> {
    const { environment, folder } = this.context;
    const name = this.parsed.values['config'] ?? environment['MILLRACE_CONFIG'];
    return this.findFunctions(await readConfigFile(folder, name)).path;
  }

  /** The options of this call, for another process. */
  toArguments(): readonly string[] {
    const { keys, values } = this.parsed;
    return Object.entries({ ...values, ...keys }).map(([name, value]) => `--${name}=${value}`);
  }

  private findFunctions(file: ConfigFile | undefined) {
    const { value, origin, folder } = this.earlyValue('functions', file, (text) => text);
    // A value of another type is refused with the other keys.
    const name = value === undefined ? 'functions' : value;
    const isFolder = typeof name === 'string' && name !== '';
    return {
      path: isFolder ? resolve(folder, name) : undefined,
      origin: value === undefined ? undefined : origin,
    };
  }

  /** Their code is loaded only if there are any. */
  private async functionsOf(file: ConfigFile | undefined): Promise<readonly Plugin[]> {
    const { path, origin } = this.findFunctions(file);
    if (path === undefined) return [];
    if (!existsSync(path)) {
      if (origin === undefined) return [];
      const problem = `Configuration functions (${origin}): there is no folder ${path}`;
      throw coreErrors.invalid_config({ problem });
    }
    if (this.context.environment['MILLRACE_DEV'] !== undefined) hideFromWatch(path);
    const { loadFunctions } = await import('../functions/loadFunctions.js');
    return [await loadFunctions(path)];
  }

  private pluginList(file: ConfigFile | undefined): PluginList {
    const { value = [], ...others } = this.earlyValue('plugins', file, parsePluginEntries);
    return { value, ...others };
  }

  /** A value that is needed before the other keys are known, which plugins declare. */
  private earlyValue(
    key: string,
    file: ConfigFile | undefined,
    parse: (text: string) => JsonValue,
  ): { readonly value: JsonValue | undefined; readonly origin: string; readonly folder: string } {
    const { environment, folder } = this.context;
    const variable = `MILLRACE_${key.toUpperCase()}`;
    for (const [origin, text] of [
      [`--${key}`, this.parsed.keys[key]],
      [variable, environment[variable]],
    ] as const) {
      if (text !== undefined) return { value: parse(text), origin, folder };
    }
    if (file === undefined) return { value: undefined, origin: '', folder };
    const { name, values } = file;
    return { value: values[key], origin: name, folder: dirname(resolve(folder, name)) };
  }
}

/** An option such as `--security.jwt.secret:value` is an unknown key as a whole: only the name in it is shown. */
function nameIn(key: string): string {
  const name = /^[\w.-]*/.exec(key)?.[0] ?? '';
  return name === key ? name : `${name}…`;
}

/**
 * The values of the file with the names of its plugins: their options may hold secrets. A list that an option or variable
 * replaces has no effect.
 */
function withNames(file: ConfigFile, list: PluginList, loaded: readonly Plugin[]): JsonObject {
  const { plugins, ...others } = file.values;
  if (plugins === undefined || list.origin !== file.name) return others;
  return { ...others, plugins: loaded.map((plugin) => loadedFrom(plugin)?.name ?? plugin.name) };
}
