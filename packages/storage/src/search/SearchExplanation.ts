import {
  CLOCK,
  STORAGE_ENGINE,
  type Clock,
  type CollectionName,
  type JsonObject,
  type Request,
  type StorageEngine,
} from '@millrace/kernel';
import { bindSearch, clausesOf, describeQuery, followMode, parseSearch } from '@millrace/query';
import { searchViewOf } from '@millrace/search';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { DocumentLimits, visibleQuery } from '../rights/DocumentLimits.js';
import { parsed, orWhenAbsent } from '../toRegisteredError.js';

/** Clauses that are counted; others are left out. */
const MAX_CLAUSES = 100;

/** Explains searches without running them (SEARCH-110). */
@scoped(Scope.ContainerScoped)
export class SearchExplanation {
  constructor(
    @inject(STORAGE_ENGINE) private readonly engine: StorageEngine,
    @inject(CLOCK) private readonly clock: Clock,
    @inject(DocumentLimits) private readonly limits: DocumentLimits,
  ) {}

  /**
   * Documents that the caller may not see are not counted.
   * @returns `{query, clauses, follow}`
   * @throws query.* (400, 429, 499), storage.index_not_found (404), security.field_hidden (403)
   */
  async explain(name: CollectionName, body: JsonObject, caller: Request): Promise<JsonObject> {
    const { signal } = caller;
    const request = parsed(() => parseSearch(body));
    const right = await this.limits.of(caller, 'explain', name);
    const view = right && searchViewOf(right);
    if (view !== null) await this.limits.assertNames(request, view.fields, name);
    const mapping = await this.limits.mappingOf(name);
    // Conditions of roles are not shown, nor are hidden fields that a pattern finds.
    const visibly = view === null ? request : { ...request, view: { fields: view.fields } };
    const bound = parsed(() => bindSearch(visibly, mapping, this.clock.nowMs()));
    const clauses: JsonObject[] = [];
    for (const clause of clausesOf(request.query, bound.query).slice(0, MAX_CLAUSES)) {
      const { path, usesIndex } = clause;
      const looked = usesIndex ? clause.query : EVERY_DOCUMENT;
      const visible = view === null ? looked : visibleQuery(looked, view);
      const count = () => this.engine.count(name, visible, { signal });
      clauses.push({ path, usesIndex, cost: await orWhenAbsent(count, () => 0) });
    }
    return { query: describeQuery(bound.query), clauses, follow: { ...followMode(bound) } };
  }
}

const EVERY_DOCUMENT = parseSearch({}).query;
