import { failure, SYNTAX_ERROR } from '../embedded/failure.js';
import { formatDouble } from '../embedded/formatDouble.js';
import type { Keyspace } from '../embedded/Keyspace.js';
import type { Reply } from '../embedded/Reply.js';
import { SortedSet, withoutSign } from '../embedded/values/SortedSet.js';
import { floatAt, wordAt } from '../embedded/words.js';
import type { Steps } from '../steps/Steps.js';

const PAIRS_PER_STEP = 128;
const FLAGS: ReadonlySet<string> = new Set(['NX', 'XX', 'GT', 'LT', 'CH', 'INCR']);

/** ZADD with all its flags. */
export function* addScored(db: Keyspace, args: readonly string[]): Steps<Reply> {
  const key = wordAt(args, 0);
  const flags = new Set<string>();
  let at = 1;
  for (; FLAGS.has(wordAt(args, at).toUpperCase()); at++) flags.add(wordAt(args, at).toUpperCase());
  const pairs = readPairs(args, at, flags);
  const known = db.changing(key, SortedSet);
  if (known === undefined && flags.has('XX')) return flags.has('INCR') ? null : 0;
  const set = known ?? db.changingOrNew(key, SortedSet);
  let [added, updated, isRefused, score] = [0, 0, false, 0];
  for (const [at, [given, member]] of pairs.entries()) {
    if (at % PAIRS_PER_STEP === PAIRS_PER_STEP - 1) yield;
    const outcome = addOne(set, member, given, flags);
    added += outcome.isAdded ? 1 : 0;
    updated += outcome.isUpdated ? 1 : 0;
    isRefused = outcome.isRefused;
    score = outcome.score;
  }
  if (added + updated > 0 || known === undefined) db.changed(key);
  if (!flags.has('INCR')) return flags.has('CH') ? added + updated : added;
  if (isRefused) return null;
  if (added + updated > 0) db.effects = [['ZADD', key, formatDouble(score), pairs[0]?.[1] ?? '']];
  return formatDouble(score);
}

function readPairs(args: readonly string[], from: number, flags: ReadonlySet<string>) {
  const count = args.length - from;
  if (count === 0 || count % 2 === 1) throw failure(SYNTAX_ERROR);
  if (flags.has('NX') && flags.has('XX')) throw failure('ERR XX and NX options at the same time are not compatible');
  const compared = Number(flags.has('GT')) + Number(flags.has('LT')) + Number(flags.has('NX'));
  if (compared > 1) throw failure('ERR GT, LT, and/or NX options at the same time are not compatible');
  if (flags.has('INCR') && count > 2) throw failure('ERR INCR option supports a single increment-element pair');
  const pairs: [number, string][] = [];
  for (let at = from; at < args.length; at += 2) pairs.push([floatAt(args, at), wordAt(args, at + 1)]);
  return pairs;
}

function addOne(set: SortedSet, member: string, given: number, flags: ReadonlySet<string>) {
  const old = set.scoreOf(member);
  const refused = { isAdded: false, isUpdated: false, isRefused: true, score: old ?? 0 };
  if (old === undefined) {
    if (flags.has('XX')) return refused;
    set.set(member, withoutSign(given));
    return { isAdded: true, isUpdated: false, isRefused: false, score: given };
  }
  if (flags.has('NX')) return refused;
  const score = flags.has('INCR') ? old + given : given;
  if (Number.isNaN(score)) throw failure('ERR resulting score is not a number (NaN)');
  if ((flags.has('GT') && score <= old) || (flags.has('LT') && score >= old)) return refused;
  set.set(member, withoutSign(score));
  return { isAdded: false, isUpdated: score !== old, isRefused: false, score };
}
