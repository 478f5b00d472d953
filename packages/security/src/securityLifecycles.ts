import type { Lifecycle } from '@millrace/kernel';
import type { DependencyContainer } from 'tsyringe';
import { SecurityLifecycle } from './SecurityLifecycle.js';
import { SecuritySharing } from './SecuritySharing.js';

/** What a server starts after the storage engine, and stops before it, under the name for its log. */
export function securityLifecycles(
  container: DependencyContainer,
): readonly { readonly name: string; readonly part: Lifecycle }[] {
  return [{ name: 'security', part: container.resolve(SecurityLifecycle) }];
}

/** What a server starts before its link to other nodes: it says what is to be done with what they send. */
export function securitySharing(
  container: DependencyContainer,
): readonly { readonly name: string; readonly part: Lifecycle }[] {
  return [{ name: 'shared security', part: container.resolve(SecuritySharing) }];
}
