import type { Clock, LeaseRequest, RateLease } from '@millrace/kernel';

/** A request that waits longer is decided without Redis. */
const MAX_WAIT_MS = 250;
/** Redis that didn't answer isn't asked again for this long. */
const PAUSE_MS = 1_000;

// A bucket is the time at which it will be full again, on the clock of Redis.
const LEASE = `
local t = redis.call('TIME')
local now = t[1] * 1000 + t[2] / 1000
local token, burst = 1000 / ARGV[1], tonumber(ARGV[2])
local needed, spare = tonumber(ARGV[3]), tonumber(ARGV[4])
local full = math.max(now, tonumber(redis.call('GET', KEYS[1]) or now))
local free = math.floor(burst - (full - now) / token + 0.000001)
if free < 1 then
  return {0, math.ceil(full - now - (burst - 1) * token), 0, math.ceil(full - now)}
end
local granted = math.max(needed, math.min(needed + spare, free))
full = full + granted * token
redis.call('SET', KEYS[1], string.format('%.3f', full), 'PX', math.ceil(full - now) + 1)
return {granted, 0, math.max(0, free - granted), math.ceil(full - now)}`;

/** The buckets of rate limits in Redis, shared by all nodes. They expire when they are full. */
export class RateLeases {
  private awayUntilMs = 0;

  /**
   * @param send sends a command to Redis
   * @param prefix of the keys
   */
  constructor(
    private readonly send: (command: readonly string[]) => Promise<unknown>,
    private readonly prefix: string,
    private readonly clock: Clock,
  ) {}

  /** @returns undefined if Redis doesn't answer at once */
  async take({ key, limit, needed, spare }: LeaseRequest): Promise<RateLease | undefined> {
    if (this.clock.monotonicMs() < this.awayUntilMs) return undefined;
    const numbers = [limit.perSecond, limit.burst, needed, spare].map(String);
    const reply = await this.within(this.send(['EVAL', LEASE, '1', this.prefix + key, ...numbers]));
    if (reply === undefined) {
      this.awayUntilMs = this.clock.monotonicMs() + PAUSE_MS;
      return undefined;
    }
    const [granted = 0, waitMs = 0, remaining = 0, resetMs = 0] = reply;
    return { granted, waitMs, remaining, resetMs };
  }

  /** @returns undefined where Redis fails or is silent */
  private async within(reply: Promise<unknown>): Promise<readonly number[] | undefined> {
    let timer: NodeJS.Timeout | undefined;
    const silence = new Promise<undefined>((resolve) => {
      timer = setTimeout(() => resolve(undefined), MAX_WAIT_MS);
    });
    try {
      const first = await Promise.race([reply, silence]);
      return first as readonly number[] | undefined;
    } catch {
      return undefined;
    } finally {
      clearTimeout(timer);
    }
  }
}
