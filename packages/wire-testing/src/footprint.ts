import { readdirSync } from 'node:fs';

/** What a process holds. Fuzz tests allow 60 more descriptors and 256 MB more afterwards. */
export function footprint(): { readonly descriptors: number; readonly rssBytes: number } {
  return {
    descriptors: readdirSync('/proc/self/fd').length,
    rssBytes: process.memoryUsage.rss(),
  };
}
