/**
 * Close codes after which the client doesn't connect again, because it would fail again (PROTO-53). A test compares them
 * with the table of the server.
 */
export const FINAL_CODES: ReadonlySet<number> = new Set([1000, 1002, 1007, 1009]);
