import { ReplayGuard, systemClock, type AuthStrategy, type Tickets } from '@millrace/kernel';
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

/** Only valid assertions are stored: with a life of an hour there is room for 100,000 logins in that time. */
const MAX_USED_ASSERTIONS = 100_000;

/**
 * Creates one strategy per identity provider.
 * @param requests issues the ids of requests
 */
export function createSamlStrategies(
  providers: readonly SamlSettings[],
  values: SamlConfig,
  requests: Tickets,
): readonly SamlStrategy[] {
  const { requestLifeMs, clockSkewMs, maxResponseSize } = values;
  // Not shared between nodes: an assertion answers a request, and a request is redeemed once in the whole cluster.
  const used = new ReplayGuard(systemClock, MAX_USED_ASSERTIONS);
  return providers.map((settings) => {
    const flow = new SamlFlow(settings, requests, requestLifeMs, clockSkewMs);
    const maxResponseBytes = maxResponseSize;
    const login = new SamlLogin(settings, flow, used, clockSkewMs, maxResponseBytes);
    const strategy: AuthStrategy = {
      name: settings.strategy,
      takesForms: true,
      redirects: true,
      verify: (_, attempt) => login.run(attempt),
    };
    return { strategy, metadata: () => flow.metadata() };
  });
}
