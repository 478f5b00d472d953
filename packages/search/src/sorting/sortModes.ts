import type { SortMode } from '@millrace/query';

/** One number for the values (ascending, at least one) of a document; a whole number if `isInteger`. */
export function reduceByMode(values: ArrayLike<number>, mode: SortMode, isInteger: boolean): number {
  const count = values.length;
  switch (mode) {
    case 'min':
      return values[0] as number;
    case 'max':
      return values[count - 1] as number;
    case 'sum':
      return sumOf(values);
    case 'avg':
      return rounded(sumOf(values) / count, isInteger);
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

function rounded(value: number, isInteger: boolean): number {
  return isInteger ? Math.round(value) : value;
}
