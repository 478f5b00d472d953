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
