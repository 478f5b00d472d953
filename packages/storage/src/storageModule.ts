import { randomBytes } from 'node:crypto';
import {
  CLOCK,
  CONFIG,
  ID_GENERATOR,
  IdGenerator,
  NO_OBSERVERS,
  CONTENT_RULES,
  NODE_LINK,
  SOLE_NODE,
  WRITE_OBSERVERS,
  WRITES_IN_FLIGHT,
  type Module,
} from '@millrace/kernel';
import type { DependencyContainer, InjectionToken } from 'tsyringe';
import { CatalogSharing } from './catalog/CatalogSharing.js';
import { DEFAULT_MAPPING, parseDefaultMapping } from './catalog/DEFAULT_MAPPING.js';
import { STORAGE_CONFIG, storageConfig, type StorageConfig } from './config.js';
import { WriteBarrier } from './documents/WriteBarrier.js';
import { ScrollSharing } from './search/ScrollSharing.js';
import { RANDOM_BYTES, ScrollTable } from './search/ScrollTable.js';
import { storageActions } from './storageActions.js';
import { SpecificationRules } from './validation/SpecificationRules.js';
import { SpecificationStore } from './validation/SpecificationStore.js';

/**
 * Registers the storage services in a server's container, one of each. Needs `STORAGE_ENGINE`, `CONFIG` (or
 * `STORAGE_CONFIG`), `CLOCK`, `LOGGER` and the internal index (`registerInternalIndex`) there; existing registrations
 * (content rules, document listeners, random source) are kept.
 * @throws core.invalid_config for a `storage.defaultMapping` that is no valid mapping
 */
export function registerStorage(container: DependencyContainer): void {
  const provide = <T>(token: InjectionToken<T>, make: () => T) => {
    if (!container.isRegistered(token, true)) container.registerInstance(token, make());
  };
  provide(STORAGE_CONFIG, () => container.resolve(CONFIG).section<StorageConfig>('storage'));
  const { defaultMapping } = container.resolve(STORAGE_CONFIG);
  provide(DEFAULT_MAPPING, () => parseDefaultMapping(defaultMapping));
  provide(RANDOM_BYTES, () => randomBytes);
  provide(ID_GENERATOR, () => new IdGenerator(container.resolve(CLOCK)));
  provide(CONTENT_RULES, () => container.resolve(SpecificationRules));
  provide(WRITE_OBSERVERS, () => NO_OBSERVERS);
  provide(NODE_LINK, () => SOLE_NODE);
}

/** Indexes, collections, documents and validation, on top of the storage engine. */
export const storageModule: Module = {
  name: 'storage',
  config: { storage: storageConfig },
  setup(host) {
    const { services } = host;
    const own = services.createChildContainer();
    registerStorage(own);
    if (!services.isRegistered(CONTENT_RULES)) {
      services.register(CONTENT_RULES, { useFactory: () => own.resolve(CONTENT_RULES) });
    }
    services.register(WRITES_IN_FLIGHT, { useFactory: () => own.resolve(WriteBarrier) });
    host.actions(() => storageActions(own));
    host.component('shared catalogs', () => own.resolve(CatalogSharing), 'receiver');
    host.component('shared scrolls', () => own.resolve(ScrollSharing), 'receiver');
    host.component('specifications', () => own.resolve(SpecificationStore));
    host.component('scrolls', () => own.resolve(ScrollTable));
  },
};
