/** The values of section `memoryStore.redis`, as checked by the server. */
export interface RedisMemoryStoreConfig {
  /** `redis[s]://[user[:password]@]host[:port][/database]`; a database in it wins. */
  readonly url: string;
  /** Logical database of the memory store. */
  readonly database: number;
  readonly connectTimeoutMs: number;
  /** A server that is silent for so long counts as away. */
  readonly silenceTimeoutMs: number;
}
