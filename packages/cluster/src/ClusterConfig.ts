/** The values of section `cluster`, as checked by the server. */
export interface ClusterConfig {
  readonly enabled: boolean;
  readonly redis: {
    /** `redis[s]://[user[:password]@]host[:port][/database]` */
    readonly url: string;
    /** Begins every key of the cluster there; empty: the name of the server. */
    readonly prefix: string;
    readonly connectTimeoutMs: number;
    /** A Redis that is silent for so long counts as away. */
    readonly silenceTimeoutMs: number;
  };
  /** Nodes tell of themselves this often. */
  readonly heartbeatMs: number;
  /** What is kept in memory is trusted for so long after the last heartbeat that went round. */
  readonly leaseMs: number;
  /** A node that is silent for so long is declared dead. */
  readonly deadAfterMs: number;
  /** A write waits for Redis no longer than this. */
  readonly confirmTimeoutMs: number;
  /** Bytes that wait for Redis on this node; beyond, they are dropped and the loss is told. */
  readonly maxQueuedBytes: number;
  /** What the stream in Redis holds, approximately. */
  readonly maxStreamBytes: number;
  /** Entries that the stream in Redis holds at most. */
  readonly maxStreamEntries: number;
}
