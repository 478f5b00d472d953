import { definePlugin, type Plugin } from '@millrace/kernel';
import { withDefaults } from '@millrace/plugin-kit';
import { oauth2Config, type OAuth2Config } from './config.js';
import { parseProviders } from './parseProviders.js';
import type { ProviderOptions } from './ProviderSettings.js';

/** Defaults for keys of section `oauth2`. */
export interface OAuth2AuthOptions extends Partial<Omit<OAuth2Config, 'providers'>> {
  readonly providers?: Readonly<Record<string, ProviderOptions>>;
}

/**
 * Login at OAuth2 and OpenID Connect providers (SEC-63): one strategy per provider in section `oauth2` of the
 * configuration, none by default.
 * @param options defaults for keys of that section; file, environment and flags override them
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
      // Loaded only if a provider is configured.
      const { createStrategies } = await import('./createStrategies.js');
      const tickets = host.tickets('states');
      for (const strategy of createStrategies(providers, values, tickets)) host.strategy(strategy);
    },
  });
}
