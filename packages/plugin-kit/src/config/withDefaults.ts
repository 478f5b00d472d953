import type { ConfigSchema } from '@millrace/kernel';

/**
 * A schema with other defaults for some of its keys, including nested sections; file, environment and flags still
 * override them, and they are validated in the same way.
 * @param owner the package or plugin to name in errors
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
    changed[key] = isSection ? withDefaults(node, value as object, owner) : { ...node, default: value };
  }
  return changed;
}
