import { addressRanges, hostNames, integerBetween, nonEmptyText, type ConfigSchema } from '@millrace/kernel';
import { maxConnectionsPerAddress, originConfig, tlsConfig, type TlsConfig } from '@millrace/plugin-kit';
import { parseByteSize } from './request/parseByteSize.js';

/** The values of section `http`, as checked by `httpConfig`. */
export interface HttpConfig {
  readonly listen: boolean;
  readonly host: string;
  /** 0 selects a free port. */
  readonly port: number;
  /** Bytes, or a string such as `512kb` or `1mb`. */
  readonly maxBodySize: number | string;
  readonly cors: {
    /** `*`, one origin, or several as a list or separated by commas; empty disables CORS. */
    readonly origin: string | readonly string[];
  };
  /** Names without a port, as a list or separated by commas. */
  readonly allowedHosts: string | readonly string[];
  /** Addresses and CIDR ranges, as a list or separated by commas. */
  readonly trustedProxies: string | readonly string[];
  readonly maxConnections: number;
  readonly maxConnectionsPerAddress: number;
  readonly headersTimeoutMs: number;
  readonly requestTimeoutMs: number;
  readonly sendTimeoutMs: number;
  readonly keepAliveTimeoutMs: number;
  /** Bytes. */
  readonly maxHeaderSize: number;
  readonly drainTimeoutMs: number;
  readonly tls?: TlsConfig;
}

function byteSize(value: unknown): void {
  if (parseByteSize(value) === undefined) {
    throw new Error('must be a number of bytes of at least 1, or a string such as "512kb" or "1mb"');
  }
}

const DAY_MS = 86_400_000;

/** Configuration keys of section `http`. */
export const httpConfig: ConfigSchema = {
  listen: {
    doc: 'Opens a port; false where HTTP is only mounted in another application (kernel.mount)',
    format: Boolean,
    default: true,
  },
  host: { doc: 'Address that HTTP listens on', format: nonEmptyText, default: '127.0.0.1' },
  port: { doc: 'Port that HTTP listens on; 0 picks a free one', format: 'port', default: 7511 },
  maxBodySize: {
    doc: 'Largest request body, in bytes or as "1mb"; bulk import takes 64 MiB whatever this key says',
    format: byteSize,
    // A string: convict would cut "2mb" down to 2 if this were a number.
    default: '1mb',
  },
  ...originConfig(),
  allowedHosts: {
    doc: 'Host names under which browsers reach the server before its first administrator exists, in addition to loopback and the addresses of the machine: a list',
    format: hostNames,
    default: '',
  },
  trustedProxies: {
    doc: 'Addresses and CIDR ranges of proxies whose Forwarded or X-Forwarded-For header names the client: a list. For WebSocket and the fallback protocol too',
    format: addressRanges,
    default: '',
  },
  maxConnections: {
    doc: 'Connections at once; further ones take the place of idle ones, or are refused',
    format: integerBetween(1, 10_000_000),
    default: 10_000,
  },
  maxConnectionsPerAddress,
  headersTimeoutMs: {
    doc: 'Time for a client to send the head of a request, in milliseconds',
    format: integerBetween(1, DAY_MS),
    default: 20_000,
  },
  requestTimeoutMs: {
    doc: 'Time for a client to send a whole request, in milliseconds',
    format: integerBetween(1, DAY_MS),
    default: 60_000,
  },
  sendTimeoutMs: {
    doc: 'How long a client may take nothing of an answer that waits for it, in milliseconds',
    format: integerBetween(1, DAY_MS),
    default: 30_000,
  },
  keepAliveTimeoutMs: {
    doc: 'How long an idle connection stays open, in milliseconds',
    format: integerBetween(1, DAY_MS),
    default: 60_000,
  },
  maxHeaderSize: {
    doc: 'Largest head of a request, in bytes; it bounds the address too',
    format: integerBetween(1_024, 1_048_576),
    default: 16_384,
  },
  drainTimeoutMs: {
    doc: 'How long a stopping server waits for running requests, in milliseconds',
    format: integerBetween(0, DAY_MS),
    default: 4_000,
  },
  ...tlsConfig(),
};
