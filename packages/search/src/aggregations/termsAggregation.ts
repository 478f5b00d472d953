import { type CompiledField, type BoundTermsFilter, type BoundAggregation } from '@millrace/query';
import { TermColumn } from '../columns/TermColumn.js';
import type { FieldIndex } from '../fields/FieldIndex.js';
import { hashText } from '../hashText.js';
import { indexShowing } from '../index/NestedIndex.js';
import { showTerm } from '../fields/TermField.js';
import { Refusal } from '../Refusal.js';
import { resultNumber, type AggregationResult, type AggregationRun, type Compute } from './AggregationRun.js';
import { orderBuckets } from './bucketOrder.js';
import { countBuckets, groupSlots, type Bucketing } from './Bucketing.js';
import { numberBucketing } from './numberBucketing.js';
import { countAllTerms, termBucketing } from './termBucketing.js';
import { isNumeric, missingTerm, numberSource } from './valueSource.js';

/** Buckets of numeric fields and of fields with terms. */
interface Candidates {
  readonly bucketing: Bucketing;
  readonly rankOf: (ordinal: number) => number;
  /** The key as a string, for `include` and `exclude`; undefined: by number. */
  readonly textOf: ((ordinal: number) => string) | undefined;
  /** The members `key` and `key_as_string`. */
  readonly keyOf: (ordinal: number) => AggregationResult;
  /** By ordinal, if known without counting. */
  readonly counts?: Int32Array | undefined;
}

const NO_BUCKETS = { doc_count_error_upper_bound: 0, sum_other_doc_count: 0, buckets: [] };

export const termsAggregation: Compute<'terms'> = (aggregation, slots, run) => {
  const { mapped: field } = aggregation;
  if (field === undefined && aggregation.missing === undefined) return NO_BUCKETS;
  const candidates =
    field !== undefined && isNumeric(field)
      ? numberCandidates(aggregation, field, slots, run)
      : termCandidates(aggregation, field, slots, run);
  const { bucketing } = candidates;
  const counts = candidates.counts ?? countBuckets(bucketing, slots);
  const accepts = filterOf(aggregation, candidates);
  const ordinals: number[] = [];
  let total = 0;
  const minDocCount = Math.max(aggregation.minDocCount, 0);
  for (let ordinal = 0; ordinal < counts.length; ordinal += 1) {
    const count = counts[ordinal] as number;
    if (count < minDocCount || !accepts(ordinal)) continue;
    ordinals.push(ordinal);
    total += count;
  }
  return choose(aggregation, { candidates, counts, ordinals, total }, slots, run);
};

interface Counted {
  readonly candidates: Candidates;
  readonly counts: Int32Array;
  /** Ordinals of the buckets that may be returned. */
  readonly ordinals: readonly number[];
  /** Sum of their document counts. */
  readonly total: number;
}

function choose(
  aggregation: BoundAggregation<'terms'>,
  { candidates, counts, ordinals, total }: Counted,
  slots: Int32Array,
  run: AggregationRun,
): AggregationResult {
  const { bucketing, rankOf, keyOf } = candidates;
  const { order, aggregations, path } = aggregation;
  const countOf = (ordinal: number) => counts[ordinal] as number;
  const orderedBy = aggregations.filter(({ name }) =>
    order.some(({ by }) => typeof by === 'object' && by.metric[0] === name),
  );
  const allGroups = orderedBy.length > 0 ? groupSlots(bucketing, slots, ordinals, counts) : undefined;
  const allResults = allGroups?.map((group) => {
    run.scope.deadline.check();
    return run.computeAll(orderedBy, group, run);
  });
  const chosen = orderBuckets(
    order,
    {
      count: ordinals.length,
      docCountOf: (i) => countOf(ordinals[i] as number),
      rankOf: (i) => rankOf(ordinals[i] as number),
      childrenOf: (i) => allResults?.[i] ?? {},
      children: orderedBy,
    },
    aggregation.size,
    path,
  );
  run.addBuckets(chosen.length, path);
  const chosenOrdinals = Array.from(chosen, (i) => ordinals[i] as number);
  const groups = aggregations.length > 0 ? groupSlots(bucketing, slots, chosenOrdinals, counts) : undefined;
  let shown = 0;
  const buckets = chosenOrdinals.map((ordinal, i) => {
    shown += countOf(ordinal);
    const own = { ...keyOf(ordinal), doc_count: countOf(ordinal) };
    return run.bucket(own, aggregations, groups?.[i]);
  });
  return { doc_count_error_upper_bound: 0, sum_other_doc_count: total - shown, buckets };
}

