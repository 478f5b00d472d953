import { integerBetween, nonEmptyText, type ConfigSchema } from '@millrace/kernel';
import { tlsConfig, type TlsConfig } from './tlsConfig.js';

/** Settings of every protocol with lasting connections. */
export interface ConnectionConfig {
  readonly listen: boolean;
  readonly host: string;
  /** 0 selects a free port. */
  readonly port: number;
  readonly maxMessageBytes: number;
  readonly maxConnections: number;
  readonly maxConnectionsPerAddress: number;
  readonly maxRunningRequests: number;
  readonly maxWaitingBytes: number;
  readonly maxStallMs: number;
  readonly drainTimeoutMs: number;
  readonly tls?: TlsConfig;
}

/**
 * Schema of `maxConnectionsPerAddress`, the same on every port. The default exceeds the number of connections from the
 * devices behind one home or office address; a thousand idle WebSockets take about 20 MB of the server's memory.
 */
export const maxConnectionsPerAddress: ConfigSchema[string] = {
  doc: 'Connections at once from one address (a /64 network of IPv6), at most half of maxConnections; further ones are refused. Loopback and http.trustedProxies have no such limit',
  format: integerBetween(1, 10_000_000),
  default: 1_000,
};

const DAY_MS = 86_400_000;
const GIBIBYTE = 1_073_741_824;

/** The keys `maxWaitingBytes` and `maxStallMs`, for the section of a protocol. */
export function slowClientConfig(): ConfigSchema {
  return {
    maxWaitingBytes: {
      doc: 'Bytes that may wait for a client that reads slowly; above it its connection is closed',
      format: integerBetween(1, GIBIBYTE),
      default: 8_388_608,
    },
    maxStallMs: {
      doc: 'How long a client may take nothing of what waits for it, in milliseconds',
      format: integerBetween(10, DAY_MS),
      default: 10_000,
    },
  };
}

/**
 * The keys of `ConnectionConfig`, for the section of a protocol, which adds its own.
 * @param name of the protocol, for the documentation strings
 * @param port its default
 */
export function connectionConfig(name: string, port: number): ConfigSchema {
  return {
    listen: {
      doc: `Opens a port; false switches ${name} off, unless it is mounted in another application (kernel.mount)`,
      format: Boolean,
      default: true,
    },
    host: {
      doc: `Address that ${name} listens on`,
      format: nonEmptyText,
      default: '127.0.0.1',
    },
    port: {
      doc: `Port that ${name} listens on; 0 picks a free one`,
      format: 'port',
      default: port,
    },
    maxMessageBytes: {
      doc: 'Largest message of a client, in bytes; above it 413 and the end of the connection',
      format: integerBetween(1, GIBIBYTE / 4),
      default: 1_048_576,
    },
    maxConnections: {
      doc: 'Connections at once; further ones take the place of idle ones, or are refused',
      format: integerBetween(1, 10_000_000),
      default: 50_000,
    },
    maxConnectionsPerAddress,
    maxRunningRequests: {
      doc: 'Requests of one connection that run at once; further ones wait until one is answered',
      format: integerBetween(1, 100_000),
      default: 100,
    },
    ...slowClientConfig(),
    drainTimeoutMs: {
      doc: 'How long a stop waits for running requests, in milliseconds',
      format: integerBetween(0, DAY_MS),
      default: 1_500,
    },
    ...tlsConfig(),
  };
}
