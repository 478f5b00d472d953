import type { SchemaObj } from 'convict';

/**
 * A tree of configuration keys in convict's format: leaves have `default`, `format`, `doc` and, for secrets,
 * `sensitive: true`. Environment variable names are derived from the path (`http.maxBodySize` →
 * `MILLRACE_HTTP_MAX_BODY_SIZE`).
 */
export interface ConfigSchema {
  readonly [key: string]: ConfigSchema | SchemaObj<unknown>;
}

/** One key of a schema. */
export interface ConfigKey {
  readonly path: string;
  readonly environmentName: string;
  readonly leaf: SchemaObj<unknown>;
}

/** All keys of a schema in order of declaration. */
export function listConfigKeys(schema: ConfigSchema, prefix = ''): readonly ConfigKey[] {
  return Object.entries(schema).flatMap(([name, node]): readonly ConfigKey[] => {
    const path = prefix + name;
    if (isLeaf(node)) return [{ path, environmentName: toEnvironmentName(path), leaf: node }];
    return listConfigKeys(node, `${path}.`);
  });
}

function isLeaf(node: ConfigSchema | SchemaObj<unknown>): node is SchemaObj<unknown> {
  return Object.hasOwn(node, 'default');
}

function toEnvironmentName(path: string): string {
  const words = path.replace(/([a-z0-9])([A-Z])/g, '$1_$2').replaceAll('.', '_');
  return `MILLRACE_${words.toUpperCase()}`;
}
