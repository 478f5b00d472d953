import type { NumberColumn } from '../columns/NumberColumn.js';
import type { PostingList, Postings } from '../columns/Postings.js';
import { NO_TERM, SEVERAL_TERMS, type TermColumn } from '../columns/TermColumn.js';
import type { FieldIndex, NumberField } from '../fields/FieldIndex.js';
import { HighestScores } from '../fields/HighestScores.js';
import { DECODED_LENGTHS } from '../fields/lengthByte.js';
import type { TermField } from '../fields/TermField.js';
import type { TextField } from '../fields/TextField.js';

const BYTES_PER_LIST = 300;

/** The documents of a view. */
export interface VisiblePart {
  /** By slot: 1 if the document is outside the view. */
  readonly dead: Uint8Array;
  /** The slots of the view, ascending. */
  readonly visible: Int32Array;
  /** Receives the bytes of what is kept. */
  readonly onGrown: (bytes: number) => void;
}

/** A field of an index without its dead documents, in all that scores depend on. */
export function restrictField(field: FieldIndex, part: VisiblePart): FieldIndex {
  switch (field.kind) {
    case 'text':
      return restrictText(field, part);
    case 'term':
      return restrictTerms(field, part);
    case 'number':
      return field.field.type === 'boolean' ? restrictBooleans(field, part) : field;
    default:
      return field;
  }
}

function restrictText(text: TextField, part: VisiblePart): TextField {
  const statistics = lazily(() => {
    let [documentCount, tokenCount] = [0, 0];
    for (const slot of part.visible) {
      // The field may end before the last documents.
      const length = slot < text.length ? (text.lengths[slot] as number) : 0;
      if (length === 0) continue;
      documentCount += 1;
      tokenCount += DECODED_LENGTHS[length] as number;
    }
    return { documentCount, tokenCount };
  });
  return Object.create(text, {
    ...gettersOf(statistics),
    postings: { value: new LivingPostings(() => text.postings, part) },
    highestScores: { value: new HighestScores() },
  }) as TextField;
}

function restrictTerms(field: TermField, part: VisiblePart): TermField {
  const { column } = field;
  const statistics = lazily(() => {
    let [documentCount, tokenCount] = [0, 0];
    for (const slot of part.visible) {
      const code = slot < column.length ? (column.codes[slot] as number) : NO_TERM;
      if (code === NO_TERM) continue;
      documentCount += 1;
      tokenCount += code === SEVERAL_TERMS ? (column.more.get(slot) as Int32Array).length : 1;
    }
    return { documentCount, tokenCount };
  });
  return Object.create(field, {
    column: { value: Object.create(column, gettersOf(statistics)) as TermColumn },
    postings: { value: new LivingPostings(() => field.postings, part) },
  }) as TermField;
}

/** Scores of booleans are computed from all values of the column. */
function restrictBooleans(field: NumberField, { dead, onGrown }: VisiblePart): NumberField {
  const { column } = field;
  const values = column.values.slice(0, column.length);
  onGrown(values.byteLength);
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

/** The postings of living documents; the lists are valid until the index changes. */
class LivingPostings implements Pick<Postings, 'count' | 'list'> {
  private readonly lists = new Map<number, PostingList>();

  constructor(
    private readonly all: () => Postings,
    private readonly part: VisiblePart,
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
    const { dead, onGrown } = this.part;
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
    onGrown(BYTES_PER_LIST + kept.byteLength + (keptFrequencies?.byteLength ?? 0));
    return { slots: kept.subarray(0, count), frequencies: keptFrequencies?.subarray(0, count) };
  }
}
