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
  /** Path of the HTTP port that takes WebSocket too; empty: none. */
  readonly path: string;
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
    listen: {
      doc: 'Opens a separate port; false: WebSocket is there at websocket.path of the HTTP port, and where it is mounted in another application (kernel.mount)',
      format: Boolean,
      default: true,
    },
    path: {
      doc: 'Path of the HTTP port that takes WebSocket too; empty: none',
      format: plainPath,
      default: '/_ws',
    },
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

function plainPath(value: unknown): void {
  if (typeof value !== 'string' || !/^(?:\/[\w.~-]+(?:\/[\w.~-]+)*)?$/.test(value))
    throw new Error('must be a path such as "/_ws", or empty');
}
