import { defineAction, route, type ActionDefinition, type Route } from '@millrace/kernel';

/**
 * Actions that the interface names and that no package provides yet, one a line: name, then routes. They answer 404
 * `api.action_unavailable`, and `server.info` lists them with `available: false`. A package that brings such an action
 * takes its place; whoever writes it deletes the line.
 */
const ANNOUNCED = `
memoryStorage.append POST /ms/_append/:_id
memoryStorage.decr POST /ms/_decr/:_id
memoryStorage.decrby POST /ms/_decrby/:_id
memoryStorage.get GET /ms/:_id, GET /ms/_get/:_id
memoryStorage.getdel POST /ms/_getdel/:_id
memoryStorage.getex POST /ms/_getex/:_id
memoryStorage.getrange GET /ms/_getrange/:_id/:start/:end
memoryStorage.getset POST /ms/_getset/:_id
memoryStorage.incr POST /ms/_incr/:_id
memoryStorage.incrby POST /ms/_incrby/:_id
memoryStorage.incrbyfloat POST /ms/_incrbyfloat/:_id
memoryStorage.lcs GET /ms/_lcs/:key1/:key2
memoryStorage.mget GET /ms/_mget/:_id, GET /ms/_mget
memoryStorage.mset POST /ms/_mset/:_id, POST /ms/_mset
memoryStorage.msetnx POST /ms/_msetnx, POST /ms/_msetnx/:_id
memoryStorage.psetex POST /ms/_psetex/:_id, POST /ms/_psetex
memoryStorage.set POST /ms/:_id, POST /ms/_set/:_id
memoryStorage.setex POST /ms/_setex/:_id
memoryStorage.setnx POST /ms/_setnx/:_id
memoryStorage.setrange POST /ms/_setrange/:_id
memoryStorage.strlen GET /ms/_strlen/:_id
memoryStorage.substr GET /ms/_substr/:_id/:start/:end
memoryStorage.bitcount GET /ms/_bitcount/:_id
memoryStorage.bitfield POST /ms/_bitfield/:_id
memoryStorage.bitfield_ro GET /ms/_bitfield_ro/:_id
memoryStorage.bitop POST /ms/_bitop/:operation/:destkey/:key, POST /ms/_bitop/:operation/:destkey, POST /ms/_bitop
memoryStorage.bitpos GET /ms/_bitpos/:_id/:bit
memoryStorage.getbit GET /ms/_getbit/:_id/:offset
memoryStorage.setbit POST /ms/_setbit/:_id
memoryStorage.copy POST /ms/_copy/:_id
memoryStorage.del DELETE /ms/:_id, DELETE /ms, DELETE /ms/_del/:_id
memoryStorage.dump GET /ms/_dump/:_id
memoryStorage.exists GET /ms/_exists/:_id, GET /ms/_exists
memoryStorage.expire POST /ms/_expire/:_id
memoryStorage.expireat POST /ms/_expireat/:_id
memoryStorage.expiretime GET /ms/_expiretime/:_id
memoryStorage.keys GET /ms/_keys/:pattern
memoryStorage.object GET /ms/_object
memoryStorage.persist POST /ms/_persist/:_id
memoryStorage.pexpire POST /ms/_pexpire/:_id
memoryStorage.pexpireat POST /ms/_pexpireat/:_id
memoryStorage.pexpiretime GET /ms/_pexpiretime/:_id
memoryStorage.pttl GET /ms/_pttl/:_id
memoryStorage.randomkey GET /ms/_randomkey
memoryStorage.rename POST /ms/_rename/:_id
memoryStorage.renamenx POST /ms/_renamenx/:_id
memoryStorage.restore POST /ms/_restore/:_id
memoryStorage.sort POST /ms/_sort/:_id
memoryStorage.sort_ro GET /ms/_sort_ro/:_id
memoryStorage.touch POST /ms/_touch/:_id, POST /ms/_touch
memoryStorage.ttl GET /ms/_ttl/:_id
memoryStorage.type GET /ms/_type/:_id
memoryStorage.unlink DELETE /ms/_unlink/:_id, DELETE /ms/_unlink
memoryStorage.blmove POST /ms/_blmove
memoryStorage.blmpop POST /ms/_blmpop, POST /ms/_blmpop/:_id
memoryStorage.blpop POST /ms/_blpop, POST /ms/_blpop/:_id
memoryStorage.brpop POST /ms/_brpop, POST /ms/_brpop/:_id
memoryStorage.brpoplpush POST /ms/_brpoplpush
memoryStorage.lindex GET /ms/_lindex/:_id/:idx
memoryStorage.linsert POST /ms/_linsert/:_id
memoryStorage.llen GET /ms/_llen/:_id
memoryStorage.lmove POST /ms/_lmove
memoryStorage.lmpop POST /ms/_lmpop, POST /ms/_lmpop/:_id
memoryStorage.lpop POST /ms/_lpop/:_id
memoryStorage.lpos GET /ms/_lpos/:_id/:element, GET /ms/_lpos/:_id
memoryStorage.lpush POST /ms/_lpush/:_id
memoryStorage.lpushx POST /ms/_lpushx/:_id
memoryStorage.lrange GET /ms/_lrange/:_id/:start/:stop
memoryStorage.lrem DELETE /ms/_lrem/:_id
memoryStorage.lset POST /ms/_lset/:_id
memoryStorage.ltrim POST /ms/_ltrim/:_id
memoryStorage.rpop POST /ms/_rpop/:_id
memoryStorage.rpoplpush POST /ms/_rpoplpush
memoryStorage.rpush POST /ms/_rpush/:_id
memoryStorage.rpushx POST /ms/_rpushx/:_id
memoryStorage.sadd POST /ms/_sadd/:_id
memoryStorage.scard GET /ms/_scard/:_id
memoryStorage.sdiff GET /ms/_sdiff/:_id, GET /ms/_sdiff
memoryStorage.sdiffstore POST /ms/_sdiffstore/:_id, POST /ms/_sdiffstore
memoryStorage.sinter GET /ms/_sinter/:_id, GET /ms/_sinter
memoryStorage.sintercard GET /ms/_sintercard/:_id, GET /ms/_sintercard
memoryStorage.sinterstore POST /ms/_sinterstore/:_id, POST /ms/_sinterstore
memoryStorage.sismember GET /ms/_sismember/:_id/:member
memoryStorage.smembers GET /ms/_smembers/:_id
memoryStorage.smismember GET /ms/_smismember/:_id
memoryStorage.smove POST /ms/_smove/:_id, POST /ms/_smove
memoryStorage.spop POST /ms/_spop/:_id
memoryStorage.srandmember GET /ms/_srandmember/:_id/:count, GET /ms/_srandmember/:_id
memoryStorage.srem DELETE /ms/_srem/:_id
memoryStorage.sunion POST /ms/_sunion/:_id, POST /ms/_sunion
memoryStorage.sunionstore POST /ms/_sunionstore/:_id, POST /ms/_sunionstore
memoryStorage.bzmpop POST /ms/_bzmpop, POST /ms/_bzmpop/:_id
memoryStorage.bzpopmax POST /ms/_bzpopmax, POST /ms/_bzpopmax/:_id
memoryStorage.bzpopmin POST /ms/_bzpopmin, POST /ms/_bzpopmin/:_id
memoryStorage.zadd POST /ms/_zadd/:_id
memoryStorage.zcard GET /ms/_zcard/:_id
memoryStorage.zcount GET /ms/_zcount/:_id/:min/:max
memoryStorage.zdiff GET /ms/_zdiff/:_id, GET /ms/_zdiff
memoryStorage.zdiffstore POST /ms/_zdiffstore, POST /ms/_zdiffstore/:_id
memoryStorage.zincrby POST /ms/_zincrby/:_id
memoryStorage.zinter GET /ms/_zinter/:_id, GET /ms/_zinter
memoryStorage.zintercard GET /ms/_zintercard/:_id, GET /ms/_zintercard
memoryStorage.zinterstore POST /ms/_zinterstore, POST /ms/_zinterstore/:_id
memoryStorage.zlexcount GET /ms/_zlexcount/:_id/:min/:max
memoryStorage.zmpop POST /ms/_zmpop, POST /ms/_zmpop/:_id
memoryStorage.zmscore GET /ms/_zmscore/:_id
memoryStorage.zpopmax POST /ms/_zpopmax/:_id
memoryStorage.zpopmin POST /ms/_zpopmin/:_id
memoryStorage.zrandmember GET /ms/_zrandmember/:_id, GET /ms/_zrandmember/:_id/:count
memoryStorage.zrange GET /ms/_zrange/:_id/:start/:stop
memoryStorage.zrangebylex GET /ms/_zrangebylex/:_id/:min/:max
memoryStorage.zrangebyscore GET /ms/_zrangebyscore/:_id/:min/:max
memoryStorage.zrangestore POST /ms/_zrangestore/:_id
memoryStorage.zrank GET /ms/_zrank/:_id/:member
memoryStorage.zrem DELETE /ms/_zrem/:_id
memoryStorage.zremrangebylex DELETE /ms/_zremrangebylex/:_id
memoryStorage.zremrangebyrank DELETE /ms/_zremrangebyrank/:_id
memoryStorage.zremrangebyscore DELETE /ms/_zremrangebyscore/:_id
memoryStorage.zrevrange GET /ms/_zrevrange/:_id/:start/:stop
memoryStorage.zrevrangebylex GET /ms/_zrevrangebylex/:_id/:min/:max
memoryStorage.zrevrangebyscore GET /ms/_zrevrangebyscore/:_id/:max/:min
memoryStorage.zrevrank GET /ms/_zrevrank/:_id/:member
memoryStorage.zscore GET /ms/_zscore/:_id/:member
memoryStorage.zunion GET /ms/_zunion/:_id, GET /ms/_zunion
memoryStorage.zunionstore POST /ms/_zunionstore, POST /ms/_zunionstore/:_id
memoryStorage.hdel DELETE /ms/_hdel/:_id
memoryStorage.hexists GET /ms/_hexists/:_id/:field
memoryStorage.hget GET /ms/_hget/:_id/:field
memoryStorage.hgetall GET /ms/_hgetall/:_id
memoryStorage.hincrby POST /ms/_hincrby/:_id
memoryStorage.hincrbyfloat POST /ms/_hincrbyfloat/:_id
memoryStorage.hkeys GET /ms/_hkeys/:_id
memoryStorage.hlen GET /ms/_hlen/:_id
memoryStorage.hmget GET /ms/_hmget/:_id/:field, GET /ms/_hmget/:_id
memoryStorage.hmset POST /ms/_hmset/:_id
memoryStorage.hrandfield GET /ms/_hrandfield/:_id, GET /ms/_hrandfield/:_id/:count
memoryStorage.hset POST /ms/_hset/:_id
memoryStorage.hsetnx POST /ms/_hsetnx/:_id
memoryStorage.hstrlen GET /ms/_hstrlen/:_id/:field
memoryStorage.hvals GET /ms/_hvals/:_id
memoryStorage.pfadd POST /ms/_pfadd/:_id
memoryStorage.pfcount GET /ms/_pfcount/:_id, GET /ms/_pfcount
memoryStorage.pfmerge POST /ms/_pfmerge
memoryStorage.geoadd POST /ms/_geoadd/:_id
memoryStorage.geodist GET /ms/_geodist/:_id/:member1/:member2
memoryStorage.geohash GET /ms/_geohash/:_id/:member, GET /ms/_geohash/:_id
memoryStorage.geopos GET /ms/_geopos/:_id/:member, GET /ms/_geopos/:_id
memoryStorage.georadius GET /ms/_georadius/:_id
memoryStorage.georadius_ro GET /ms/_georadius_ro/:_id
memoryStorage.georadiusbymember GET /ms/_georadiusbymember/:_id
memoryStorage.georadiusbymember_ro GET /ms/_georadiusbymember_ro/:_id
memoryStorage.geosearch GET /ms/_geosearch/:_id
memoryStorage.geosearchstore POST /ms/_geosearchstore/:_id
memoryStorage.xadd POST /ms/_xadd/:_id
memoryStorage.xdel DELETE /ms/_xdel/:_id
memoryStorage.xlen GET /ms/_xlen/:_id
memoryStorage.xrange GET /ms/_xrange/:_id/:start/:end
memoryStorage.xread POST /ms/_xread
memoryStorage.xrevrange GET /ms/_xrevrange/:_id/:end/:start
memoryStorage.xtrim POST /ms/_xtrim/:_id
memoryStorage.bgrewriteaof POST /ms/_bgrewriteaof
memoryStorage.bgsave POST /ms/_bgsave
memoryStorage.dbsize GET /ms/_dbsize
memoryStorage.discard POST /ms/_discard (400)
memoryStorage.exec POST /ms/_exec (400)
memoryStorage.flushdb POST /ms/_flushdb
memoryStorage.info GET /ms/_info/:section, GET /ms/_info
memoryStorage.lastsave GET /ms/_lastsave
memoryStorage.multi POST /ms/_multi (400)
memoryStorage.ping GET /ms/_ping
memoryStorage.publish POST /ms/_publish/:channel, POST /ms/_publish
memoryStorage.save POST /ms/_save
memoryStorage.time GET /ms/_time
memoryStorage.unwatch POST /ms/_unwatch * (400)
memoryStorage.wait POST /ms/_wait
memoryStorage.watch POST /ms/_watch * (400)
`;

/** The declarations of the actions announced and not yet provided. */
export const announcedActions: readonly ActionDefinition[] = ANNOUNCED.trim()
  .split('\n')
  .map((line) => {
    const [, controller = '', action = '', routes = ''] = /^(\w+)\.(\w+) ?(.*)$/.exec(line) ?? [];
    return defineAction({
      controller,
      action,
      summary: 'Not provided by any installed service yet.',
      routes:
        routes === ''
          ? []
          : routes.split(', ').map((spelling) => route(spelling as `${Route['method']} /`)),
      args: {},
      writes: false,
    });
  });
