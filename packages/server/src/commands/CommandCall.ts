import { dirname, resolve } from 'node:path';
import { didYouMean, listConfigKeys, type JsonObject, type Plugin } from '@millrace/kernel';
import { configSchema } from '../configSchema.js';
import type { KernelOptions } from '../Kernel.js';
import { loadedFrom, loadPlugins, type PluginList } from '../plugins/loadPlugins.js';
import { parsePluginEntries } from '../plugins/PluginEntry.js';
import { readConfigFile, type ConfigFile } from '../readConfigFile.js';
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
    const plugins = [...(await this.context.plugins()), ...configured];
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

  /** Its value is needed before the other keys are known: plugins declare some. */
  private pluginList(file: ConfigFile | undefined): PluginList {
    const { environment, folder } = this.context;
    const { keys } = this.parsed;
    for (const [origin, text] of [
      ['--plugins', keys['plugins']],
      ['MILLRACE_PLUGINS', environment['MILLRACE_PLUGINS']],
    ] as const) {
      if (text !== undefined) return { value: parsePluginEntries(text), origin, folder };
    }
    const { name = '', values = {} } = file ?? {};
    return { value: values['plugins'] ?? [], origin: name, folder: dirname(resolve(folder, name)) };
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
