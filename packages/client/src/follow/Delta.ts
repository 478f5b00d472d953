import type { WireHit } from '../collection/Document.js';

/** A change of the result of a followed search (FOLLOW-5). */
export interface Delta {
  readonly base: string;
  readonly cursor: string;
  readonly changes: readonly HitChange[];
  readonly total?: number;
  readonly aggregations?: readonly PatchOperation[];
  readonly check: string;
}

/** A step of a delta. */
export interface HitChange {
  readonly op: 'remove' | 'insert' | 'move' | 'update';
  readonly id?: string;
  readonly at?: number;
  readonly hit?: WireHit;
}

/** An operation of JSON Patch. */
export interface PatchOperation {
  readonly op: 'add' | 'replace' | 'remove';
  readonly path: string;
  readonly value?: unknown;
}

/** A result as the server knows it. */
export interface WireResult {
  readonly cursor: string;
  readonly hits: readonly WireHit[];
  readonly total: number;
  readonly aggregations?: unknown;
}
