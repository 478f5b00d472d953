import { CLOCK, CONFIG, ID_GENERATOR, IdGenerator, NODE_LINK, SECURITY, SOLE_NODE } from '@millrace/kernel';
import type { DependencyContainer } from 'tsyringe';
import { SECURITY_CONFIG, type SecurityConfig } from './config.js';
import { MillraceSecurity } from './MillraceSecurity.js';

/**
 * Registers the security services in a server's container, one of each, and `MillraceSecurity` as `SECURITY`,
 * replacing any earlier registration. Needs `STORAGE_ENGINE`, `CONFIG` (or `SECURITY_CONFIG`), `CLOCK`, `LOGGER`,
 * `HOOKS`, `STRATEGIES`, `ACTIONS` and the internal index (`registerInternalIndex`), and uses a `SECRET_STORE` if one is
 * registered.
 */
export function registerSecurity(container: DependencyContainer): void {
  if (!container.isRegistered(SECURITY_CONFIG, true)) {
    const section = container.resolve(CONFIG).section<SecurityConfig>('security');
    container.registerInstance(SECURITY_CONFIG, section);
  }
  if (!container.isRegistered(NODE_LINK, true)) container.registerInstance(NODE_LINK, SOLE_NODE);
  if (!container.isRegistered(ID_GENERATOR, true)) {
    container.registerInstance(ID_GENERATOR, new IdGenerator(container.resolve(CLOCK)));
  }
  container.register(SECURITY, { useFactory: (each) => each.resolve(MillraceSecurity) });
}
