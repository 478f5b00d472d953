import {
  connectionConfig,
  integerBetween,
  originConfig,
  withDefaults,
  type ConfigSchema,
  type ConnectionConfig,
} from '@millrace/kernel';

/** The values of section `fallback`, as checked by `fallbackConfig`. */
export interface FallbackConfig extends ConnectionConfig {
  readonly listen: boolean;
  readonly keepAliveMs: number;
  readonly cors: {
    /** `*`, one origin, several as a list or separated by commas; empty switches CORS off. */
    readonly origin: string | readonly string[];
  };
}

/**
 * Configuration keys of section `fallback`.
 * @param defaults what a program wants in place of our defaults; file, environment and flags still win
 */
export function fallbackConfig(defaults: Partial<FallbackConfig> = {}): ConfigSchema {
  const schema: ConfigSchema = {
    listen: {
      doc: 'Opens a port; false where the fallback protocol is only mounted in another application (kernel.mount)',
      format: Boolean,
      default: true,
    },
    ...connectionConfig('the fallback protocol', 7512),
    keepAliveMs: {
      doc: 'Interval of pings, in milliseconds; a connection silent for two of them is closed',
      format: integerBetween(10, 86_400_000),
      default: 30_000,
    },
    ...originConfig(),
  };
  return withDefaults(schema, defaults, 'fallback');
}
