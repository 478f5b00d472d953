import type { Lifecycle } from '@millrace/kernel';
import type { DependencyContainer } from 'tsyringe';
import { ScrollTable } from './search/ScrollTable.js';
import { SpecificationStore } from './validation/SpecificationStore.js';

/** What a server starts after the storage engine, and stops before it, under the name for its log. */
export function storageLifecycles(
  container: DependencyContainer,
): readonly { readonly name: string; readonly part: Lifecycle }[] {
  return [
    { name: 'specifications', part: container.resolve(SpecificationStore) },
    { name: 'scrolls', part: container.resolve(ScrollTable) },
  ];
}
