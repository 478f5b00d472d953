import { type ConfigSchema, integerBetween, positiveInteger } from '@millrace/kernel';
import { DEFAULT_FILTER_LIMITS, type FilterLimits } from '@millrace/filters';
import type { InjectionToken } from 'tsyringe';

/** The values of section `realtime`, as validated by `realtimeConfig`. */
export interface RealtimeConfig {
  /** Maximum of channels (room and option set) per connection; one more is answered 429. */
  readonly maxChannelsPerConnection: number;
  /** Maximum of bytes for the filters and metadata of one connection; above it 429. */
  readonly maxBytesPerConnection: number;
  /**
   * Maximum of bytes for the subscriptions of all connections; above it 503, and 429 for an address above a quarter
   * of it; 0: a quarter of the heap, at most 512 MiB.
   */
  readonly maxSubscriptionBytes: number;
  /** Limits of a single filter. */
  readonly filterLimits: FilterLimits;
  readonly follow: FollowConfig;
}

/** Limits of followed searches. */
export interface FollowConfig {
  /** Maximum of different searches; one more is answered 429. */
  readonly maxViews: number;
  /** Maximum of `from + size`; above it 400. */
  readonly maxWindow: number;
  /** Maximum of bytes for all results; above it 429. */
  readonly maxBytes: number;
}

/** The values of the current server. */
export const REALTIME_CONFIG: InjectionToken<RealtimeConfig> = Symbol('RealtimeConfig');

const limit = (doc: string, value: number) => ({ doc, format: positiveInteger, default: value });

/** Configuration keys of section `realtime`. */
export const realtimeConfig: ConfigSchema = {
  maxChannelsPerConnection: limit('Channels that one connection may hold', 1_000),
  maxBytesPerConnection: limit(
    'Memory in bytes that the filters and metadata of one connection may take, as estimated',
    8 * 2 ** 20,
  ),
  maxSubscriptionBytes: {
    doc: 'Memory in bytes that all subscriptions may take, as estimated; one address at most a quarter of it; 0: a quarter of the heap, at most 512 MiB',
    format: integerBetween(0, 2 ** 40),
    default: 0,
  },
  follow: {
    maxViews: limit('Different searches that are followed at once', 10_000),
    maxWindow: limit('Highest from + size of a followed search', 1_000),
    maxBytes: limit('Memory in bytes that the results of followed searches may take, as estimated', 256 * 2 ** 20),
  },
  filterLimits: {
    bytes: limit('Bytes of a filter as JSON', DEFAULT_FILTER_LIMITS.bytes),
    depth: limit('Nesting of and, or, not, bool in a filter', DEFAULT_FILTER_LIMITS.depth),
    conditions: limit(
      'Conditions of a filter after normalisation; a list of values is one',
      DEFAULT_FILTER_LIMITS.conditions,
    ),
    values: limit('Values in one in, ids or terms', DEFAULT_FILTER_LIMITS.values),
    polygonPoints: limit('Points of one polygon', DEFAULT_FILTER_LIMITS.polygonPoints),
    patternLength: limit('Characters of one pattern', DEFAULT_FILTER_LIMITS.patternLength),
    patternSteps: limit(
      'Steps of all patterns of a filter: characters, repetitions written out; a Unicode property adds 50',
      DEFAULT_FILTER_LIMITS.patternSteps,
    ),
  },
};
