import type { JsonObject, JsonValue } from '@millrace/kernel';

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
