import { systemClock, type AuthStrategy, type Tickets } from '@millrace/kernel';
import type { OAuth2Config } from './config.js';
import { LoginStates } from './LoginStates.js';
import { OAuth2Login } from './OAuth2Login.js';
import { OpenIdProvider } from './OpenIdProvider.js';
import { ProviderClient } from './ProviderClient.js';
import type { ProviderSettings } from './ProviderSettings.js';

/**
 * Creates one strategy per provider.
 * @param tickets issues the states of logins
 */
export function createStrategies(
  providers: readonly ProviderSettings[],
  values: OAuth2Config,
  tickets: Tickets,
): readonly AuthStrategy[] {
  const states = new LoginStates(tickets, values.stateLifeMs);
  return providers.map((settings) => createStrategy(settings, states, values));
}

function createStrategy(
  settings: ProviderSettings,
  states: LoginStates,
  { timeoutMs, maxConcurrent, maxResponseSize: maxResponseBytes }: OAuth2Config,
): AuthStrategy {
  const { strategy: name, issuer } = settings;
  const client = new ProviderClient({ strategy: name, maxResponseBytes });
  const openId = issuer === null ? null : new OpenIdProvider({ ...settings, issuer }, client, systemClock);
  const login = new OAuth2Login(settings, client, states, openId, timeoutMs, maxConcurrent);
  return { name, redirects: true, verify: (_, attempt) => login.run(attempt) };
}
