import { addDecimals } from '../keyspace/addDecimals.js';
import { failure, NOT_A_FLOAT, NOT_AN_INTEGER, OVERFLOW } from '../keyspace/failure.js';
import type { Keyspace } from '../keyspace/Keyspace.js';
import type { Reply } from '../keyspace/Reply.js';
import { asBigInteger, asFloat, toReply, wordAt } from '../keyspace/words.js';
import { inBody, top } from './argumentsAt.js';
import { family, writes } from './Command.js';
import { shownFloat } from './replyShapes.js';

const MAX_INTEGER = 2n ** 63n - 1n;
const MIN_INTEGER = -(2n ** 63n);
const key = top.key();

/** Commands on numbers in strings. */
export const counters = family({
  decr: writes('Subtracts 1 from an integer.', [key], 'integer', (db, args) => increment(db, wordAt(args, 0), -1n)),
  decrby: writes('Subtracts a number from an integer.', [key, inBody.integer('value')], 'integer', (db, args) => {
    const amount = bigAt(args, 1);
    if (amount === MIN_INTEGER) throw failure('ERR decrement would overflow');
    return increment(db, wordAt(args, 0), -amount);
  }),
  incr: writes('Adds 1 to an integer.', [key], 'integer', (db, args) => increment(db, wordAt(args, 0), 1n)),
  incrby: writes('Adds a number to an integer.', [key, inBody.integer('value')], 'integer', (db, args) =>
    increment(db, wordAt(args, 0), bigAt(args, 1)),
  ),
  incrbyfloat: writes(
    'Adds a fraction to a number.',
    [key, inBody.decimal('value')],
    'text',
    { shape: shownFloat },
    (db, args) => {
      const key = wordAt(args, 0);
      const sum = addFloats(db.string(key) ?? '0', wordAt(args, 1), NOT_A_FLOAT);
      db.set(key, sum, true);
      db.effects = [['SET', key, sum, 'KEEPTTL']];
      return sum;
    },
  ),
});

/** The sum of two decimal strings. @throws the given message, or Redis's for an infinite number */
export function addFloats(current: string, amount: string, message: string): string {
  for (const [word, refusal] of [
    [current, message],
    [amount, NOT_A_FLOAT],
  ] as const) {
    const number = asFloat(word);
    if (number === undefined) throw failure(refusal);
    if (!Number.isFinite(number)) throw failure('ERR increment would produce NaN or Infinity');
  }
  return addDecimals(current, amount);
}

/** The sum of two 64-bit integers. @throws on overflow */
export function addIntegers(current: bigint, amount: bigint): bigint {
  const sum = current + amount;
  if (sum > MAX_INTEGER || sum < MIN_INTEGER) throw failure(OVERFLOW);
  return sum;
}

function bigAt(args: readonly string[], at: number): bigint {
  const number = asBigInteger(wordAt(args, at));
  if (number === undefined) throw failure(NOT_AN_INTEGER);
  return number;
}

function increment(db: Keyspace, key: string, amount: bigint): Reply {
  const current = asBigInteger(db.string(key) ?? '0');
  if (current === undefined) throw failure(NOT_AN_INTEGER);
  const sum = addIntegers(current, amount);
  db.set(key, String(sum), true);
  return toReply(sum);
}
