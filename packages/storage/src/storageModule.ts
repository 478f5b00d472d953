import { CONTENT_RULES, WRITES_IN_FLIGHT, type Module } from '@millrace/kernel';
import { CatalogSharing } from './catalog/CatalogSharing.js';
import { storageConfig } from './config.js';
import { WriteBarrier } from './documents/WriteBarrier.js';
import { registerStorage } from './registerStorage.js';
import { ScrollSharing } from './search/ScrollSharing.js';
import { ScrollTable } from './search/ScrollTable.js';
import { storageActions } from './storageActions.js';
import { SpecificationStore } from './validation/SpecificationStore.js';

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
