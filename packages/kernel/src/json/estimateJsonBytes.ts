/** Memory of an empty object and its slot in a list, the worst case per character. */
const BYTES_PER_NODE = 64;
const BYTES_PER_CHARACTER = 2;
/** Each value except the first follows one of these. */
const NODE = /[[{,:]/g;

/** Estimates the memory of a parsed JSON value from its source: `[{},{},…]` takes twenty times its length. */
export function estimateJsonBytes(json: string): number {
  const nodeCount = json.match(NODE)?.length ?? 0;
  return json.length * BYTES_PER_CHARACTER + nodeCount * BYTES_PER_NODE;
}
