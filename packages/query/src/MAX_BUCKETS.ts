/** A response with more buckets is refused (SEARCH-50). */
export const MAX_BUCKETS = 65_536;
