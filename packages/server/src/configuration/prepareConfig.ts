import {
  coreErrors,
  orderPlugins,
  type ConfigSchema,
  type ConfigSources,
  type HttpMiddleware,
  type JsonObject,
  type Logger,
  type Plugin,
} from '@millrace/kernel';
import { configSchema } from './configSchema.js';
import type { KernelConfig } from './KernelConfig.js';
import { loadedFrom } from '../plugins/loadPlugins.js';
import { readSecretFiles } from './readSecretFiles.js';
import { VERSION } from '../version.js';

/**
 * Options of a kernel; all have defaults. Of the process environment only `NODE_ENV` is read unless `environment` is
 * given.
 */
export interface KernelOptions {
  /** Configuration as a tree: `{ http: { port: 0 } }`. */
  readonly config?: KernelConfig;
  /** Origin of `config`, for error messages. */
  readonly configName?: string;
  /** Environment variables to read `MILLRACE_*` from, such as `process.env`. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Flags by key path, such as `{ 'http.port': '0' }`. */
  readonly flags?: Readonly<Record<string, string>>;
  readonly plugins?: readonly Plugin[];
  /** Middleware of koa in front of the HTTP entrypoint, in order. koa is loaded only if there is any. */
  readonly middleware?: readonly HttpMiddleware[];
  /**
   * Default: logs lines from level `log.level` to standard error, as text on a terminal, otherwise as JSON
   * (`log.format`).
   */
  readonly logger?: Logger;
}

/** What a configuration is read from. */
export interface PreparedConfig {
  /** In the order of their requirements. */
  readonly plugins: readonly Plugin[];
  readonly schema: ConfigSchema;
  readonly sources: ConfigSources;
}

/** @throws core.plugin_refused; core.invalid_config for a file of a secret that can't be read */
export function prepareConfig(options: KernelOptions): PreparedConfig {
  assertLoaded(options);
  const plugins = orderPlugins(options.plugins ?? [], VERSION);
  // Falls back to the process: a program that passes no environment would otherwise be open in production without
  // notice.
  const { NODE_ENV } = options.environment ?? process.env;
  const schema = configSchema(plugins, NODE_ENV === 'production');
  return {
    plugins,
    schema,
    sources: {
      file: {
        name: options.configName ?? 'configuration',
        values: (options.config ?? {}) as JsonObject,
      },
      environment: readSecretFiles(schema, options.environment ?? {}),
      flags: options.flags ?? {},
    },
  };
}

/** A program loads its plugins itself: a list of names would have no effect. */
function assertLoaded({ config = {}, plugins = [], configName = 'configuration' }: KernelOptions): void {
  const { plugins: named = [] } = config;
  const names = new Set(plugins.map((plugin) => loadedFrom(plugin)?.name));
  const absent = named.find((name) => typeof name !== 'string' || !names.has(name));
  if (absent === undefined) return;
  const problem = `Configuration plugins (${configName}): the millrace command loads ${JSON.stringify(absent)}; a program passes its plugins to \`new Kernel({ plugins })\``;
  throw coreErrors.invalid_config({ problem });
}
