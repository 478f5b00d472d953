import {
  coreErrors,
  inspectConfig,
  isJsonObject,
  listConfigKeys,
  type JsonObject,
  type JsonValue,
} from '@millrace/kernel';
import { prepareConfig } from '../configuration/prepareConfig.js';
import type { Command } from './Command.js';
import { formatTable } from './formatTable.js';

/** Shows every configuration value with its source. */
export const configShowCommand: Command = {
  name: 'config show',
  summary: 'Shows every configuration value and where it is set; secrets are hidden',
  options: { changed: { doc: 'only values that are set, without defaults' } },
  usesConfig: true,
  hasResult: true,
  run: async (call) => {
    const prepared = prepareConfig(await call.kernelOptions());
    const { config, origins, faults } = inspectConfig(prepared.schema, prepared.sources);
    const [fault] = faults;
    if (fault !== undefined) throw coreErrors.invalid_config(fault);
    const ownSections = new Map(
      prepared.plugins.flatMap(({ name, config: sections = {} }) =>
        Object.keys(sections).map((section) => [section, name] as const),
      ),
    );
    const rows = listConfigKeys(prepared.schema)
      .filter(({ path }) => !call.has('changed') || origins.has(path))
      .map(({ path }) => {
        const plugin = ownSections.get(path.split('.')[0] ?? '');
        const fallback = plugin === undefined ? 'default' : `default of plugin ${plugin}`;
        const value = valueAt(config.redacted, path);
        return { key: path, value, source: origins.get(path) ?? fallback };
      });
    const lines = rows.map(({ key, value, source }) => [key, JSON.stringify(value), source]);
    return { text: formatTable(lines), json: rows };
  },
};

function valueAt(values: JsonObject, path: string): JsonValue {
  return path
    .split('.')
    .reduce<JsonValue>((inner, name) => (isJsonObject(inner) ? (inner[name] ?? null) : null), values);
}
