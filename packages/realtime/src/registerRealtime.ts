import {
  CHANGE_LOG,
  CONFIG,
  DOCUMENT_LISTENERS,
  NO_WRITES_IN_FLIGHT,
  NODE_LINK,
  PIPES,
  Pipes,
  RATE_LIMITS,
  SOLE_NODE,
  WRITES_IN_FLIGHT,
} from '@millrace/kernel';
import type { DependencyContainer } from 'tsyringe';
import { REALTIME_CONFIG, type RealtimeConfig } from './config.js';
import { DocumentNotifier } from './DocumentNotifier.js';

/**
 * Registers the realtime services in a server's container, one of each, and adds them to the storage's document
 * listeners. Needs `SECURITY`, `CONTENT_RULES`, `NOTIFIERS`, `HOOKS`, `CLOCK`, `LOGGER`, and `CONFIG` or
 * `REALTIME_CONFIG`.
 */
export function registerRealtime(container: DependencyContainer): void {
  if (!container.isRegistered(REALTIME_CONFIG, true)) {
    const config = container.resolve(CONFIG).section<RealtimeConfig>('realtime');
    container.registerInstance(REALTIME_CONFIG, config);
  }
  if (!container.isRegistered(NODE_LINK, true)) container.registerInstance(NODE_LINK, SOLE_NODE);
  if (!container.isRegistered(CHANGE_LOG, true)) {
    container.register(CHANGE_LOG, { useFactory: () => null });
  }
  if (!container.isRegistered(RATE_LIMITS, true)) {
    container.register(RATE_LIMITS, { useFactory: () => null });
  }
  if (!container.isRegistered(WRITES_IN_FLIGHT, true)) {
    container.registerInstance(WRITES_IN_FLIGHT, NO_WRITES_IN_FLIGHT);
  }
  if (!container.isRegistered(PIPES, true)) container.registerInstance(PIPES, new Pipes(0));
  container.register(DOCUMENT_LISTENERS, { useToken: DocumentNotifier });
}