function numberCandidates(
  aggregation: BoundAggregation<'terms'>,
  field: CompiledField,
  slots: Int32Array,
  run: AggregationRun,
): Candidates {
  const source = numberSource(aggregation, run.scope);
  const others = othersOf(aggregation, field, run);
  const all = others?.values.kind === 'number' ? { ...others, column: others.values.column } : undefined;
  const isIntegral =
    (all?.column ?? source.column)?.isIntegral !== false &&
    !(aggregation.missing !== undefined && !Number.isInteger(source.missing));
  const { bucketing, keyOf } = numberBucketing(source, slots, (value) => value, isIntegral, all);
  const { text } = source;
  return {
    bucketing,
    rankOf: keyOf,
    textOf: field.type === 'boolean' && text !== undefined ? (ordinal) => text(keyOf(ordinal)) : undefined,
    keyOf: (ordinal) => {
      const key = keyOf(ordinal);
      const shown = { key: resultNumber(key) };
      return text === undefined ? shown : { ...shown, key_as_string: text(key) };
    },
  };
}

/** With `min_doc_count` 0 every term of the collection has a bucket, including terms of objects that aren't counted. */
function othersOf(
  { minDocCount }: BoundAggregation<'terms'>,
  field: CompiledField | undefined,
  { scope }: AggregationRun,
): Others | undefined {
  if (minDocCount !== 0 || field === undefined) return undefined;
  const index = indexShowing(scope.index, field);
  const values = index?.indexOf(field);
  return index === undefined || values === undefined ? undefined : { values, slots: index.living() };
}

/** Documents or objects whose terms get buckets too, empty ones. */
interface Others {
  readonly values: FieldIndex;
  readonly slots: Int32Array;
}

function termCandidates(
  aggregation: BoundAggregation<'terms'>,
  field: CompiledField | undefined,
  slots: Int32Array,
  run: AggregationRun,
): Candidates {
  const index = field === undefined ? undefined : run.scope.index.indexOf(field);
  if (field !== undefined && field.type !== 'keyword' && field.type !== 'ip' && field.type !== 'text') {
    throw new Refusal(
      `A terms aggregation can't be put to the field "${field.name}" of type ${field.type} (at ${aggregation.path})`,
    );
  }
  const others = othersOf(aggregation, field, run);
  const elsewhere = termColumnOf(others?.values);
  const column = termColumnOf(index) ?? new TermColumn(elsewhere?.dictionary);
  const missing = missingTerm(aggregation);
  const all = elsewhere && others && { column: elsewhere, slots: others.slots };
  const { bucketing, termOf, rankOf } = termBucketing(column, slots, missing, all);
  const { slotCount } = run.scope.index;
  const isWhole = slots.length === slotCount && !bucketing.isByPosition;
  const counts = isWhole ? countAllTerms(bucketing, column, slotCount) : undefined;
  const show = (ordinal: number) => (field === undefined ? termOf(ordinal) : showTerm(field, termOf(ordinal)));
  return { bucketing, rankOf, textOf: show, keyOf: (ordinal) => ({ key: show(ordinal) }), counts };
}

function termColumnOf(index: FieldIndex | undefined): TermColumn | undefined {
  return index?.kind === 'term' || index?.kind === 'text' ? index.column : undefined;
}

function filterOf(
  { includes, excludes }: BoundAggregation<'terms'>,
  candidates: Candidates,
): (ordinal: number) => boolean {
  const included = includes && termsFilter(includes, candidates);
  const excluded = excludes && termsFilter(excludes, candidates);
  return (ordinal) => included?.(ordinal) !== false && excluded?.(ordinal) !== true;
}

function termsFilter(filter: BoundTermsFilter, { textOf, rankOf }: Candidates): (ordinal: number) => boolean {
  const keyOf = textOf ?? rankOf;
  switch (filter.kind) {
    case 'values':
      return (ordinal) => filter.keys.has(keyOf(ordinal));
    case 'pattern':
      return (ordinal) => filter.accepts(String(keyOf(ordinal)));
    case 'partition': {
      const { partition, partitionCount } = filter;
      return (ordinal) => hashText(String(keyOf(ordinal))) % partitionCount === partition;
    }
  }
}
