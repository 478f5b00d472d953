import { coreErrors, type ConfigSchema, integerBetween, nonEmptyText, positiveInteger } from '@millrace/kernel';
import { pluginEntries } from './plugins/PluginEntry.js';

// Names reserved by socket.io, where the service name is an event (PROTO-56).
const RESERVED_EVENTS = ['connect', 'connect_error', 'disconnect', 'disconnecting', 'newlistener', 'removelistener'];

function serviceName(value: unknown): void {
  const isName = typeof value === 'string' && /^[a-z][a-z0-9-]{0,31}$/.test(value);
  if (!isName || RESERVED_EVENTS.includes(value)) {
    throw new Error(
      'must be 1 to 32 lower-case letters, digits and "-", beginning with a letter, and no reserved event name',
    );
  }
}

function internalIndexName(value: unknown): void {
  if (value !== '' && (typeof value !== 'string' || !/^%[a-z0-9-]{1,63}$/.test(value))) {
    throw new Error('must be "%" and 1 to 63 lower-case letters, digits and "-"');
  }
}

const host = (doc: string) => ({ doc, format: nonEmptyText, default: '127.0.0.1' });
const port = (doc: string, number: number) => ({ doc, format: 'port', default: number });

/**
 * Keys of the server itself, and keys of parts that aren't built in but that existing scripts may set: accepted if
 * they change nothing, refused otherwise.
 */
export const serverConfig: ConfigSchema = {
  plugins: {
    doc: 'Plugins in addition to those of the command: names of installed packages, and paths such as "./doors.js"; with options as {"plugin": "…", "options": {…}} in a file',
    format: pluginEntries,
    default: [],
  },
  functions: {
    doc: 'Folder with server functions, next to the configuration file; it may be absent; empty: none is looked for',
    format: String,
    default: 'functions',
  },
  server: {
    name: {
      doc: 'Service name: key of server.info, fallback event, MQTT topic',
      format: serviceName,
      default: 'millrace',
    },
    internalIndex: {
      doc: 'Name of the internal index; empty: "%" and the service name',
      format: internalIndexName,
      default: '',
    },
    dataDir: {
      doc: 'Folder for everything the embedded engines keep',
      format: nonEmptyText,
      default: './data',
    },
    exposeStack: {
      doc: 'Adds stacks to error answers (development)',
      format: Boolean,
      default: false,
    },
    publicInfo: {
      doc: 'Shows processor, memory and plugins in server.info to anonymous callers',
      format: Boolean,
      default: false,
    },
    maxRunningRequests: { doc: 'Requests that run at once', format: positiveInteger, default: 100 },
    maxWaitingRequests: {
      doc: 'Requests that wait for their turn; past these 503',
      format: 'nat',
      default: 50_000,
    },
    maxBytesInFlight: {
      doc: 'Bytes of bodies, parsed requests and unread answers held at once, shared fairly by address; past these 503; 0: 256 MiB, at most an eighth of the heap limit',
      format: 'nat',
      default: 0,
    },
    pluginTimeoutMs: {
      doc: 'Time limit of a hook or pipe, in milliseconds',
      format: 'nat',
      default: 5_000,
    },
    startTimeoutMs: {
      doc: 'Time limit of each component to start, in milliseconds',
      format: 'nat',
      default: 30_000,
    },
    stopTimeoutMs: {
      doc: 'Time limit of each component to stop, in milliseconds; all together have 1.6 times as long',
      format: 'nat',
      default: 5_000,
    },
  },
  log: {
    level: {
      doc: 'Least severe level written to standard error',
      format: ['debug', 'info', 'warn', 'error', 'silent'],
      default: 'info',
    },
    format: {
      doc: 'Form of the log: "json", "text" for people, or "auto": text where standard error is a terminal',
      format: ['auto', 'json', 'text'],
      default: 'auto',
    },
    requests: {
      doc: 'Writes a line of level "info" for every request of a client, over all protocols',
      format: Boolean,
      default: false,
    },
  },
  idempotency: {
    maxBytes: {
      doc: 'Bytes of answers kept for idempotency keys by each node, shared fairly by user; past these 429',
      format: integerBetween(1_048_576, Number.MAX_SAFE_INTEGER),
      default: 268_435_456,
    },
  },
  statistics: {
    intervalMs: {
      doc: 'Length of a statistics frame, in milliseconds',
      format: positiveInteger,
      default: 10_000,
    },
    retentionMs: {
      doc: 'How long frames are kept, in milliseconds',
      format: 'nat',
      default: 3_600_000,
    },
  },
  storage: {
    engine: {
      doc: 'Storage engine: "sqlite", "elasticsearch", or one that a plugin brings',
      format: nonEmptyText,
      default: 'sqlite',
    },
  },
  memoryStore: {
    engine: {
      doc: 'Memory-store engine: "embedded", "redis", or one that a plugin brings',
      format: nonEmptyText,
      default: 'embedded',
    },
  },
  security: {
    allowOpenOnNetwork: {
      doc: 'Lets a server that is open, as before its first administrator exists, listen on other addresses than loopback: everyone who reaches it may do everything',
      format: Boolean,
      default: false,
    },
  },
  websocket: {
    host: host('Address of the WebSocket plugin; without effect until that is installed'),
    port: port('Port of the WebSocket plugin', 7513),
  },
  fallback: {
    host: host('Address of the fallback plugin; without effect until that is installed'),
    port: port('Port of the fallback plugin', 7512),
  },
  mqtt: {
    host: host('Address of the MQTT plugin; without effect until that is installed'),
    port: port('Port of the MQTT plugin', 1883),
  },
};

/** The `server` section of the configuration. */
export interface ServerConfig {
  readonly name: string;
  /** Empty: `%` followed by the name. */
  readonly internalIndex: string;
  readonly dataDir: string;
  readonly exposeStack: boolean;
  readonly publicInfo: boolean;
  readonly maxRunningRequests: number;
  readonly maxWaitingRequests: number;
  /** In bytes; 0: 256 MiB, at most an eighth of the heap limit. */
  readonly maxBytesInFlight: number;
  readonly pluginTimeoutMs: number;
  readonly startTimeoutMs: number;
  readonly stopTimeoutMs: number;
}

/** The name of the internal index. */
export function internalIndexOf({ internalIndex, name }: ServerConfig): string {
  return internalIndex === '' ? `%${name}` : internalIndex;
}

/** The error of a value that only the server as a whole can refuse: core.invalid_config with the key and the problem. */
export function invalidValue(key: string, problem: string): Error {
  return coreErrors.invalid_config({ problem: `Invalid configuration ${key}: ${problem}` });
}
