import type { NumberColumn } from '../columns/NumberColumn.js';
import type { PostingList, Postings } from '../columns/Postings.js';
import { NO_TERM, SEVERAL_TERMS, type TermColumn } from '../columns/TermColumn.js';
import type { FieldIndex } from '../fields/FieldIndex.js';
import { HighestScores } from '../fields/HighestScores.js';
import { DECODED_LENGTHS } from '../fields/lengthByte.js';
import type { NumberField } from '../fields/NumberField.js';
import type { TermField } from '../fields/TermField.js';
import type { TextField } from '../fields/TextField.js';

/** A field of an index without its dead documents, in all that scores depend on. */
export function restrictField(field: FieldIndex, dead: Uint8Array): FieldIndex {
  switch (field.kind) {
    case 'text':
      return restrictText(field, dead);
    case 'term':
      return restrictTerms(field, dead);
    case 'number':
      return field.field.type === 'boolean' ? restrictBooleans(field, dead) : field;
    default:
      return field;
  }
}

function restrictText(text: TextField, dead: Uint8Array): TextField {
  const statistics = lazily(() => {
    let [documentCount, tokenCount] = [0, 0];
    for (let slot = 0; slot < text.length; slot += 1) {
      const length = text.lengths[slot] as number;
      if (dead[slot] === 1 || length === 0) continue;
      documentCount += 1;
      tokenCount += DECODED_LENGTHS[length] as number;
    }
    return { documentCount, tokenCount };
  });
  return Object.create(text, {
    ...gettersOf(statistics),
    postings: { value: new LivingPostings(() => text.postings, dead) },
    highestScores: { value: new HighestScores() },
  }) as TextField;
}

function restrictTerms(field: TermField, dead: Uint8Array): TermField {
  const { column } = field;
  const statistics = lazily(() => {
    let [documentCount, tokenCount] = [0, 0];
    for (let slot = 0; slot < column.length; slot += 1) {
      const code = column.codes[slot] as number;
      if (dead[slot] === 1 || code === NO_TERM) continue;
      documentCount += 1;
      tokenCount += code === SEVERAL_TERMS ? (column.more.get(slot) as Int32Array).length : 1;
    }
    return { documentCount, tokenCount };
  });
  return Object.create(field, {
    column: { value: Object.create(column, gettersOf(statistics)) as TermColumn },
    postings: { value: new LivingPostings(() => field.postings, dead) },
  }) as TermField;
}

/** Scores of booleans are computed from all values of the column. */
function restrictBooleans(field: NumberField, dead: Uint8Array): NumberField {
  const { column } = field;
  const values = column.values.slice(0, column.length);
  for (let slot = 0; slot < values.length; slot += 1) if (dead[slot] === 1) values[slot] = NaN;
  const more = new Map([...column.more].filter(([slot]) => dead[slot] === 0));
  const restricted = Object.create(column, {
    values: { value: values },
    more: { value: more },
    buckets: { value: undefined },
  }) as NumberColumn;
  return Object.create(field, { column: { value: restricted } }) as NumberField;
}

interface Statistics {
  readonly documentCount: number;
  readonly tokenCount: number;
}

function gettersOf(statistics: () => Statistics): PropertyDescriptorMap {
  return {
    documentCount: { get: () => statistics().documentCount },
    tokenCount: { get: () => statistics().tokenCount },
  };
}

function lazily<T>(compute: () => T): () => T {
  let value: { readonly of: T } | undefined;
  return () => (value ??= { of: compute() }).of;
}

/** The postings of living documents; the lists are valid for one request. */
class LivingPostings implements Pick<Postings, 'count' | 'list'> {
  private readonly lists = new Map<number, PostingList>();

  constructor(
    private readonly all: () => Postings,
    private readonly dead: Uint8Array,
  ) {}

  count(code: number): number {
    return this.list(code).slots.length;
  }

  list(code: number): PostingList {
    const known = this.lists.get(code);
    if (known !== undefined) return known;
    const list = this.livingIn(this.all().list(code));
    this.lists.set(code, list);
    return list;
  }

  private livingIn({ slots, frequencies }: PostingList): PostingList {
    const { dead } = this;
    const kept = new Int32Array(slots.length);
    const keptFrequencies = frequencies && new Uint16Array(slots.length);
    let count = 0;
    for (let i = 0; i < slots.length; i += 1) {
      const slot = slots[i] as number;
      if (dead[slot] === 1) continue;
      kept[count] = slot;
      if (keptFrequencies !== undefined) keptFrequencies[count] = frequencies?.[i] as number;
      count += 1;
    }
    return { slots: kept.subarray(0, count), frequencies: keptFrequencies?.subarray(0, count) };
  }
}
