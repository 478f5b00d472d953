/** A syntax error in the string of a `query_string`. */
export class LuceneFault extends Error {}
