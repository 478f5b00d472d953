/** More buckets in one response are refused (query-language.md section 6). */
export const MAX_BUCKETS = 65_536;
