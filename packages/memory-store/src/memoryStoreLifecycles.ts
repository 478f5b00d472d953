import type { Lifecycle } from '@millrace/kernel';
import type { DependencyContainer } from 'tsyringe';
import { MEMORY_STORE } from './MEMORY_STORE.js';

/** What a server starts after the memory-store engine, and stops before it, under the name for its log. */
export function memoryStoreLifecycles(
  container: DependencyContainer,
): readonly { readonly name: string; readonly part: Lifecycle }[] {
  return [{ name: 'memory store', part: container.resolve(MEMORY_STORE) }];
}
