import { failure, SYNTAX_ERROR } from '../embedded/failure.js';
import type { Keyspace } from '../embedded/Keyspace.js';
import type { Reply } from '../embedded/Reply.js';
import { ListValue } from '../embedded/values/ListValue.js';
import { countAt, integerAt, wordAt } from '../embedded/words.js';
import { ELEMENTS_PER_STEP, type Steps } from '../steps/Steps.js';
import { assertElements } from './limits.js';

/** LPOS: the positions of an element, from either end. */
export function* findPositions(db: Keyspace, args: readonly string[]): Steps<Reply> {
  const element = wordAt(args, 1);
  const { rank, count, maxLength } = readOptions(args);
  const list = db.collection(wordAt(args, 0), ListValue);
  if (list === undefined) return count === undefined ? null : [];
  const found: number[] = [];
  const wanted = count === undefined ? 1 : count === 0 ? Infinity : count;
  let toSkip = Math.abs(rank) - 1;
  const steps = maxLength === 0 ? list.size : Math.min(maxLength, list.size);
  assertElements(steps);
  for (let step = 0; step < steps && found.length < wanted; step++) {
    if (step % ELEMENTS_PER_STEP === 0) yield;
    const at = rank > 0 ? step : list.size - 1 - step;
    if (list.at(at) !== element) continue;
    if (toSkip-- <= 0) found.push(at);
  }
  return count === undefined ? (found[0] ?? null) : found;
}

function readOptions(args: readonly string[]) {
  let [rank, maxLength]: [number, number] = [1, 0];
  let count: number | undefined;
  for (let at = 2; at < args.length; at += 2) {
    switch (wordAt(args, at).toUpperCase()) {
      case 'RANK':
        rank = integerAt(args, at + 1);
        if (rank === 0)
          throw failure(
            "ERR RANK can't be zero: use 1 to start from the first match, 2 from the second ... or use negative to start from the end of the list",
          );
        break;
      case 'COUNT':
        count = countAt(args, at + 1, "ERR COUNT can't be negative");
        break;
      case 'MAXLEN':
        maxLength = countAt(args, at + 1, "ERR MAXLEN can't be negative");
        break;
      default:
        throw failure(SYNTAX_ERROR);
    }
  }
  return { rank, count, maxLength };
}
