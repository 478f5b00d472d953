import type { FieldNode } from './FieldNode.js';

/** The members of an interface, one per line, indented by two blanks. */
export function writeFields(fields: ReadonlyMap<string, FieldNode>, indent = '  '): string {
  const lines = [...fields].map(
    ([name, node]) => `${indent}${writeName(name)}${node.isRequired ? '' : '?'}: ${writeNode(node, indent)};`,
  );
  return lines.join('\n');
}

/** A name as a key of a type. */
export function writeName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}

function writeNode({ type, list, fields }: FieldNode, indent: string): string {
  const one = fields.size === 0 ? type : `{\n${writeFields(fields, `${indent}  `)}\n${indent}}`;
  if (list === 'no') return one;
  const many = /^[\w]+$/.test(one) || one.startsWith('{') ? `${one}[]` : `(${one})[]`;
  return list === 'yes' ? many : `${one} | ${many}`;
}
