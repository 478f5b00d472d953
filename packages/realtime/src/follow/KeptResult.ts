import {
  NO_DOCUMENT_METADATA,
  toWireHit,
  type CollectionName,
  type Cursor,
  type DocumentChange,
  type SearchHit,
  type SearchOutcome,
} from '@millrace/kernel';
import { bindSearch, type CompiledMapping } from '@millrace/query';
import { LiveSearch, type LiveHit } from '@millrace/search';
import type { RoomEffect, WatchedChange } from '../rooms/WatchedChange.js';
import type { FollowedResult } from './FollowedResult.js';
import type { KeptPlan } from './FollowPlan.js';
import type { KeptHit } from './KeptHit.js';
import { KeptHits } from './KeptHits.js';

/** An outcome whose position is known. */
export type PlacedOutcome = SearchOutcome & { readonly position: Cursor };

/** The result of a search, kept up to date from the changes after it. */
export class KeptResult {
  private readonly hits: KeptHits;
  private position: Cursor;
  private total: number;
  private live: { readonly mapping: CompiledMapping; readonly search: LiveSearch } | undefined;

  constructor(
    private readonly name: CollectionName,
    private readonly plan: KeptPlan,
    outcome: PlacedOutcome,
  ) {
    const { from, size, request } = plan;
    const { hits, total, position } = outcome;
    this.position = position;
    this.total = total;
    const kept = hits.map((hit) => this.toKept(hit));
    const extent = { needed: size === 0 ? 0 : from + size, max: request.size };
    this.hits = new KeptHits(kept, total <= kept.length, extent);
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
    if (this.plan.size === 0) return true;
    this.hits.remove(change.id);
    return (effect === 'left' || this.insert(watched)) && !this.hits.isShort;
  }

  toResult(): FollowedResult {
    const { from, size } = this.plan;
    return {
      cursor: this.position,
      hits: this.hits.slice(from, from + size),
      total: this.total,
      aggregations: null,
      bytes: this.hits.bytes,
      kept: this,
    };
  }

  /** @returns false if the search doesn't fit the mapping any more */
  private insert({ change, after, mapping }: WatchedChange): boolean {
    if (after === null) return false;
    let live: LiveHit;
    try {
      live = this.searchOf(mapping).hit(after.document, after.scope);
    } catch {
      return false;
    }
    this.hits.insert(live.isAfter, () => this.toKept(toHit(change, live)));
    return true;
  }

  private searchOf(mapping: CompiledMapping): LiveSearch {
    if (this.live?.mapping !== mapping) {
      const search = new LiveSearch(bindSearch(this.plan.request, mapping));
      this.live = { mapping, search };
    }
    return this.live.search;
  }

  private toKept(hit: SearchHit): KeptHit {
    const { id, version, sort = [] } = hit;
    const { sort: _all, ...rest } = hit;
    const { shownSorts } = this.plan;
    const shown = shownSorts === 0 ? rest : { ...rest, sort: sort.slice(0, shownSorts) };
    const json = JSON.stringify(toWireHit(shown, this.name, true));
    return { id, version, sort, json };
  }
}

function toHit({ id, version, metaAfter }: DocumentChange, { score, sort, source }: LiveHit): SearchHit {
  return { id, version, score, sort, meta: metaAfter ?? NO_DOCUMENT_METADATA, ...(source && { source }) };
} // prettier-ignore
