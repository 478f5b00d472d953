import { inspectConfig, type ConfigFault, coreErrors, listConfigKeys } from '@millrace/kernel';
import { composeServer } from '../composeServer.js';
import { createLogger } from '../logging/createLogger.js';
import { checkTlsSection, tlsSections } from '../doctor/checkTls.js';
import { valueAt } from '../valueAt.js';
import { prepareConfig } from '../configuration/prepareConfig.js';
import type { Command } from './Command.js';
import type { CommandCall } from './CommandCall.js';
import { UsageError } from './UsageError.js';
import { formatTable } from './formatTable.js';

/** Checks the configuration without starting anything. */
export const configCheckCommand: Command = {
  name: 'config check',
  summary: 'Lists every fault of the configuration; exit code 1 if there is one',
  usesConfig: true,
  hasResult: true,
  run: async (call) => {
    const found = await findConfigFaults(call);
    const faults = found.length > 0 ? found : await findTlsFaults(call);
    const isFailed = faults.length > 0;
    const text = isFailed ? faults.map(({ problem }) => `${problem}\n`).join('') : 'The configuration is valid\n';
    return {
      text,
      json: { isValid: !isFailed, faults: faults.map((each) => ({ ...each })) },
      isFailed,
    };
  },
};

/** Certificates that a server would refuse, or that have expired. `doctor` reports them with what mends them. */
async function findTlsFaults(call: CommandCall): Promise<readonly ConfigFault[]> {
  const { schema, sources } = prepareConfig(await call.kernelOptions());
  const faults: ConfigFault[] = [];
  for (const section of tlsSections(inspectConfig(schema, sources).config)) {
    const finding = await checkTlsSection(section, call.context.folder);
    if (finding?.level === 'error') faults.push({ key: `${section[0]}.tls`, problem: finding.saw });
  }
  return faults;
}

/**
 * Every fault: of the file, of plugins, of each key, and of keys that contradict each other. The last ones are found
 * only if there are no others.
 */
export async function findConfigFaults(call: CommandCall): Promise<readonly ConfigFault[]> {
  try {
    const { plugins, schema, sources } = prepareConfig(await call.kernelOptions());
    const { config, faults } = inspectConfig(schema, sources);
    if (faults.length > 0) return faults;
    await composeServer(config, plugins, createLogger({ level: 'silent', format: 'json' }));
    return [];
  } catch (error) {
    if (error instanceof UsageError) throw error;
    return [{ key: '', problem: error instanceof Error ? error.message : String(error) }];
  }
}

/** Shows every configuration value with its source. */
export const configShowCommand: Command = {
  name: 'config show',
  summary: 'Shows every configuration value and where it is set; secrets are hidden',
  options: { changed: { doc: 'only values that are set, without defaults' } },
  usesConfig: true,
  hasResult: true,
  run: async (call) => {
    const prepared = prepareConfig(await call.kernelOptions());
    const { config, faults } = inspectConfig(prepared.schema, prepared.sources);
    const [fault] = faults;
    if (fault !== undefined) throw coreErrors.invalid_config(fault);
    const ownSections = new Map(
      prepared.plugins.flatMap(({ name, config: sections = {} }) =>
        Object.keys(sections).map((section) => [section, name] as const),
      ),
    );
    const rows = listConfigKeys(prepared.schema)
      .filter(({ path }) => !call.has('changed') || Object.hasOwn(config.origins, path))
      .map(({ path }) => {
        const plugin = ownSections.get(path.split('.')[0] ?? '');
        const fallback = plugin === undefined ? 'default' : `default of plugin ${plugin}`;
        const value = valueAt(config.redacted, ...path.split('.'));
        return { key: path, value, source: config.origins[path] ?? fallback };
      });
    const lines = rows.map(({ key, value, source }) => [key, JSON.stringify(value), source]);
    return { text: formatTable(lines), json: rows };
  },
};
