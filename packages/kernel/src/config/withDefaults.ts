import type { ConfigSchema } from './ConfigSchema.js';

/**
 * A schema of one section with other defaults for some of its keys; file, environment and flags still win over them.
 * @param owner who is to blame, for errors
 * @throws Error for a key that the schema doesn't have
 */
export function withDefaults(schema: ConfigSchema, defaults: object, owner: string): ConfigSchema {
  const changed: Record<string, ConfigSchema[string]> = { ...schema };
  for (const [key, value] of Object.entries(defaults) as [string, unknown][]) {
    const leaf = Object.hasOwn(schema, key) ? schema[key] : undefined;
    if (leaf === undefined || !Object.hasOwn(leaf, 'default')) {
      throw new Error(`${owner} has no such option: ${key}`);
    }
    changed[key] = { ...leaf, default: value };
  }
  return changed;
}
