import { integerBetween, type ConfigSchema } from '@millrace/kernel';
import {
  connectionConfig,
  heartbeatConfig,
  originConfig,
  withDefaults,
  type ConnectionConfig,
} from '@millrace/plugin-kit';

/** The values of section `fallback`, as validated by `fallbackConfig`. */
export interface FallbackConfig extends ConnectionConfig {
  readonly keepAliveMs: number;
  readonly heartbeatMs: number;
  readonly cors: {
    /** `*`, one origin, or several as a list or separated by commas; empty disables CORS. */
    readonly origin: string | readonly string[];
  };
}

/**
 * Configuration keys of section `fallback`.
 * @param defaults a program's defaults, replacing the built-in ones; file, environment and flags override them
 */
export function fallbackConfig(defaults: Partial<FallbackConfig> = {}): ConfigSchema {
  const schema: ConfigSchema = {
    ...connectionConfig('the fallback protocol', 7512),
    keepAliveMs: {
      doc: 'Interval of pings, in milliseconds; a connection silent for two of them is closed',
      format: integerBetween(10, 86_400_000),
      default: 30_000,
    },
    ...heartbeatConfig(),
    ...originConfig(),
  };
  return withDefaults(schema, defaults, 'fallback');
}
