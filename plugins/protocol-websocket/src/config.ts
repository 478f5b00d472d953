import { integerBetween, type ConfigSchema } from '@millrace/kernel';
import {
  connectionConfig,
  heartbeatConfig,
  originConfig,
  withDefaults,
  type ConnectionConfig,
} from '@millrace/plugin-kit';

/** The values of section `websocket`, as validated by `websocketConfig`. */
export interface WebsocketConfig extends ConnectionConfig {
  readonly keepAliveMs: number;
  readonly heartbeatMs: number;
  readonly cors: {
    /** `*`, one origin, or several as a list or separated by commas; empty: none. */
    readonly origin: string | readonly string[];
  };
}

/**
 * Configuration keys of section `websocket`.
 * @param defaults a program's defaults, replacing the built-in ones; file, environment and flags override them
 */
export function websocketConfig(defaults: Partial<WebsocketConfig> = {}): ConfigSchema {
  const schema: ConfigSchema = {
    ...connectionConfig('WebSocket', 7513),
    keepAliveMs: {
      doc: 'Interval of pings, in milliseconds; a connection that misses two is closed',
      format: integerBetween(10, 86_400_000),
      default: 30_000,
    },
    ...heartbeatConfig(),
    ...originConfig(),
  };
  return withDefaults(schema, defaults, 'websocket');
}
