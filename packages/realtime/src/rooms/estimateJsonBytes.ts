/** An empty object, with its place in a list, takes the most for its characters. */
const BYTES_PER_NODE = 64;
const BYTES_PER_CHARACTER = 2;
/** Each value but the first comes after one of these. */
const NODE = /[[{,:]/g;

/** Estimates the memory of a parsed JSON value from its text: `[{},{},…]` takes twenty times its text. */
export function estimateJsonBytes(json: string): number {
  const nodeCount = json.match(NODE)?.length ?? 0;
  return json.length * BYTES_PER_CHARACTER + nodeCount * BYTES_PER_NODE;
}
