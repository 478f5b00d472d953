import {
  ACTIONS,
  custom,
  required,
  storageErrors,
  toCollectionName,
  toIndexName,
  type ActionTable,
  type CheckedCollection,
  type IndexName,
  type RequiredArgument,
} from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';

/** An argument with the name of an index that the action may create. */
export type NewIndexArgument = RequiredArgument<IndexName>;

/** The names that new indexes may have: not the first segment of a route (DOC-2). */
@scoped(Scope.ContainerScoped)
export class IndexNames {
  private reserved: ReadonlySet<string> | undefined;

  constructor(@inject(ACTIONS) private readonly actions: ActionTable) {}

  /** Reads the name of an index that the action may create. @throws storage.invalid_name (400) when parsed */
  argument(): NewIndexArgument {
    const parse = (value: unknown) => (typeof value === 'string' ? this.toNew(value) : undefined);
    return required(custom('a string', { type: 'string' }, parse));
  }

  /** For writes that may create the collection and its index. @throws storage.invalid_name (400) */
  toNewCollection(index: string, collection: string): CheckedCollection {
    this.toNew(index);
    return toCollectionName(index, collection);
  }

  private toNew(index: string): IndexName {
    // All actions are known once the first request comes.
    this.reserved ??= firstSegments(this.actions);
    if (!this.reserved.has(index)) return toIndexName(index);
    throw storageErrors.invalid_name({
      what: 'index',
      value: index,
      expected: 'a name that is not the beginning of a route of the service',
    });
  }
}

function firstSegments(actions: ActionTable): ReadonlySet<string> {
  const routes = [...actions].flatMap((action) => action.routes.map(({ path }) => path));
  const segments = [...routes, ...actions.reservedPaths].map((path) => path.split('/')[1] ?? '');
  return new Set(segments.filter((segment) => segment !== '' && !segment.startsWith(':')));
}
