/** The engine that a move leads to. */
export type MoveGoal = 'sqlite' | 'elasticsearch';

/** What to do. */
export interface MoveRequest {
  readonly to: MoveGoal;
  /** Compared with the configured address of Elasticsearch; empty: not compared. */
  readonly node: string;
  /** Copies and compares, and doesn't switch. */
  readonly verifyOnly: boolean;
}

/** The last move, and the engine in use. */
export interface MoveState {
  /** The engine that answers. */
  readonly engine: MoveGoal;
  readonly state: 'none' | 'copying' | 'comparing' | 'switching' | 'complete' | 'failed' | 'cancelled';
  readonly to?: MoveGoal;
  readonly verifyOnly?: boolean;
  readonly startedAt?: number;
  readonly endedAt?: number;
  /** Documents copied, or compared, so far. */
  readonly documents?: number;
  readonly totalDocuments?: number;
  readonly collections?: number;
  /** Of all documents, equal in both engines; undefined before they are compared. */
  readonly checksum?: string;
  /** How long writes were held back, in milliseconds. */
  readonly heldMs?: number;
  readonly reason?: string;
}
