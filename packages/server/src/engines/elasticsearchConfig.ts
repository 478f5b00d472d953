import { X509Certificate } from 'node:crypto';
import { type ConfigSchema, integerBetween } from '@millrace/kernel';

function isAddress(text: string): boolean {
  try {
    const { protocol, username, password } = new URL(text.trim());
    decodeURIComponent(username + password);
    return /^https?:$/.test(protocol);
  } catch {
    return false;
  }
}

function nodeAddresses(value: unknown): void {
  const addresses = typeof value === 'string' ? value.split(',') : [undefined];
  if (value !== '' && !addresses.every((each) => each !== undefined && isAddress(each))) {
    throw new Error('must be an address such as http://127.0.0.1:9200, or several joined by commas');
  }
}

function certificates(value: unknown): void {
  try {
    if (value !== '') new X509Certificate(String(value));
  } catch {
    throw new Error('must be PEM text that begins with -----BEGIN CERTIFICATE-----');
  }
}

function namePrefix(value: unknown): void {
  if (typeof value !== 'string' || !/^[a-z][a-z0-9-]{0,31}$/.test(value)) {
    throw new Error('must be 1 to 32 lower-case letters, digits and "-", beginning with a letter');
  }
}

/** Configuration keys of section `storage.elasticsearch`. */
export const elasticsearchConfig: ConfigSchema = {
  node: {
    doc: 'Address of Elasticsearch 8 or 9, or several joined by commas; used by the engine "elasticsearch"',
    format: nodeAddresses,
    default: '',
    // May contain a password.
    sensitive: true,
  },
  username: { doc: 'User name at Elasticsearch', format: String, default: '' },
  password: { doc: 'Password at Elasticsearch', format: String, default: '', sensitive: true },
  apiKey: {
    doc: 'API key at Elasticsearch, instead of user name and password',
    format: String,
    default: '',
    sensitive: true,
  },
  tlsCa: {
    doc: 'PEM text of the certificate authority of Elasticsearch',
    format: certificates,
    default: '',
  },
  tlsRejectUnauthorized: {
    doc: 'Whether a certificate of Elasticsearch that is not trusted is refused; false only for trying out',
    format: Boolean,
    default: true,
  },
  prefix: {
    doc: 'First part of the names of all server indexes; installations on one cluster need different ones',
    format: namePrefix,
    default: 'millrace',
  },
  shards: { doc: 'Shards of a new collection', format: integerBetween(1, 1024), default: 1 },
  replicas: {
    doc: 'Further copies of each shard of a new collection; 0: one copy of each document, on one data node',
    format: integerBetween(0, 100),
    default: 0,
  },
  refreshIntervalMs: {
    doc: 'How soon searches see a write that did not ask for it, in milliseconds',
    format: integerBetween(10, 3_600_000),
    default: 1_000,
  },
  requestTimeoutMs: {
    doc: 'Longest wait for an answer of Elasticsearch other than to a search, in milliseconds',
    format: integerBetween(100, 600_000),
    default: 8_000,
  },
  costlySearchTimeoutMs: {
    doc: 'Longest a search may take that could make more work than ordinary ones (many patterns, buckets in buckets), in milliseconds; then 400',
    format: integerBetween(100, 30_000),
    default: 800,
  },
  costlySearchConcurrency: {
    doc: 'How many of those searches run at a time; others wait, within the same time',
    format: integerBetween(1, 1_000),
    default: 2,
  },
  retryMs: {
    doc: 'How long a request is tried again while Elasticsearch is busy or away, in milliseconds',
    format: integerBetween(0, 60_000),
    default: 2_000,
  },
  startTimeoutMs: {
    doc: 'How long the start waits for Elasticsearch, in milliseconds',
    format: integerBetween(100, 3_600_000),
    default: 15_000,
  },
  bulkMaxBytes: {
    doc: 'Largest bulk request to Elasticsearch, in bytes (one document may be larger)',
    format: integerBetween(1_024, 100_000_000),
    default: 4_000_000,
  },
  bulkMaxOperations: {
    doc: 'Operations in one bulk request to Elasticsearch',
    format: integerBetween(1, 100_000),
    default: 1_000,
  },
  bulkConcurrency: {
    doc: 'Bulk requests at a time of one write',
    format: integerBetween(1, 64),
    default: 4,
  },
};
