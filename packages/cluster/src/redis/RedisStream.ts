/*
 * The stream between the nodes, and the list of nodes. Uses two connections: a read blocks in Redis until an entry
 * arrives, and commands on the same connection would wait behind it.
 */
import { coreErrors, type Logger } from '@millrace/kernel';
import type { ClusterConfig } from '../ClusterConfig.js';
import { RedisClient } from './RedisClient.js';
import type { RedisPresence } from './RedisPresence.js';

/** One entry: its id, and its fields as alternating names and values. */
export interface StreamEntry {
  readonly id: string;
  readonly fields: readonly string[];
}

/** The position before all entries. */
export const STREAM_START = '0-0';

const READ_COUNT = '256';

// Uses one clock for all nodes, that of Redis. Returns the nodes seen recently.
const REGISTER = `
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[2])
return redis.call('ZRANGE', KEYS[1], 0, -1)`;

// An entry whose reply was lost may be there: it is searched for among those after the last one that was confirmed.
const APPEND_ONCE = `
local after = ARGV[1]
for _ = 1, 200 do
  local entries = redis.call('XRANGE', KEYS[1], '(' .. after, '+', 'COUNT', 100)
  if #entries == 0 then break end
  for _, entry in ipairs(entries) do
    if entry[2][2] == ARGV[4] and entry[2][3] == ARGV[5] then return entry[1] end
    after = entry[1]
  end
end
return redis.call('XADD', KEYS[1], 'MAXLEN', '~', ARGV[2], '*', unpack(ARGV, 3))`;

/** The stream of a cluster in Redis. */
export class RedisStream {
  private readonly streamKey: string;
  private readonly nodesKey: string;
  private writer: RedisClient | undefined;
  private reader: RedisClient | undefined;
  private appendedId = STREAM_START;

  constructor(
    private readonly config: ClusterConfig,
    prefix: string,
    private readonly log: Logger,
    private readonly presence: RedisPresence,
  ) {
    // One hash slot, for use with Redis Cluster.
    this.streamKey = `{${prefix}}:cluster:stream`;
    this.nodesKey = `{${prefix}}:cluster:nodes`;
  }

  /** @throws cluster.unavailable (503) */
  async open(): Promise<void> {
    this.writer = await RedisClient.open(this.config.redis, this.presence);
    this.reader = await RedisClient.open(this.config.redis, this.presence);
    this.appendedId = await this.lastId();
  }

  close(): void {
    this.writer?.destroy();
    this.reader?.destroy();
    this.writer = undefined;
    this.reader = undefined;
  }

  /** @throws core.invalid_config if Redis may delete the stream when its memory is full */
  async assertKeeps(): Promise<void> {
    let memory: string;
    try {
      memory = String(await this.write(['INFO', 'memory']));
    } catch (error) {
      this.log.warn(
        { err: error },
        'INFO memory is not allowed: check that maxmemory-policy of the Redis of the cluster is noeviction',
      );
      return;
    }
    const read = (name: string) => new RegExp(`^${name}:(.*)$`, 'm').exec(memory)?.[1]?.trim();
    const policy = read('maxmemory_policy') ?? 'noeviction';
    if (policy === 'noeviction' || Number(read('maxmemory') ?? 0) === 0) return;
    throw coreErrors.invalid_config({
      problem: `Redis of cluster.redis.url deletes keys when its memory is full (maxmemory-policy ${policy}): set maxmemory-policy noeviction`,
    });
  }

  /**
   * Appends an entry and trims the stream to approximately the newest `keptCount` entries.
   * @param isRetry the entry may have been appended already: it is added only if it isn't there
   */
  async append(fields: readonly string[], keptCount: number, isRetry: boolean): Promise<void> {
    const kept = String(keptCount);
    const command = isRetry
      ? ['EVAL', APPEND_ONCE, '1', this.streamKey, this.appendedId, kept, ...fields]
      : ['XADD', this.streamKey, 'MAXLEN', '~', kept, '*', ...fields];
    this.appendedId = String(await this.write(command));
  }

  /**
   * Reads entries after a position, in order; waits up to `waitMs` for the first. Redis only returns well-formed
   * entries.
   */
  async read(afterId: string, waitMs: number): Promise<readonly StreamEntry[]> {
    const block = ['BLOCK', String(waitMs)];
    const command = ['XREAD', 'COUNT', READ_COUNT, ...block, 'STREAMS', this.streamKey, afterId];
    const reply = await this.opened(this.reader).send(command);
    if (!Array.isArray(reply)) return [];
    const [[, entries = []] = []] = reply as [string, [string, string[] | null][]][];
    return entries.map(([id, fields]) => ({ id, fields: fields ?? [] }));
  }

  /** The id of the newest entry. */
  lastId(): Promise<string> {
    return this.idOf(['XREVRANGE', this.streamKey, '+', '-', 'COUNT', '1']);
  }

  /** Whether an entry that was read is gone although older ones are there, so that it was not trimmed. */
  async hasLost(id: string): Promise<boolean> {
    if (id === STREAM_START) return false;
    const [firstId, foundId] = await Promise.all([
      this.idOf(['XRANGE', this.streamKey, '-', '+', 'COUNT', '1']),
      this.idOf(['XRANGE', this.streamKey, id, id]),
    ]);
    return foundId === STREAM_START && !isBehind(firstId, id);
  }

  /** Registers a node as alive. @returns all nodes registered within `deadAfterMs` */
  async register(nodeId: string): Promise<readonly string[]> {
    const { deadAfterMs } = this.config;
    const command = ['EVAL', REGISTER, '1', this.nodesKey, nodeId, String(deadAfterMs)];
    return (await this.write(command)) as string[];
  }

  async unregister(nodeId: string): Promise<void> {
    await this.write(['ZREM', this.nodesKey, nodeId]);
  }

  /** @throws the error of Redis, or an error if disconnected */
  write(command: readonly string[]): Promise<unknown> {
    return this.opened(this.writer).send(command);
  }

  private async idOf(command: readonly string[]): Promise<string> {
    const [[id = STREAM_START] = []] = (await this.write(command)) as [string?][];
    return id;
  }

  private opened(client: RedisClient | undefined): RedisClient {
    if (client === undefined) throw new Error('the link to the cluster is closed');
    return client;
  }
}

/** Whether an id in the stream comes after another. */
export function isBehind(id: string, other: string): boolean {
  const [ms = 0, count = 0] = id.split('-').map(Number);
  const [otherMs = 0, otherCount = 0] = other.split('-').map(Number);
  return ms === otherMs ? count > otherCount : ms > otherMs;
}
