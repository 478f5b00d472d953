import type { Lifecycle } from '@millrace/kernel';
import type { DependencyContainer } from 'tsyringe';
import { CatalogSharing } from './catalog/CatalogSharing.js';
import { ScrollSharing } from './search/ScrollSharing.js';
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

/** What a server starts before its link to other nodes: it says what is to be done with what they send. */
export function storageSharing(
  container: DependencyContainer,
): readonly { readonly name: string; readonly part: Lifecycle }[] {
  return [
    { name: 'shared catalogs', part: container.resolve(CatalogSharing) },
    { name: 'shared scrolls', part: container.resolve(ScrollSharing) },
  ];
}
