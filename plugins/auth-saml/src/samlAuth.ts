import {
  authErrors,
  defineAction,
  definePlugin,
  RawContent,
  required,
  route,
  text,
  type ActionDefinition,
  type Plugin,
  type PluginHost,
} from '@millrace/kernel';
import { withDefaults } from '@millrace/plugin-kit';
import { samlConfig, type SamlConfig } from './config.js';
import { parseSamlProviders } from './parseSamlProviders.js';
import type { SamlProviderOptions } from './SamlSettings.js';

/** Defaults for keys of section `saml`. */
export interface SamlAuthOptions extends Partial<Omit<SamlConfig, 'providers'>> {
  readonly providers?: Readonly<Record<string, SamlProviderOptions>>;
}

/** XML by strategy. */
type Metadata = ReadonlyMap<string, () => string>;

const METADATA_TYPE = 'application/samlmetadata+xml; charset=utf-8';

/**
 * Login at SAML 2.0 identity providers (SEC-66): one strategy per provider in section `saml` of the configuration,
 * none by default.
 * @param options defaults for keys of that section; file, environment and flags override them
 */
export function samlAuth(options: SamlAuthOptions = {}): Plugin {
  return definePlugin({
    name: 'auth-saml',
    kernel: '^0.1.0',
    config: { saml: withDefaults(samlConfig, options, 'samlAuth') },
    setup: async (host) => host.controller([metadataAction(await setUp(host))]),
  });
}

async function setUp(host: PluginHost): Promise<Metadata> {
  const values = host.config['saml'] as unknown as SamlConfig;
  const metadata = new Map<string, () => string>();
  const providers = parseSamlProviders(values.providers, values.publicURL);
  if (providers.length === 0) return metadata;
  // Loaded only if a provider is configured.
  const { createSamlStrategies } = await import('./createSamlStrategies.js');
  const requests = host.tickets('requests');
  const strategies = createSamlStrategies(providers, values, requests);
  for (const { strategy, metadata: make } of strategies) {
    host.strategy(strategy);
    metadata.set(strategy.name, make);
  }
  return metadata;
}

/** Identity providers fetch it without a login; it contains no secrets. */
function metadataAction(metadata: Metadata): ActionDefinition {
  return defineAction({
    controller: 'saml',
    action: 'getMetadata',
    summary: 'Gives the metadata of a SAML strategy, for its identity provider.',
    routes: [route('GET /_saml/:strategy/metadata')],
    args: { strategy: required(text()) },
    mediaType: METADATA_TYPE,
    writes: false,
    ignoresToken: true,
    authorizesItself: true,
    run: ({ args: { strategy } }) => {
      const make = metadata.get(strategy);
      if (make !== undefined) return new RawContent(METADATA_TYPE, make());
      const names = [...metadata.keys()].map((name) => JSON.stringify(name)).join(' or ');
      const known = names === '' ? 'one of SAML, but none is configured' : names;
      throw authErrors.unknown_strategy({ strategy: strategy.slice(0, 100), known });
    },
  });
}
