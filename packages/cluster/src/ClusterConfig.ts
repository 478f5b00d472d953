/** The values of section `cluster`, as validated by the server. */
export interface ClusterConfig {
  readonly enabled: boolean;
  readonly redis: {
    /** `redis[s]://[user[:password]@]host[:port][/database]` */
    readonly url: string;
    /** Prefix of every key of the cluster in Redis; empty: the name of the server. */
    readonly prefix: string;
    readonly connectTimeoutMs: number;
    /** A Redis connection that is silent for this long is considered lost. */
    readonly silenceTimeoutMs: number;
  };
  /** Interval of heartbeats. */
  readonly heartbeatMs: number;
  /** How long cached state is trusted after the last heartbeat the node read back. */
  readonly leaseMs: number;
  /** A node that is silent for this long is declared dead. */
  readonly deadAfterMs: number;
  /** Longest time that a write waits for Redis. */
  readonly confirmTimeoutMs: number;
  /** Maximum of bytes queued for Redis on this node; above it the queue is dropped and the loss reported. */
  readonly maxQueuedBytes: number;
  /** Approximate size of the stream in Redis. */
  readonly maxStreamBytes: number;
  /** Maximum of entries in the stream. */
  readonly maxStreamEntries: number;
}
