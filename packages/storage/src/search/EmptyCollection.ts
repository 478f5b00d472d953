import {
  RECORD_PLACE,
  type CollectionName,
  type RecordPlace,
  type SearchOptions,
  type SearchOutcome,
} from '@millrace/kernel';
import { parseMapping, parseSearch, type SearchRequest } from '@millrace/query';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';

const MAPPING = parseMapping({ dynamic: 'strict', properties: {} });
const NOTHING = parseSearch({ query: { match_none: {} }, size: 0 });

/**
 * Answers searches of absent collections. Aggregations have a result even without documents; the engine computes it on
 * an always empty collection of the internal index, created on first use.
 */
@scoped(Scope.ContainerScoped)
export class EmptyCollection {
  private readonly name: CollectionName;
  private created: Promise<boolean> | undefined;

  constructor(@inject(RECORD_PLACE) private readonly place: RecordPlace) {
    this.name = { index: place.index, collection: 'absentCollection' };
  }

  /** @throws query.invalid (400) if the aggregations don't fit a collection without fields */
  async search({ aggregations }: SearchRequest, options: SearchOptions): Promise<SearchOutcome> {
    if (aggregations.length === 0) return { hits: [], total: 0, maxScore: null, timedOut: false };
    const { engine } = this.place;
    this.created ??= engine.createCollection(this.name, MAPPING);
    try {
      await this.created;
    } catch (error) {
      this.created = undefined;
      throw error;
    }
    return engine.search(this.name, { ...NOTHING, aggregations }, options);
  }
}
