import {
  NO_DOCUMENT_METADATA,
  toWireHit,
  type CollectionName,
  type Cursor,
  type DocumentChange,
  type SearchHit,
  type SearchOutcome,
} from '@millrace/kernel';
import { bindSearch, estimateQueryBytes, type CompiledMapping } from '@millrace/query';
import { LiveAggregations, LiveSearch, type LiveHit } from '@millrace/search';
import { markCursor } from '../rights/markCursor.js';
import type { RoomEffect, WatchedChange } from '../matching/WatchedChange.js';
import type { FollowedResult } from './FollowedResult.js';
import type { KeptPlan } from './FollowPlan.js';
import type { KeptHit } from './KeptHit.js';
import { KeptHits } from './KeptHits.js';

/** The outcome of the search of a plan at a position that is known. */
export interface KeptOutcome extends Pick<SearchOutcome, 'total' | 'aggregations'> {
  readonly position: Cursor;
  readonly hits: KeptHit[];
}

/** The search bound to the mapping of the last change. */
interface LiveBound {
  readonly mapping: CompiledMapping;
  readonly search: LiveSearch;
  /** Estimated memory. */
  readonly bytes: number;
}

/** The result of a search, kept up to date from the changes after it. */
export class KeptResult {
  private readonly hits: KeptHits;
  private position: Cursor;
  private total: number;
  private readonly aggregations: LiveAggregations | null;
  /** The window; undefined: it has changed. */
  private shown: readonly KeptHit[] | undefined;
  private live: LiveBound | undefined;

  constructor(
    private readonly name: CollectionName,
    private readonly plan: KeptPlan,
    outcome: KeptOutcome,
    mapping: CompiledMapping,
  ) {
    const { from, size, request } = plan;
    const { hits, total, position, aggregations: measured } = outcome;
    this.position = position;
    this.total = total;
    const extent = { needed: size === 0 ? 0 : from + size, max: request.size };
    this.hits = new KeptHits(hits, total <= hits.length, extent);
    const asked = bindSearch({ ...request, aggregations: plan.aggregations }, mapping);
    this.aggregations = measured ? new LiveAggregations(asked.aggregations, measured, mapping) : null;
  }

  /**
   * Takes over a change; earlier ones than the result are in it already.
   * @returns false if the search must run again
   */
  apply(watched: WatchedChange, effect: RoomEffect): boolean {
    const { change } = watched;
    const { cursor } = change;
    if (cursor === undefined) return false;
    if (cursor <= this.position) return true;
    this.position = cursor;
    if (effect === 'entered') this.total += 1;
    if (effect === 'left') this.total -= 1;
    try {
      return this.count(watched, effect) && this.place(watched, effect);
    } catch {
      // The search doesn't fit the mapping any more: it says so when it runs.
      return false;
    }
  }

  /** Parts that haven't changed since the last call are the same objects. */
  toResult(): FollowedResult {
    const { from, size } = this.plan;
    this.shown ??= this.hits.slice(from, from + size);
    return {
      cursor: markCursor(this.position, this.plan.rightId),
      hits: this.shown,
      total: this.total,
      aggregations: this.aggregations?.result() ?? null,
      bytes: this.hits.bytes + (this.aggregations?.bytes ?? 0) + (this.live?.bytes ?? 0),
      kept: this,
    };
  }

  private count({ before, after, mapping }: WatchedChange, effect: RoomEffect): boolean {
    if (this.aggregations === null) return true;
    const left = effect === 'entered' ? null : (before?.scope ?? null);
    const entered = effect === 'left' ? null : (after?.scope ?? null);
    return this.aggregations.apply(this.searchOf(mapping), left, entered);
  }

  private place({ change, after, mapping }: WatchedChange, effect: RoomEffect): boolean {
    const { from, size } = this.plan;
    if (size === 0) return true;
    let first = this.hits.remove(change.id);
    if (effect !== 'left' && after !== null) {
      const live = this.searchOf(mapping).hit(after.document, () => after.scope);
      const at = this.hits.insert(live.isAfter, () => toKept(toHit(change, live), this.name, this.plan));
      first = Math.min(first, at);
    }
    if (first < from + size) this.shown = undefined;
    return !this.hits.isShort;
  }

  private searchOf(mapping: CompiledMapping): LiveSearch {
    if (this.live?.mapping !== mapping) {
      const bound = bindSearch(this.plan.request, mapping);
      const search = new LiveSearch(bound, mapping);
      this.live = { mapping, search, bytes: estimateQueryBytes(bound) };
    }
    return this.live.search;
  }
}

/** A hit of the search of a plan. */
export function toKept(hit: SearchHit, name: CollectionName, { shownSorts }: KeptPlan): KeptHit {
  const { id, version, sort = [] } = hit;
  const { sort: _all, ...rest } = hit;
  const shown = shownSorts === 0 ? rest : { ...rest, sort: sort.slice(0, shownSorts) };
  const json = JSON.stringify(toWireHit(shown, name, true));
  return { id, version, sort, json };
}

function toHit({ id, version, metaAfter }: DocumentChange, { score, sort, source }: LiveHit): SearchHit {
  return { id, version, score, sort, meta: metaAfter ?? NO_DOCUMENT_METADATA, ...(source && { source }) };
} // prettier-ignore
