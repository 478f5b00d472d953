import { failure, SYNTAX_ERROR, WRONG_TYPE } from '../keyspace/failure.js';
import type { Keyspace } from '../keyspace/Keyspace.js';
import type { Reply } from '../keyspace/Reply.js';
import { integerAt, wordAt } from '../keyspace/words.js';
import type { Steps } from '../steps/Steps.js';

const CELL_BYTES = 4;
const CELLS_PER_STEP = 262_144;

interface Match {
  readonly first: readonly [number, number];
  readonly second: readonly [number, number];
}

/**
 * LCS: the longest string whose characters occur in both strings in this order. Time and space: product of the lengths.
 */
export function* longestCommonSubsequence(db: Keyspace, args: readonly string[]): Steps<Reply> {
  let [left, right] = ['', ''];
  try {
    [left, right] = [db.string(wordAt(args, 0)) ?? '', db.string(wordAt(args, 1)) ?? ''];
  } catch (error) {
    throw (error as Error).message === WRONG_TYPE
      ? failure('ERR The specified keys must contain string values')
      : error;
  }
  const options = readOptions(args);
  const width = right.length + 1;
  if ((left.length + 1) * width * CELL_BYTES > db.maxValueBytes)
    throw failure('ERR Insufficient memory, transient memory for LCS exceeds proto-max-bulk-len');
  const lengths = yield* fillTable(left, right);
  const total = lengths[left.length * width + right.length] ?? 0;
  if (options.isLength) return total;
  const { text, matches } = yield* walkBack(left, right, lengths);
  if (!options.isIndexed) return text;
  const shown = matches
    .filter(({ first }) => first[1] - first[0] + 1 >= options.minimum)
    .map(({ first, second }) => (options.withLength ? [first, second, first[1] - first[0] + 1] : [first, second]));
  return ['matches', shown, 'len', total];
}

function readOptions(args: readonly string[]) {
  let [isLength, isIndexed, withLength, minimum] = [false, false, false, 0];
  for (let at = 2; at < args.length; at++) {
    const option = wordAt(args, at).toUpperCase();
    if (option === 'LEN') isLength = true;
    else if (option === 'IDX') isIndexed = true;
    else if (option === 'WITHMATCHLEN') withLength = true;
    else if (option === 'MINMATCHLEN') minimum = Math.max(0, integerAt(args, ++at));
    else throw failure(SYNTAX_ERROR);
  }
  if (isLength && isIndexed) throw failure('ERR If you want both the length and indexes, please just use IDX.');
  return { isLength, isIndexed, withLength, minimum };
}

/** Computes the length for each pair of prefixes, row by row. */
function* fillTable(left: string, right: string): Steps<Uint32Array> {
  const width = right.length + 1;
  const lengths = new Uint32Array((left.length + 1) * width);
  let cells = 0;
  for (let i = 1; i <= left.length; i++) {
    const code = left.charCodeAt(i - 1);
    for (let from = 1; from <= right.length; from += CELLS_PER_STEP) {
      const end = Math.min(right.length, from + CELLS_PER_STEP - 1);
      for (let j = from; j <= end; j++) {
        const at = i * width + j;
        lengths[at] =
          code === right.charCodeAt(j - 1)
            ? (lengths[at - width - 1] as number) + 1
            : Math.max(lengths[at - 1] as number, lengths[at - width] as number);
      }
      cells += end - from + 1;
      if (cells < CELLS_PER_STEP) continue;
      yield;
      cells = 0;
    }
  }
  return lengths;
}

/** Walks from the end to the start: returns the string, and its runs in the order of the walk. */
function* walkBack(left: string, right: string, lengths: Uint32Array) {
  const width = right.length + 1;
  const picked: string[] = [];
  const matches: Match[] = [];
  let run: Match | undefined;
  let [i, j] = [left.length, right.length];
  for (let budget = CELLS_PER_STEP; i > 0 && j > 0; budget--) {
    if (budget === 0) {
      yield;
      budget = CELLS_PER_STEP;
    }
    if (left[i - 1] === right[j - 1]) {
      picked.push(left[i - 1] ?? '');
      const isNext = run !== undefined && run.first[0] === i && run.second[0] === j;
      if (run !== undefined && !isNext) matches.push(run);
      run =
        run !== undefined && isNext
          ? { first: [i - 1, run.first[1]], second: [j - 1, run.second[1]] }
          : { first: [i - 1, i - 1], second: [j - 1, j - 1] };
      i--;
      j--;
    } else if ((lengths[(i - 1) * width + j] as number) > (lengths[i * width + j - 1] as number)) i--;
    else j--;
  }
  if (run !== undefined) matches.push(run);
  return { text: picked.reverse().join(''), matches };
}
