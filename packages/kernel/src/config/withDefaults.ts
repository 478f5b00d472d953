import type { ConfigSchema } from './ConfigSchema.js';

/**
 * A schema with other defaults for some of its keys, sections in sections included; file, environment and flags still win
 * over them, and they are checked alike.
 * @param owner who is to blame, for errors
 * @throws Error for a key that the schema doesn't have
 */
export function withDefaults(schema: ConfigSchema, defaults: object, owner: string): ConfigSchema {
  const changed: Record<string, ConfigSchema[string]> = { ...schema };
  for (const [key, value] of Object.entries(defaults) as [string, unknown][]) {
    const node = Object.hasOwn(schema, key) ? schema[key] : undefined;
    const isSection = node !== undefined && !Object.hasOwn(node, 'default');
    if (node === undefined || (isSection && (typeof value !== 'object' || value === null))) {
      throw new Error(`${owner} has no such option: ${key}`);
    }
    changed[key] = isSection
      ? withDefaults(node, value as object, owner)
      : { ...node, default: value };
  }
  return changed;
}
