/** The values of section `storage.elasticsearch`, validated by the `server` package. */
export interface ElasticsearchConfig {
  /** `http://host:9200`; a comma-separated list names nodes of one cluster. */
  readonly node: string;
  readonly username: string;
  readonly password: string;
  /** Replaces user name and password if set. */
  readonly apiKey: string;
  /** PEM text of the certificate authority that signed Elasticsearch's certificate. */
  readonly tlsCa: string;
  /** False: any certificate is accepted, so that a man in the middle can read and change everything. */
  readonly tlsRejectUnauthorized: boolean;
  /** Prefix of the name of every alias and index in Elasticsearch. */
  readonly prefix: string;
  /** Number of shards of new collections. */
  readonly shards: number;
  readonly replicas: number;
  /** Time until searches see a write that did not ask for a refresh, in milliseconds. */
  readonly refreshIntervalMs: number;
  /** Longest wait for a response, in milliseconds; searches have a separate limit. */
  readonly requestTimeoutMs: number;
  /** Time limit of a costly search, in milliseconds. */
  readonly costlySearchTimeoutMs: number;
  /** Number of costly searches that may run at the same time. */
  readonly costlySearchConcurrency: number;
  /** How long a request is retried while Elasticsearch is unreachable, in milliseconds. */
  readonly retryMs: number;
  /** How long the start waits for Elasticsearch, in milliseconds. */
  readonly startTimeoutMs: number;
  /** Size limit of one bulk request, in bytes. */
  readonly bulkMaxBytes: number;
  readonly bulkMaxOperations: number;
  /** Concurrent bulk requests of one write call. */
  readonly bulkConcurrency: number;
}
