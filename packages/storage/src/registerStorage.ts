import { randomBytes } from 'node:crypto';
import { CONFIG, NO_OBSERVERS, CONTENT_RULES, NODE_LINK, SOLE_NODE, WRITE_OBSERVERS } from '@millrace/kernel';
import type { DependencyContainer, InjectionToken } from 'tsyringe';
import { DEFAULT_MAPPING, parseDefaultMapping } from './catalog/DEFAULT_MAPPING.js';
import { STORAGE_CONFIG, type StorageConfig } from './config.js';
import { RANDOM_BYTES } from './documents/RANDOM_BYTES.js';
import { SpecificationRules } from './validation/SpecificationRules.js';

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
  provide(CONTENT_RULES, () => container.resolve(SpecificationRules));
  provide(WRITE_OBSERVERS, () => NO_OBSERVERS);
  provide(NODE_LINK, () => SOLE_NODE);
}
