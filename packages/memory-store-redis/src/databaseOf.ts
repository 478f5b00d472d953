import type { RedisMemoryStoreConfig } from './RedisMemoryStoreConfig.js';

/** The logical database: the one in the URL, else the configured one. */
export function databaseOf({ url, database }: Pick<RedisMemoryStoreConfig, 'url' | 'database'>): number {
  const [, digits] = /^\/(\d+)$/.exec(new URL(url).pathname) ?? [];
  return digits === undefined ? database : Number(digits);
}

/**
 * Whether two URLs lead to the same database of the same Redis. The service refuses to start if its own data and the
 * memory store would share one (MEM-60).
 */
export function isSameDatabase(
  left: Pick<RedisMemoryStoreConfig, 'url' | 'database'>,
  right: Pick<RedisMemoryStoreConfig, 'url' | 'database'>,
): boolean {
  return placeOf(left.url) === placeOf(right.url) && databaseOf(left) === databaseOf(right);
}

function placeOf(address: string): string {
  const { hostname, port } = new URL(address);
  const host = ['localhost', '[::1]', ''].includes(hostname) ? '127.0.0.1' : hostname.toLowerCase();
  return `${host}:${port === '' ? '6379' : port}`;
}
