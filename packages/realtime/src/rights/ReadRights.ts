import {
  andThen,
  SECURITY,
  securityErrors,
  type CollectionName,
  type MaybePromise,
  type Request,
  type Security,
} from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { targetOf } from '../targetOf.js';

/** Rights to the documents that subscribers are notified of. */
@scoped(Scope.ContainerScoped)
export class ReadRights {
  constructor(@inject(SECURITY) private readonly security: Security) {}

  /** Whether the user may read only a part of the documents of a collection (SEC-86). */
  isLimited(request: Request, name: CollectionName): MaybePromise<boolean> {
    return andThen(this.isLimitedBy(request, name, 'search'), (isLimited) =>
      isLimited ? true : this.isLimitedBy(request, name, 'get'),
    );
  }

  /** @throws security.forbidden (403) for a user who may read only a part of the documents */
  assertWhole(request: Request, name: CollectionName): MaybePromise<void> {
    return andThen(this.isLimited(request, name), (isLimited) => {
      if (!isLimited) return;
      const where = ` in "${name.index}/${name.collection}", where they may read a part of the documents`;
      const { _id: userId } = request.user;
      throw securityErrors.forbidden({
        userId,
        controller: 'realtime',
        action: 'subscribe',
        where,
      });
    });
  }

  private isLimitedBy(
    request: Request,
    name: CollectionName,
    action: string,
  ): MaybePromise<boolean> {
    const right = this.security.documentRight?.(request, targetOf(name, 'document', action));
    return andThen(right ?? true, (found) => typeof found === 'object');
  }
}
