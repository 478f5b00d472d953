import {
  INTERNAL_INDEX,
  STORAGE_ENGINE,
  type CollectionName,
  type SearchOptions,
  type SearchOutcome,
  type StorageEngine,
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

  constructor(
    @inject(STORAGE_ENGINE) private readonly engine: StorageEngine,
    @inject(INTERNAL_INDEX) index: string,
  ) {
    this.name = { index, collection: 'absentCollection' };
  }

  /** @throws query.invalid (400) if the aggregations don't fit a collection without fields */
  async search({ aggregations }: SearchRequest, options: SearchOptions): Promise<SearchOutcome> {
    if (aggregations.length === 0) return { hits: [], total: 0, maxScore: null, timedOut: false };
    this.created ??= this.engine.createCollection(this.name, MAPPING);
    try {
      await this.created;
    } catch (error) {
      this.created = undefined;
      throw error;
    }
    return this.engine.search(this.name, { ...NOTHING, aggregations }, options);
  }
}
