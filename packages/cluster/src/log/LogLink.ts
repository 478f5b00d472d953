import type { Echoes } from './Echoes.js';

/** What the log records, and for how long. */
export interface LogHistory {
  /** Milliseconds. */
  readonly maxAgeMs: number;
  /** `subscribed`, `all`, or a list of `index/collection`. */
  readonly collections: 'subscribed' | 'all' | readonly string[];
}

/** The link, as the log uses it. */
export interface LogLink {
  readonly nodeId: string;
  readonly echoes: Echoes;
  /** The epoch of a log that no other server has. Absent: nodes share it. */
  ownEpoch?(): string;
  /** @returns the number of the message */
  send(topic: string, key: string, body: string): number;
  others(): readonly string[];
  ask(nodeId: string, topic: string, body: string): Promise<string>;
  answer(topic: string, handle: (body: string) => Promise<string>): void;
  synced(): Promise<unknown> | undefined;
}
