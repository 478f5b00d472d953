import { failure, NOT_AN_INTEGER } from '../keyspace/failure.js';
import type { Keyspace } from '../keyspace/Keyspace.js';
import type { Reply } from '../keyspace/Reply.js';
import { asBigInteger, wordAt } from '../keyspace/words.js';
import { inBody, top } from './argumentsAt.js';
import { family, FREES, reads, writes } from './Command.js';

const key = top.key();
const expiryFlags = ['nx', 'xx', 'gt', 'lt'].map((flag) => inBody.flag(flag));
const expiry = (unit: string) => [key, inBody.integer(unit), ...expiryFlags];
const MAX_MS = 2n ** 63n - 1n;

/** The form of an expiry: in seconds or milliseconds, relative to now or as a time. */
interface ExpiryForm {
  readonly unitMs: bigint;
  readonly isAbsolute: boolean;
}

/** The forms by the name of their option. */
export const EXPIRY_FORMS: Readonly<Record<string, ExpiryForm>> = {
  EX: { unitMs: 1000n, isAbsolute: false },
  PX: { unitMs: 1n, isAbsolute: false },
  EXAT: { unitMs: 1000n, isAbsolute: true },
  PXAT: { unitMs: 1n, isAbsolute: true },
};

const expire = (command: string, option: string) => (db: Keyspace, args: readonly string[]) =>
  setExpiry(db, args, EXPIRY_FORMS[option] as ExpiryForm, command);

/** Commands on the expiry of keys. */
export const expiries = family({
  expire: writes('Sets the life of a key in seconds.', expiry('seconds'), 'bit', FREES, expire('expire', 'EX')),
  expireat: writes(
    'Sets the expiry of a key as a timestamp in seconds.',
    expiry('timestamp'),
    'bit',
    FREES,
    expire('expireat', 'EXAT'),
  ),
  expiretime: reads('Returns the expiry of a key as a timestamp in seconds.', [key], 'integer', (db, args) =>
    timeOf(db, args, 1000),
  ),
  persist: writes('Removes the expiry of a key.', [key], 'bit', FREES, (db, args) => {
    const entry = db.find(wordAt(args, 0));
    if (entry === undefined || entry.expiresAtMs === 0) return 0;
    db.setExpiry(entry, 0);
    return 1;
  }),
  pexpire: writes(
    'Sets the life of a key in milliseconds.',
    expiry('milliseconds'),
    'bit',
    FREES,
    expire('pexpire', 'PX'),
  ),
  pexpireat: writes(
    'Sets the expiry of a key as a timestamp in milliseconds.',
    expiry('timestamp'),
    'bit',
    FREES,
    expire('pexpireat', 'PXAT'),
  ),
  pexpiretime: reads('Returns the expiry of a key as a timestamp in milliseconds.', [key], 'integer', (db, args) =>
    timeOf(db, args, 1),
  ),
  pttl: reads('Returns the remaining life of a key in milliseconds.', [key], 'integer', (db, args) =>
    timeLeft(db, args, 1),
  ),
  ttl: reads('Returns the remaining life of a key in seconds.', [key], 'integer', (db, args) =>
    timeLeft(db, args, 1000),
  ),
});

function timeLeft(db: Keyspace, args: readonly string[], unitMs: number): Reply {
  const entry = db.find(wordAt(args, 0));
  if (entry === undefined) return -2;
  if (entry.expiresAtMs === 0) return -1;
  const leftMs = Math.max(0, entry.expiresAtMs - db.nowMs);
  return unitMs === 1 ? leftMs : Math.floor((leftMs + unitMs / 2) / unitMs);
}

function timeOf(db: Keyspace, args: readonly string[], unitMs: number): Reply {
  const entry = db.find(wordAt(args, 0));
  if (entry === undefined) return -2;
  if (entry.expiresAtMs === 0) return -1;
  return unitMs === 1 ? entry.expiresAtMs : Math.floor((entry.expiresAtMs + unitMs / 2) / unitMs);
}

function setExpiry(db: Keyspace, args: readonly string[], form: ExpiryForm, command: string): Reply {
  const flags = new Set(args.slice(2).map((flag) => flag.toUpperCase()));
  for (const flag of flags)
    if (!['NX', 'XX', 'GT', 'LT'].includes(flag)) throw failure(`ERR Unsupported option ${flag}`);
  if (flags.has('NX') && flags.size > 1)
    throw failure('ERR NX and XX, GT or LT options at the same time are not compatible');
  if (flags.has('GT') && flags.has('LT')) throw failure('ERR GT and LT options at the same time are not compatible');
  const key = wordAt(args, 0);
  const atMs = expiryTime(args, 1, form, { nowMs: db.nowMs, command });
  const entry = db.find(key);
  if (entry === undefined) return 0;
  const present = entry.expiresAtMs === 0 ? Infinity : entry.expiresAtMs;
  const isExpiring = entry.expiresAtMs !== 0;
  if (flags.has('NX') && isExpiring) return 0;
  if (flags.has('XX') && !isExpiring) return 0;
  if (flags.has('GT') && (!isExpiring || atMs <= present)) return 0;
  if (flags.has('LT') && atMs >= present) return 0;
  if (atMs <= db.nowMs && !db.isLoading) {
    db.delete(key);
    db.effects = [['DEL', key]];
  } else {
    db.setExpiry(entry, Math.max(1, atMs));
    db.effects = [['PEXPIREAT', key, String(atMs)]];
  }
  return 1;
}

/**
 * Converts an expiry to UTC milliseconds.
 * @param command the name in the message if the time is out of range
 * @param minimum smallest allowed value
 */
export function expiryTime(
  words: readonly string[],
  at: number,
  form: ExpiryForm,
  { nowMs, command, minimum }: { readonly nowMs: number; readonly command: string; readonly minimum?: bigint },
): number {
  const given = asBigInteger(wordAt(words, at));
  if (given === undefined) throw failure(NOT_AN_INTEGER);
  const ms = given * form.unitMs;
  const atMs = form.isAbsolute ? ms : ms + BigInt(nowMs);
  const isOut = ms > MAX_MS || ms < -MAX_MS || atMs > MAX_MS || atMs < -MAX_MS;
  if (isOut || (minimum !== undefined && given < minimum))
    throw failure(`ERR invalid expire time in '${command}' command`);
  return Number(atMs);
}
