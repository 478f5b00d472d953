/** A wrong call of a command: the process exits with 2. */
export class UsageError extends Error {}
