import {
  MemoryExpiringStore,
  systemClock,
  type AuthStrategy,
  type ExpiringStore,
} from '@millrace/kernel';
import type { OAuth2Config } from './config.js';
import { LoginStates } from './LoginStates.js';
import { OAuth2Login } from './OAuth2Login.js';
import { OpenIdProvider } from './OpenIdProvider.js';
import { ProviderClient } from './ProviderClient.js';
import type { ProviderSettings } from './ProviderSettings.js';

/** On one connection several logins may be under way, each with two entries. */
const CONNECTION_ENTRIES_PER_LOGIN = 2;

/**
 * One strategy for each provider.
 * @param store where the states of logins are kept
 */
export function createStrategies(
  providers: readonly ProviderSettings[],
  values: OAuth2Config,
  store: ExpiringStore,
): readonly AuthStrategy[] {
  const { maxPendingLogins, stateLifeMs: lifeMs } = values;
  const maxEntries = maxPendingLogins * CONNECTION_ENTRIES_PER_LOGIN;
  const connections = new MemoryExpiringStore(systemClock, maxEntries);
  const states = new LoginStates({ store, connections, lifeMs });
  return providers.map((settings) => createStrategy(settings, states, values));
}

function createStrategy(
  settings: ProviderSettings,
  states: LoginStates,
  { timeoutMs, maxConcurrent, maxResponseSize: maxResponseBytes }: OAuth2Config,
): AuthStrategy {
  const { strategy: name, issuer } = settings;
  const client = new ProviderClient({ strategy: name, maxResponseBytes });
  const openId =
    issuer === null ? null : new OpenIdProvider({ ...settings, issuer }, client, systemClock);
  const login = new OAuth2Login({ settings, client, states, openId, timeoutMs, maxConcurrent });
  return { name, verify: (_, attempt) => login.run(attempt) };
}
