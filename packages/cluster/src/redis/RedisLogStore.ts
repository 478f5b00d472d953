/*
 * What the change log needs of Redis in addition to appending: reading a range of the stream, the epoch, the recorded
 * collections. Uses a separate connection, so that a long range doesn't delay what this node appends.
 */
import { clusterErrors, type Logger } from '@millrace/kernel';
import type { ClusterConfig } from '../ClusterConfig.js';
import type { LogStore } from '../LogStore.js';
import { RedisClient } from './RedisClient.js';
import type { RedisPresence } from './RedisPresence.js';
import { STREAM_START, type StreamEntry } from './RedisStream.js';

const PINGS_PER_SILENCE = 3;

const REPLACE = `
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('SET', KEYS[1], ARGV[2]) end
redis.call('SET', KEYS[1], ARGV[2], 'NX')
return redis.call('GET', KEYS[1])`;

// By the clock of Redis, which the ids of entries are made of.
const TRIM = `
local t = redis.call('TIME')
return redis.call('XTRIM', KEYS[1], 'MINID', t[1] * 1000 + math.floor(t[2] / 1000) - ARGV[1])`;

/** The change log's side of Redis: `LogStore` documents the methods. All methods reject with `cluster.unavailable` (503) while Redis is unavailable. */
export class RedisLogStore implements LogStore {
  private readonly streamKey: string;
  private readonly epochKey: string;
  private readonly coversKey: string;
  private client: RedisClient | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly config: ClusterConfig['redis'],
    prefix: string,
    private readonly log: Logger,
    private readonly presence: RedisPresence,
  ) {
    this.streamKey = `{${prefix}}:cluster:stream`;
    this.epochKey = `{${prefix}}:cluster:epoch`;
    this.coversKey = `{${prefix}}:cluster:recorded`;
  }

  /** @throws cluster.unavailable (503) */
  async open(): Promise<void> {
    this.client = await RedisClient.open(this.config, this.presence);
    // A connection that is silent counts as lost.
    const ping = () => void this.send(['PING']).catch(() => undefined);
    this.timer = setInterval(ping, this.config.silenceTimeoutMs / PINGS_PER_SILENCE).unref();
  }

  close(): void {
    clearInterval(this.timer);
    this.client?.destroy();
    this.client = undefined;
  }

  async range(from: string, upTo: string, count: number): Promise<readonly StreamEntry[]> {
    const reply = await this.send(['XRANGE', this.streamKey, from, upTo, 'COUNT', String(count)]);
    return (reply as [string, string[]][]).map(([id, fields]) => ({ id, fields }));
  }

  firstId(): Promise<string> {
    return this.idOf(['XRANGE', this.streamKey, '-', '+', 'COUNT', '1']);
  }

  lastId(): Promise<string> {
    return this.idOf(['XREVRANGE', this.streamKey, '+', '-', 'COUNT', '1']);
  }

  /** Memory of the stream in Redis, in bytes, estimated from a few entries. */
  async bytes(): Promise<number> {
    return Number((await this.send(['MEMORY', 'USAGE', this.streamKey])) ?? 0);
  }

  async trimBefore(id: string): Promise<void> {
    await this.send(['XTRIM', this.streamKey, 'MINID', id]);
  }

  async trimOlderThan(ageMs: number): Promise<void> {
    await this.send(['EVAL', TRIM, '1', this.streamKey, String(ageMs)]);
  }

  epoch(fresh: string): Promise<string> {
    return this.replaceEpoch('', fresh);
  }

  /** Sets another epoch unless another node has done so. @returns the epoch afterwards */
  async replaceEpoch(old: string, fresh: string): Promise<string> {
    return String(await this.send(['EVAL', REPLACE, '1', this.epochKey, old, fresh]));
  }

  async covers(): Promise<readonly (readonly [string, string])[]> {
    const reply = (await this.send(['HGETALL', this.coversKey])) as string[];
    return reply.flatMap((key, i) => (i % 2 === 0 ? [[key, reply[i + 1] ?? ''] as const] : []));
  }

  async putCover(key: string, value: string): Promise<void> {
    await this.send(['HSET', this.coversKey, key, value]);
  }

  async dropCover(key: string): Promise<void> {
    await this.send(['HDEL', this.coversKey, key]);
  }

  private async idOf(command: readonly string[]): Promise<string> {
    const [[id = STREAM_START] = []] = (await this.send(command)) as [string?][];
    return id;
  }

  private async send(command: readonly string[]): Promise<unknown> {
    try {
      if (this.client !== undefined) return await this.client.send(command);
    } catch (error) {
      this.log.debug({ err: error }, 'a command of the change log failed');
    }
    throw clusterErrors.unavailable({ reason: 'the Redis of the cluster is unavailable' });
  }
}
