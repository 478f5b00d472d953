import { definePlugin, withDefaults, type Plugin } from '@millrace/kernel';
import { oauth2Config, type OAuth2Config } from './config.js';
import { parseProviders } from './parseProviders.js';
import type { ProviderOptions } from './ProviderSettings.js';

/** Other defaults for keys of section `oauth2`. */
export interface OAuth2AuthOptions extends Partial<Omit<OAuth2Config, 'providers'>> {
  readonly providers?: Readonly<Record<string, ProviderOptions>>;
}

/**
 * Login at OAuth2 and OpenID Connect providers (SEC-63): one
 * strategy for each provider in section `oauth2` of the configuration, none where none is configured.
 * @param options other defaults for keys of that section; file, environment and flags win over them
 */
export function oauth2Auth(options: OAuth2AuthOptions = {}): Plugin {
  return definePlugin({
    name: 'auth-oauth2',
    kernel: '^0.1.0',
    config: { oauth2: withDefaults(oauth2Config, options, 'oauth2Auth') },
    setup: async (host) => {
      const values = host.config['oauth2'] as unknown as OAuth2Config;
      const providers = parseProviders(values.providers, values.publicURL);
      if (providers.length === 0) return;
      // A server without a provider doesn't load what it would never use.
      const { createStrategies } = await import('./createStrategies.js');
      const tickets = host.tickets('states');
      for (const strategy of createStrategies(providers, values, tickets)) host.strategy(strategy);
    },
  });
}
