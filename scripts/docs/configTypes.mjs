import { comment } from './SchemaTypes.mjs';
import { pretty } from './actionTypes.mjs';

/** Values of other types than the default's that custom formats may take; each is tried. */
const PROBES = [
  ['number', 1],
  ['string', 'millrace'],
  ['readonly string[]', []],
];

/** packages/server/src/configuration/KernelConfig.ts: the configuration keys of a server with all shipped plugins, as a type. */
export async function configTypes(keys, file) {
  const tree = {};
  for (const { path, leaf } of keys) {
    const names = path.split('.');
    const section = names.slice(0, -1).reduce((node, name) => (node[name] ??= {}), tree);
    section[names.at(-1)] = `${comment(docOf(leaf))}readonly ${names.at(-1)}?: ${typeOf(leaf)};`;
  }
  const text = `// Made by \`node scripts/generateTypes.mjs\`. Do not edit.
import type { JsonObject, PluginSections } from '@millrace/kernel';

/**
 * The configuration of a kernel, as a tree of sections: \`{ http: { port: 0 } }\`. It has the keys of the server and of the
 * shipped plugins; another plugin adds its sections to \`PluginSections\` of \`@millrace/kernel\` by declaration merging.
 */
export interface KernelConfig extends PluginSections ${write(tree)}
`;
  return pretty(text, file);
}

function write(tree) {
  const members = Object.entries(tree).map(([name, node]) =>
    typeof node === 'string' ? node : `readonly ${name}?: ${write(node)};`,
  );
  return `{\n${members.join('\n')}\n}`;
}

function docOf({ doc, default: value, sensitive }) {
  const shown = value === '' || typeof value === 'object' || sensitive ? '' : ` Default: \`${JSON.stringify(value)}\`.`;
  return `${doc}.${shown}`;
}

function typeOf({ format, default: value, nullable }) {
  const types = new Set();
  if (Array.isArray(format)) for (const each of format) types.add(JSON.stringify(each));
  else types.add(typeOfDefault(format, value));
  if (typeof format === 'function' && ![Boolean, String, Number, Object, Array].includes(format))
    for (const [type, probe] of PROBES) if (takes(format, probe)) types.add(type);
  if (nullable === true) types.add('null');
  return [...types].join(' | ');
}

function typeOfDefault(format, value) {
  if (format === Boolean || typeof value === 'boolean') return 'boolean';
  if (typeof value === 'number') return 'number';
  if (typeof value === 'string') return 'string';
  if (Array.isArray(value)) return 'readonly string[]';
  if (typeof value === 'object' && value !== null) return 'JsonObject';
  throw new Error(`a configuration key with the default ${JSON.stringify(value)} has no type`);
}

function takes(format, value) {
  try {
    format(value);
    return true;
  } catch {
    return false;
  }
}
