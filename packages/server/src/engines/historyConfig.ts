import { type ConfigSchema, integerBetween } from '@millrace/kernel';
import type { HistoryOptions } from '@millrace/storage-sqlite';

/** The values of section `realtime.history`. */
export type HistoryValues = Omit<HistoryOptions, 'collections'> & {
  readonly collections: string | readonly string[];
};

/** The options of the engine. */
export function toHistory({ collections, ...limits }: HistoryValues): HistoryOptions {
  if (collections === 'subscribed' || collections === 'all') return { ...limits, collections };
  return { ...limits, collections: listOf(collections) };
}

function listOf(value: string | readonly string[]): readonly string[] {
  return typeof value === 'string' ? value.split(',').map((each) => each.trim()) : value;
}

function collections(value: unknown): void {
  if (value === 'subscribed' || value === 'all') return;
  const isName = (each: unknown) => typeof each === 'string' && /^[^/]+\/[^/]+$/.test(each);
  const list: unknown = typeof value === 'string' ? listOf(value) : value;
  if (!Array.isArray(list) || !list.every(isName))
    throw new Error('must be "subscribed", "all" or a list of "index/collection"');
}

const age = (doc: string, value: number) => ({
  doc,
  format: integerBetween(1_000, 365 * 24 * 60 * 60_000),
  default: value,
});

const bytes = (doc: string, value: number) => ({
  doc,
  format: integerBetween(0, 2 ** 45),
  default: value,
});

/** Configuration keys of section `realtime.history` (LOG-7). */
export const historyConfig: ConfigSchema = {
  collections: {
    doc: 'Collections whose changes are recorded: "subscribed" (while they have subscriptions, and for maxAgeMs after the last one), "all", or a list of "index/collection" that are recorded in addition to those',
    format: collections,
    default: 'subscribed',
  },
  maxAgeMs: age('How long recorded changes are kept, in milliseconds', 15 * 60_000),
  maxBytes: bytes('Bytes of recorded changes that are kept', 256 * 2 ** 20),
  maxPinnedAgeMs: age('How long changes are kept for named subscriptions, in milliseconds', 3 * 24 * 60 * 60_000),
  maxPinnedBytes: bytes(
    'Bytes of recorded changes that are kept in collections with named subscriptions',
    256 * 2 ** 20,
  ),
};
