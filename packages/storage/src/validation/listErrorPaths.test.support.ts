import { isJsonObject, type JsonObject, type JsonValue } from '@millrace/kernel';

/** Test support: the sorted `/` paths of the nodes with messages, and `documentScope`. */
export function listErrorPaths(tree: JsonObject): readonly string[] {
  const paths = tree.documentScope === undefined ? [] : ['documentScope'];
  const walk = (node: JsonValue | undefined, names: readonly string[]): void => {
    if (!isJsonObject(node)) return;
    if (node.messages !== undefined) paths.push(names.join('/'));
    const children = isJsonObject(node.children) ? Object.entries(node.children) : [];
    for (const [name, child] of children) walk(child, [...names, name]);
  };
  walk(tree.fieldScope, []);
  return paths.sort();
}
