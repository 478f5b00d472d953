import type { JsonObject, JsonValue } from '@millrace/kernel';
import type { DocumentFault } from './findFaults.js';

interface Node {
  readonly messages: Set<string>;
  readonly children: Map<string, Node>;
}

/** The `errorMessages` of a validation (VALID-40); `{}` if there are no faults. */
export function toErrorTree(faults: Iterable<DocumentFault>): JsonObject {
  const document = new Set<string>();
  const root = createNode();
  for (const { path, message } of faults) {
    if (path.length === 0) document.add(message);
    else descend(root, path).messages.add(message);
  }
  return {
    ...(document.size === 0 ? undefined : { documentScope: [...document] }),
    ...(root.children.size === 0 ? undefined : { fieldScope: toJson(root) }),
  };
}

function createNode(): Node {
  return { messages: new Set(), children: new Map() };
}

function descend(root: Node, path: readonly string[]): Node {
  let node = root;
  for (const name of path) {
    const child = node.children.get(name) ?? createNode();
    node.children.set(name, child);
    node = child;
  }
  return node;
}

function toJson({ messages, children }: Node): JsonObject {
  const entries = [...children].map(([name, child]): [string, JsonValue] => [name, toJson(child)]);
  return {
    ...(messages.size === 0 ? undefined : { messages: [...messages] }),
    // `fromEntries` defines keys, so that `__proto__` stays an own key.
    ...(entries.length === 0 ? undefined : { children: Object.fromEntries(entries) }),
  };
}
