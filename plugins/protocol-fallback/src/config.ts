import { type ConfigSchema, integerBetween, nonEmptyText } from '@millrace/kernel';
import { parseOrigins } from './parseOrigins.js';

/** The values of section `fallback`, as checked by `fallbackConfig`. */
export interface FallbackConfig {
  readonly listen: boolean;
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  readonly maxMessageBytes: number;
  readonly maxConnections: number;
  readonly maxRunningRequests: number;
  readonly keepAliveMs: number;
  readonly maxWaitingBytes: number;
  readonly maxStallMs: number;
  readonly drainTimeoutMs: number;
  readonly cors: {
    /** `*`, one origin, several as a list or separated by commas; empty switches CORS off. */
    readonly origin: string | readonly string[];
  };
}

const DAY_MS = 86_400_000;
const GIBIBYTE = 1_073_741_824;

function origins(value: unknown): void {
  if (parseOrigins(value) === undefined) {
    throw new Error(
      'must be "*", or origins such as "https://app.example" as a list or separated by commas',
    );
  }
}

/**
 * Configuration keys of section `fallback` (decisions.md sections 1, 3 and 8).
 * @param defaults what a program wants in place of our defaults; file, environment and flags still win
 */
export function fallbackConfig(defaults: Partial<FallbackConfig> = {}): ConfigSchema {
  return {
    listen: {
      doc: 'Opens a port; false where the fallback protocol is only mounted in another application (kernel.mount)',
      format: Boolean,
      default: defaults.listen ?? true,
    },
    host: {
      doc: 'Address that the fallback protocol listens on',
      format: nonEmptyText,
      default: defaults.host ?? '127.0.0.1',
    },
    port: {
      doc: 'Port that the fallback protocol listens on; 0 picks a free one',
      format: 'port',
      default: defaults.port ?? 7512,
    },
    maxMessageBytes: {
      doc: 'Largest message of a client, in bytes; above it 413 and the end of the connection',
      format: integerBetween(1, GIBIBYTE / 4),
      default: defaults.maxMessageBytes ?? 1_048_576,
    },
    maxConnections: {
      doc: 'Connections at once; further ones are refused',
      format: integerBetween(1, 10_000_000),
      default: defaults.maxConnections ?? 50_000,
    },
    maxRunningRequests: {
      doc: 'Requests of one connection that run at once; further ones wait for one to be answered',
      format: integerBetween(1, 100_000),
      default: defaults.maxRunningRequests ?? 100,
    },
    keepAliveMs: {
      doc: 'Interval of pings, in milliseconds; a connection silent for two of them is closed',
      format: integerBetween(10, DAY_MS),
      default: defaults.keepAliveMs ?? 30_000,
    },
    maxWaitingBytes: {
      doc: 'Bytes that may wait for a client that reads slowly; above it its connection is closed',
      format: integerBetween(1, GIBIBYTE),
      default: defaults.maxWaitingBytes ?? 8_388_608,
    },
    maxStallMs: {
      doc: 'How long a client may take nothing of what waits for it, in milliseconds',
      format: integerBetween(10, DAY_MS),
      default: defaults.maxStallMs ?? 10_000,
    },
    drainTimeoutMs: {
      doc: 'How long a stop waits for running requests, in milliseconds',
      format: integerBetween(0, DAY_MS),
      default: defaults.drainTimeoutMs ?? 1_500,
    },
    cors: {
      origin: {
        doc: 'Origins whose pages may connect by long polling: "*", or a list; empty for none. Credentials are never allowed',
        format: origins,
        default: defaults.cors?.origin ?? '*',
      },
    },
  };
}
