/** More buckets in one response are refused (SEARCH-50). */
export const MAX_BUCKETS = 65_536;
