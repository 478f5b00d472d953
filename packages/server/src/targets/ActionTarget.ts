import type { JsonObject, JsonValue, StorageEngine } from '@millrace/kernel';

/** What a command calls actions of: a running server, or the data of a stopped one. */
export interface ActionTarget {
  /** Differs between targets. */
  readonly name: string;
  /**
   * @returns the result; the whole answer of an action without an envelope
   * @throws ActionError with the id of the server's error
   */
  execute(controller: string, action: string, fields?: JsonObject): Promise<JsonValue>;
  close(): Promise<void>;
}

/** The data of a stopped server. */
export interface OfflineTarget extends ActionTarget {
  readonly internalIndex: string;
  readonly storage: StorageEngine;
}

/** Whether commands work with the data of a stopped server. */
export function isOffline(target: ActionTarget): target is OfflineTarget {
  return 'storage' in target;
}
