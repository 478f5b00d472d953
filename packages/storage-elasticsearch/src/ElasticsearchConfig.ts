/** The values of section `storage.elasticsearch`, as checked by the server. */
export interface ElasticsearchConfig {
  /** `http://host:9200`; several, joined by commas, are nodes of one cluster. */
  readonly node: string;
  readonly username: string;
  readonly password: string;
  /** Used instead of user name and password where given. */
  readonly apiKey: string;
  /** PEM text of the authority that signed the server's certificate. */
  readonly tlsCa: string;
  /** False: any certificate is taken, so that whoever is between can read and change everything. */
  readonly tlsRejectUnauthorized: boolean;
  /** First part of the name of everything on the server. */
  readonly prefix: string;
  /** Of new collections. */
  readonly shards: number;
  readonly replicas: number;
  /** How soon searches see a write that did not ask for it, in milliseconds. */
  readonly refreshIntervalMs: number;
  /** Longest wait for an answer other than a search's. */
  readonly requestTimeoutMs: number;
  /** Longest a search may take that asks for more than ordinary ones do. */
  readonly costlySearchTimeoutMs: number;
  /** How many of those run at a time. */
  readonly costlySearchConcurrency: number;
  /** How long a request is tried again while the server can't be reached. */
  readonly retryMs: number;
  /** How long the start waits for the server. */
  readonly startTimeoutMs: number;
  /** Bounds of one bulk request. */
  readonly bulkMaxBytes: number;
  readonly bulkMaxOperations: number;
  /** Bulk requests at a time of one write. */
  readonly bulkConcurrency: number;
}
