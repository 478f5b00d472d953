import {
  MemoryExpiringStore,
  systemClock,
  type AuthStrategy,
  type ExpiringStore,
} from '@millrace/kernel';
import type { SamlConfig } from './config.js';
import { SamlFlow } from './SamlFlow.js';
import { SamlLogin } from './SamlLogin.js';
import type { SamlSettings } from './SamlSettings.js';

/** A strategy with the metadata for its identity provider. */
export interface SamlStrategy {
  readonly strategy: AuthStrategy;
  /** XML. */
  metadata(): string;
}

/** Only good answers get there: one that lives for an hour leaves room for 100,000 logins in that time. */
const MAX_USED_ASSERTIONS = 100_000;

/**
 * One strategy for each identity provider.
 * @param requests where logins under way are kept
 */
export function createSamlStrategies(
  providers: readonly SamlSettings[],
  values: SamlConfig,
  requests: ExpiringStore,
): readonly SamlStrategy[] {
  const { requestLifeMs, clockSkewMs, maxResponseSize } = values;
  // Apart from the requests: anybody can begin logins, and must not push out what has been used. Other nodes need not
  // know it: an assertion answers a request, and a request is taken once in the whole cluster.
  const used = new MemoryExpiringStore(systemClock, MAX_USED_ASSERTIONS);
  return providers.map((settings) => {
    const flow = new SamlFlow({ settings, requests, requestLifeMs, clockSkewMs });
    const maxResponseBytes = maxResponseSize;
    const login = new SamlLogin({ settings, flow, used, clockSkewMs, maxResponseBytes });
    const strategy: AuthStrategy = {
      name: settings.strategy,
      takesForms: true,
      verify: (_, attempt) => login.run(attempt),
    };
    return { strategy, metadata: () => flow.metadata() };
  });
}
