import { selectFields, SourceSelection } from '@millrace/query';
import { ancestorSlot, NestedIndex } from '../index/NestedIndex.js';
import { nestedIdentity, objectOf } from '../results/nestedIdentity.js';
import { scoreAt, type Matches } from '../queries/Matches.js';
import { advance } from '../queries/setOperations.js';
import { HitWriter } from '../results/HitWriter.js';
import { Ranking } from '../results/Ranking.js';
import type { AggregationRun, Compute } from './AggregationRun.js';

export const topHits: Compute<'top_hits'> = (aggregation, slots, run) => {
  const { highlight } = aggregation;
  const highlighter = highlight && run.highlighter(highlight);
  const { index, fields } = run.scope;
  const selection = new SourceSelection(aggregation.source);
  const { from, size, sort, source, version } = aggregation;
  const request = { trackScores: false, isInner: true, ...(sort === undefined ? {} : { sort }) };
  const matches = index instanceof NestedIndex ? scoredAbove(slots, index, run) : scored(slots, run.matches);
  const ranking = new Ranking(matches, request, run.scope, from + size);
  const writer = new HitWriter(run.rows, source, false);
  const name = run.rows.readName();
  const hits = ranking.hits(from, from + size).map((hit) => {
    run.scope.deadline.check();
    const document = writer.read(hit.rowNumber);
    const identity = index instanceof NestedIndex ? nestedIdentity(index, hit.slot) : undefined;
    const object = identity && objectOf(document.whole, identity);
    const selected =
      object === undefined || document.source === undefined
        ? document.source
        : selection.selectAt(object, index.nestedPath ?? '');
    const shown =
      fields === undefined || selected === undefined
        ? selected
        : selectFields(selected, fields, object && index.nestedPath);
    if (shown !== undefined) {
      const isWhole = object === undefined && fields === undefined && selection.selectsAll;
      run.scope.bytes.add(isWhole ? document.json : JSON.stringify(shown));
    }
    const marked = highlighter?.highlight(hit.slot, object ?? document.whole, index.nestedPath);
    return {
      _index: name.index,
      _type: name.collection,
      _id: document.id,
      ...(identity === undefined ? {} : { _nested: identity }),
      ...(version ? { _version: document.version } : {}),
      _score: hit.score,
      ...(shown === undefined ? {} : { _source: shown }),
      ...(marked === undefined ? {} : { highlight: marked }),
      ...(hit.sort === undefined ? {} : { sort: hit.sort }),
    };
  });
  return {
    hits: { total: { value: slots.length, relation: 'eq' }, max_score: ranking.maxScore, hits },
  };
};

/** Objects of nested fields with the scores of their documents. */
function scoredAbove(slots: Int32Array, index: NestedIndex, run: AggregationRun): Matches {
  let root = run;
  while (root.outside !== undefined) root = root.outside;
  const documents = slots.map((slot) => ancestorSlot(index, slot, root.scope.index));
  return { ...scored(documents, root.matches), slots };
}

/** The documents of a bucket with their scores in the search. Documents that the search didn't match score 1. */
function scored(slots: Int32Array, matches: Matches): Matches {
  if (matches.scores === undefined) return { slots, scores: undefined, score: matches.score };
  const scores = new Float64Array(slots.length).fill(1);
  let j = 0;
  for (let i = 0; i < slots.length; i += 1) {
    j = advance(matches.slots, j, slots[i] as number);
    if (j < matches.slots.length && matches.slots[j] === slots[i]) scores[i] = scoreAt(matches, j);
  }
  return { slots, scores, score: 0 };
}
