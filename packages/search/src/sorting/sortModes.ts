import type { SortMode } from '@millrace/query';

/** One number for the several values (ascending, at least one) of a document. Integers stay integers. */
export function reduceByMode(
  values: ArrayLike<number>,
  mode: SortMode,
  isInteger: boolean,
): number {
  const count = values.length;
  switch (mode) {
    case 'min':
      return values[0] as number;
    case 'max':
      return values[count - 1] as number;
    case 'sum':
      return isInteger ? wholeSumOf(values) : sumOf(values);
    case 'avg':
      return rounded((isInteger ? wholeSumOf(values) : sumOf(values)) / count, isInteger);
    case 'median': {
      const middle = count >>> 1;
      if (count % 2 === 1) return values[middle] as number;
      const pair = [values[middle - 1] as number, values[middle] as number];
      return rounded(sumOf(pair) / 2, isInteger);
    }
  }
}

function sumOf(values: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < values.length; i += 1) sum += values[i] as number;
  return sum;
}

/** Of whole numbers: where a double falls short, in 64 bits, of which a server loses those that are too many. */
function wholeSumOf(values: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < values.length; i += 1) {
    sum += values[i] as number;
    if (!Number.isSafeInteger(sum)) return Number(bigSumOf(values));
  }
  return sum;
}

function bigSumOf(values: ArrayLike<number>): bigint {
  let sum = 0n;
  for (let i = 0; i < values.length; i += 1) sum += toLong(values[i] as number);
  return BigInt.asIntN(64, sum);
}

const MAX_LONG = 2n ** 63n - 1n;

/** The nearest number of 64 bits. */
function toLong(value: number): bigint {
  if (value >= 2 ** 63) return MAX_LONG;
  return value <= -(2 ** 63) ? -MAX_LONG - 1n : BigInt(value);
}

function rounded(value: number, isInteger: boolean): number {
  return isInteger ? Math.round(value) : value;
}
