/** An item of a request with several that failed. */
export interface ItemError {
  readonly status: number;
  readonly reason: string;
  /** Absent if the item had none. */
  readonly _id?: string;
}

/** `error.details` by error id; other errors have none, or what a plugin sends. */
export interface ErrorDetails {
  /** One entry per item that failed. */
  readonly 'document.partial_failure': readonly ItemError[];
}
