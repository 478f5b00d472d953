import { MAX_LONG, type FieldSort, type JsonValue } from '@millrace/query';

/**
 * Where documents without a value stand, and what is shown for them: Elasticsearch shows the border of a 64-bit integer.
 * Not for `missing` with a value.
 */
export class MissingPlace {
  readonly key: number;
  readonly shown: JsonValue;

  constructor(sort: Pick<FieldSort, 'order' | 'missing'>, form: 'integer' | 'float' | 'text') {
    const isFirst = sort.missing === 'first';
    // Among whole numbers they stand beside the borders themselves, where such a value is there.
    const border = form === 'integer' ? MAX_LONG : Infinity;
    this.key = isFirst ? -border : border;
    const isHighest = isFirst === (sort.order === 'desc');
    if (form === 'text') this.shown = null;
    else if (form === 'float') this.shown = isHighest ? 'Infinity' : '-Infinity';
    else this.shown = isHighest ? MAX_LONG : -MAX_LONG;
  }
}
