import type { JsonValue } from '@millrace/language';
import { MAX_LONG, type FieldSort } from '@millrace/query';

/**
 * The position of documents without a value, and the sort value returned for them: a bound of 64-bit integers for whole
 * numbers, an infinity for fractions, null for terms. Not for `missing` with a value.
 */
export class MissingPlace {
  readonly key: number;
  readonly shown: JsonValue;

  constructor(sort: Pick<FieldSort, 'order' | 'missing'>, form: 'integer' | 'float' | 'text') {
    const isFirst = sort.missing === 'first';
    // Whole numbers: equal to the returned value, so that `search_after` finds its position.
    const border = form === 'integer' ? MAX_LONG : Infinity;
    this.key = isFirst ? -border : border;
    const isHighest = isFirst === (sort.order === 'desc');
    if (form === 'text') this.shown = null;
    else if (form === 'float') this.shown = isHighest ? 'Infinity' : '-Infinity';
    else this.shown = isHighest ? MAX_LONG : -MAX_LONG;
  }
}
