import { createHash, timingSafeEqual } from 'node:crypto';
import type { AddressRanges, Session } from '@millrace/kernel';
import type { Policy } from '../rights/Policy.js';

/** A secret that a rotation has replaced. */
export interface ReplacedSecret {
  readonly hash: string;
  /** UTC milliseconds. */
  readonly endsAtMs: number;
}

/** An API key as stored. Immutable. */
export interface ApiKeyRecord {
  readonly id: string;
  readonly version: number;
  /** Its owner, with the owner's suid: a later user of the same `_id` is another owner. */
  readonly userId: string;
  readonly suid: string;
  readonly name: string;
  /** The rights of the owner that the key has; null: all. */
  readonly policies: readonly Policy[] | null;
  /** As sent; null: any address. */
  readonly allowedAddresses: readonly string[] | null;
  readonly createdAtMs: number;
  /** Acting user. */
  readonly createdBy: string;
  /** UTC milliseconds; null: never. */
  readonly expiresAtMs: number | null;
  /** Life at the creation, which a rotation starts again; null: endless. */
  readonly lifeMs: number | null;
  /** SHA-256 of the secret: it is random, so a slow hash would add nothing. */
  readonly hash: string;
  /** Counts the rotations. */
  readonly serial: number;
  readonly replaced: ReplacedSecret | null;
}

/** The fields of a new or changed record. */
export type ApiKeyContent = Omit<ApiKeyRecord, 'version'>;

/** A record in memory, with what is made from it once. */
export interface LoadedApiKey extends ApiKeyRecord {
  /** Null: any address. */
  readonly ranges: AddressRanges | null;
  readonly session: Session;
  /** The session of requests with the replaced secret. */
  readonly replacedSession: Session | null;
}

export function hashOfSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}

/** Compares in constant time. Both are results of `hashOfSecret`, so they have the same length. */
export function isSameHash(a: string, b: string): boolean {
  const [first, second] = [Buffer.from(a), Buffer.from(b)];
  return first.length === second.length && timingSafeEqual(first, second);
}

/** `Session.tokenId` of requests with one of the key's secrets. */
export function tokenIdOf(id: string, serial: number): string {
  return `${id}.${serial}`;
}
