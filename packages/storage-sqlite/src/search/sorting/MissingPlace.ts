import type { FieldSort, JsonValue } from '@millrace/query';

/** What Elasticsearch shows as the sort value of a document without one: the border of a
 * 64-bit integer. The highest one, 2^63 - 1, is 2^63 as a double. */
const LONG_MAX = 2 ** 63;
const LONG_MIN = -(2 ** 63);

/** Where documents without a value stand, and what is shown for them. Not for `missing` with a value. */
export class MissingPlace {
  readonly key: number;
  readonly shown: JsonValue;

  constructor(sort: Pick<FieldSort, 'order' | 'missing'>, form: 'integer' | 'float' | 'text') {
    const isFirst = sort.missing === 'first';
    // Among whole numbers they stand beside the borders themselves, where such a value is there.
    const border = form === 'integer' ? LONG_MAX : Infinity;
    this.key = isFirst ? -border : border;
    const isHighest = isFirst === (sort.order === 'desc');
    if (form === 'text') this.shown = null;
    else if (form === 'float') this.shown = isHighest ? 'Infinity' : '-Infinity';
    else this.shown = isHighest ? LONG_MAX : LONG_MIN;
  }
}
