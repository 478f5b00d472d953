import { readdirSync } from 'node:fs';

/** What a process holds (reliability.md B1: at most 60 descriptors and 256 MB more). */
export function footprint(): { readonly descriptors: number; readonly rssBytes: number } {
  return {
    descriptors: readdirSync('/proc/self/fd').length,
    rssBytes: process.memoryUsage.rss(),
  };
}
