/** A fault of syntax in the text of a `query_string`. */
export class LuceneFault extends Error {}
