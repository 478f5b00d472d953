/*
 * The result of each command, for descriptions. Separate from the command table, since about 190 commands share these
 * few shapes.
 */
import { schema, type JsonObject } from '@millrace/kernel';

const { text, list, mapOf, orNull, oneOf } = schema;

// Decimal strings beyond 2^53 (MEM-21).
const integer: JsonObject = {
  anyOf: [{ type: 'integer' }, { type: 'string', pattern: '^-?[0-9]+$' }],
};
const texts = list(text);
const ok: JsonObject = { const: 'OK' };
/** `[name, distance?, hash?, coordinates?]` if any of them is requested. */
const places = list({ anyOf: [text, { type: 'array', minItems: 2 }] });
const pair = (second: JsonObject): JsonObject => ({
  type: 'array',
  prefixItems: [text, second],
  minItems: 2,
  maxItems: 2,
});
/** The id, then field names and values alternately. */
const entry = pair(texts);
const anyOf = (...choices: readonly JsonObject[]): JsonObject => ({ anyOf: choices });
const nil: JsonObject = { type: 'null' };

const ROWS: readonly (readonly [JsonObject, string])[] = [
  [integer, 'append decr decrby incr incrby strlen setrange bitcount bitop bitpos del exists expiretime pexpiretime ttl pttl unlink touch'],
  [integer, 'linsert llen lpush lpushx lrem rpush rpushx sadd scard sdiffstore sintercard sinterstore srem sunionstore'],
  [integer, 'zcard zcount zdiffstore zintercard zinterstore zlexcount zrangestore zrem zremrangebylex zremrangebyrank zremrangebyscore zunionstore'],
  [integer, 'hdel hincrby hlen hset hstrlen pfcount geoadd geosearchstore xdel xlen xtrim dbsize lastsave publish wait'],
  [oneOf(0, 1), 'setnx msetnx getbit setbit copy expire expireat pexpire pexpireat persist renamenx sismember smove hexists hsetnx pfadd'],
  [text, 'getrange substr incrbyfloat hincrbyfloat zincrby bgrewriteaof bgsave info'],
  [orNull(text), 'get getdel getex getset set dump randomkey lindex lmove blmove rpoplpush brpoplpush hget zscore geodist xadd'],
  [ok, 'mset psetex setex rename restore lset ltrim hmset pfmerge flushdb save'],
  [anyOf(text, integer, nil), 'object'],
  [anyOf(integer, text, nil), 'zadd'],
  [anyOf(text, integer, { type: 'array' }), 'lcs'],
  [anyOf(text, texts, nil), 'lpop rpop spop srandmember hrandfield zrandmember'],
  [anyOf(integer, list(integer), nil), 'lpos'],
  [list(orNull(text)), 'mget hmget zmscore geohash sort_ro'],
  [anyOf(list(orNull(text)), integer), 'sort'],
  [list(orNull(integer)), 'bitfield bitfield_ro'],
  [list(oneOf(0, 1)), 'smismember'],
  [texts, 'keys lrange sdiff sinter smembers sunion hkeys hvals'],
  [texts, 'zdiff zinter zrange zrangebylex zrangebyscore zrevrange zrevrangebylex zrevrangebyscore zunion zpopmax zpopmin'],
  [orNull(integer), 'zrank zrevrank'],
  [mapOf(text), 'hgetall'],
  [oneOf('string', 'list', 'set', 'zset', 'hash', 'stream', 'none'), 'type'],
  [orNull(pair(text)), 'blpop brpop'],
  [orNull(pair(texts)), 'lmpop blmpop'],
  [orNull({ ...texts, minItems: 3, maxItems: 3 }), 'bzpopmin bzpopmax'],
  [orNull(pair(list(pair(text)))), 'zmpop bzmpop'],
  [list(orNull(texts)), 'geopos'],
  [places, 'georadius georadius_ro georadiusbymember georadiusbymember_ro geosearch'],
  [list(entry), 'xrange xrevrange'],
  [orNull(list(pair(list(entry)))), 'xread'],
  [pair(text), 'time'],
  [{ const: 'PONG' }, 'ping'],
]; // prettier-ignore

/** JSON Schema of the result, by command name. */
export const RESULTS: ReadonlyMap<string, JsonObject> = new Map(
  ROWS.flatMap(([result, names]) => names.split(' ').map((name) => [name, result] as const)),
);
