import type { Lifecycle } from '@millrace/kernel';
import type { DependencyContainer } from 'tsyringe';
import { SecurityLifecycle } from './SecurityLifecycle.js';

/** What a server starts after the storage engine, and stops before it, under the name for its log. */
export function securityLifecycles(
  container: DependencyContainer,
): readonly { readonly name: string; readonly part: Lifecycle }[] {
  return [{ name: 'security', part: container.resolve(SecurityLifecycle) }];
}
