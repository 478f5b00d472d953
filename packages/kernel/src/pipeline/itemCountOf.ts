/** The arguments whose items count as operations: documents, ids, lines of a bulk import. */
const LISTS = ['documents', 'ids', 'bulkData'];

/** The number of operations that a request asks for; 1 without a list. */
export function itemCountOf(args: Readonly<Record<string, unknown>>): number {
  for (const name of LISTS) {
    const list = args[name];
    if (Array.isArray(list)) return Math.max(1, list.length);
  }
  return 1;
}
