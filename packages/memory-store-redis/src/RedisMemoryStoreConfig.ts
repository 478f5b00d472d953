/** The values of section `memoryStore.redis`, as checked by the server. */
export interface RedisMemoryStoreConfig {
  /** `redis[s]://[user[:password]@]host[:port][/database]`; its database takes precedence. */
  readonly url: string;
  /** Logical database of the memory store. */
  readonly database: number;
  readonly connectTimeoutMs: number;
  /** Redis counts as unavailable if it is silent for this long. */
  readonly silenceTimeoutMs: number;
}
