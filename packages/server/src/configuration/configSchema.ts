import { coreErrors, isJsonObject, type ConfigSchema, type Plugin } from '@millrace/kernel';
import { limitsConfig, PRODUCTION_ANONYMOUS_RATE, securityConfig } from '@millrace/security';
import { serverConfig } from '../config.js';
import { BASE_MODULES, SERVICE_MODULES } from '../modules/OWN_MODULES.js';

/** Sections of protocols, declared here only so that a file may contain them without the plugin. */
const LEFT_TO_PLUGINS = ['websocket', 'fallback', 'mqtt', 'oauth2', 'saml', 'console'];

/**
 * All configuration keys of a server with these plugins, each of which declares separate sections.
 * @param isProduction a server in production is closed until its first administrator exists (SEC-2), and limits
 *   anonymous callers (LIMIT-2)
 * @throws core.plugin_refused if a plugin declares an existing section
 */
export function configSchema(plugins: readonly Plugin[], isProduction = false): ConfigSchema {
  const openUntilFirstAdmin = { ...securityConfig.openUntilFirstAdmin, default: !isProduction };
  const perSecond = {
    ...limitsConfig.anonymous.perSecond,
    default: isProduction ? PRODUCTION_ANONYMOUS_RATE : 0,
  };
  const schemas: readonly ConfigSchema[] = [
    serverConfig,
    ...[...BASE_MODULES, ...SERVICE_MODULES].map(({ config }) => (config ?? {}) as ConfigSchema),
    { security: { openUntilFirstAdmin }, limits: { anonymous: { perSecond } } },
    {
      oauth2: pluginSection('@millrace/auth-oauth2'),
      saml: pluginSection('@millrace/auth-saml'),
      console: pluginSection('@millrace/console'),
    },
  ];
  const own = schemas.reduce(merge, {});
  const taken = Object.keys(own).filter((section) => !LEFT_TO_PLUGINS.includes(section));
  const owners = new Map(taken.map((section) => [section, 'the server']));
  return plugins.reduce((schema, plugin) => merge(schema, sectionsOf(plugin, owners)), own);
}

/** @throws core.plugin_refused for an existing section */
function sectionsOf({ name, config = {} }: Plugin, owners: Map<string, string>): ConfigSchema {
  for (const section of Object.keys(config)) {
    const owner = owners.get(section);
    if (owner !== undefined) {
      const reason = `configuration section "${section}" exists already: it belongs to ${owner}`;
      throw coreErrors.plugin_refused({ plugin: name, reason });
    }
    owners.set(section, `plugin "${name}"`);
  }
  return config as ConfigSchema;
}

/** The section of an absent plugin: any key in it is refused with the command that installs the plugin. */
function pluginSection(packageName: string): ConfigSchema[string] {
  return {
    doc: `Section of the plugin ${packageName}, which is not installed: npm install ${packageName}`,
    format: (value: unknown) => {
      if (isJsonObject(value) && Object.keys(value).length === 0) return;
      throw new Error(
        `it needs the plugin ${packageName}: npm install ${packageName} (a program also adds it to its plugins)`,
      );
    },
    default: {},
    // Providers contain secrets.
    sensitive: true,
  };
}

function merge(base: ConfigSchema, added: ConfigSchema): ConfigSchema {
  const merged: Record<string, ConfigSchema[string]> = { ...base };
  for (const [name, node] of Object.entries(added)) {
    const known = merged[name];
    const bothSections = known !== undefined && !('default' in known) && !('default' in node);
    merged[name] = bothSections ? merge(known, node) : node;
  }
  return merged;
}
