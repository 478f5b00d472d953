import type { JsonObject } from '@millrace/kernel';
import type { Chance } from '../differential/Chance.js';

/** How two results are compared: as they are, without order, within two seconds, or by their kind alone. */
export type Comparison = 'exact' | 'unordered' | 'nearSeconds' | 'nearMs' | 'kind';

/** One call of the memory store. */
export interface RandomCommand {
  readonly action: string;
  readonly fields: JsonObject;
  readonly comparison: Comparison;
}

type Make = (chance: Chance) => JsonObject;

const KEYS = ['k0', 'k1', 'k2', 'k3', 'k4', 'k5', 'k6', 'k7'];
const MEMBERS = ['a', 'b', 'c', 'd', 'e', 'é', '1', '2', '3', '10', '-5', '2.5', ''];
const NAMES = ['a', 'b', 'c', 'f1', 'f2', 'ü', '7'];
const PLACES = ['Palermo', 'Catania', 'Rom', 'Oslo', 'Quito', 'Suva', 'Pol'];

const key = (c: Chance) => c.of(KEYS);
const keys = (c: Chance) => c.list(c.between(1, 3), () => key(c));
const member = (c: Chance) => (c.percent(15) ? c.between(-20, 20) : c.of(MEMBERS));
const members = (c: Chance) => c.list(c.between(1, 5), () => member(c));
const name = (c: Chance) => c.of(NAMES);
const place = (c: Chance) => c.of(PLACES);
const index = (c: Chance) => c.between(-7, 7);
const amount = (c: Chance) =>
  c.percent(5) ? c.of(['9223372036854775807', '-9223372036854775808', '9007199254740993']) : c.between(-100, 100);
// Halves and eighths: what Redis adds in extended precision has no noise in its last digits (README, differences).
const fraction = (c: Chance) => c.between(-4000, 4000) / c.of([1, 2, 4, 8]);
const score = (c: Chance) =>
  c.percent(5)
    ? c.of(['inf', '-inf', '+inf', '-0.0', '1e300', '0.1', '1e-7', '3e17'])
    : c.between(-20, 40) / c.of([1, 1, 2, 10]);
const value = (c: Chance) =>
  c.percent(30)
    ? amount(c)
    : c.percent(20)
      ? fraction(c)
      : c.of(['', 'abc', 'foobar', 'ohmytext', 'mynewtext', 'é€', 'x'.repeat(70), 'true']);
const scoreBound = (c: Chance) =>
  c.percent(20) ? c.of(['-inf', '+inf', 'inf']) : c.percent(30) ? `(${c.between(-20, 40)}` : c.between(-20, 40);
const textBound = (c: Chance) =>
  c.percent(20) ? c.of(['-', '+']) : c.percent(5) ? 'a' : c.of(['[', '(']) + c.of(MEMBERS);
const end = (c: Chance) => c.of(['LEFT', 'RIGHT', 'left']);
const flag = (c: Chance) => c.percent(20);
/** Mostly anywhere, at times at the edges of the map. */
const spot = (c: Chance) =>
  c.percent(10)
    ? [c.of([180, -180, 0]), c.of([85.05112878, -85.05112878, 85.05])]
    : [c.between(-1800, 1800) / 10, c.between(-860, 860) / 10];
const unit = (c: Chance) => c.of(['m', 'km', 'ft', 'mi']);
const streamId = (c: Chance) => (c.percent(20) ? String(c.between(1, 30)) : `${c.between(1, 30)}-${c.between(0, 3)}`);
const atKey = (c: Chance, more: JsonObject = {}): JsonObject => ({ _id: key(c), ...more });
const inBody = (c: Chance, body: JsonObject): JsonObject => ({ _id: key(c), body });
const limit = (c: Chance) => c.options({ offset: [20, () => c.between(0, 4)], count: [30, () => c.between(-1, 5)] });
const oneKey: Make = (c) => atKey(c);
const manyKeys: Make = (c) => ({ keys: keys(c) });
const manyInBody: Make = (c) => ({ body: { keys: keys(c) } });
const withMembers: Make = (c) => inBody(c, { members: members(c) });
const withMember: Make = (c) => atKey(c, { member: member(c) });
const withValue: Make = (c) => inBody(c, { value: value(c) });
const withValues: Make = (c) => inBody(c, { values: c.list(c.between(1, 4), () => member(c)) });
const withAmount: Make = (c) => inBody(c, { value: amount(c) });
const counted = (c: Chance) => c.options({ count: [60, () => c.between(0, 5)] });
const store: Make = (c) => ({ body: { destination: key(c), keys: keys(c) } });
const pairs = (c: Chance) => c.list(c.between(1, 4), () => [name(c), value(c)]).flat();
const range: Make = (c) => atKey(c, { start: index(c), stop: index(c) });
const scoreRange = (c: Chance) => ({ min: scoreBound(c), max: scoreBound(c) });
const textRange = (c: Chance) => ({ min: textBound(c), max: textBound(c) });
/** A sorted set of one score: ranges by text say nothing about others. */
const atLex = (more: JsonObject): JsonObject => ({ _id: 'lex', ...more });
const inLex = (body: JsonObject): JsonObject => ({ _id: 'lex', body });
const scores = (c: Chance) => ({ withscores: flag(c) });
const weighted = (c: Chance) => {
  const list = keys(c);
  return {
    keys: list,
    ...c.options<string | number[]>({
      weights: [30, () => list.map(() => c.between(-3, 5))],
      aggregate: [30, () => c.of(['sum', 'MIN', 'max'])],
    }),
  };
};
const expiry =
  (argument: string, make: (c: Chance) => number): Make =>
  (c) =>
    inBody(c, {
      [argument]: make(c),
      ...c.options({ nx: [10, () => true], xx: [10, () => true], gt: [10, () => true], lt: [10, () => true] }),
    });
const anyRange = (c: Chance): JsonObject => {
  const kind = c.below(3);
  const bound = [index, scoreBound, textBound][kind] ?? index;
  const flags = kind === 1 ? { byscore: true } : kind === 2 ? { bylex: true } : {};
  return { start: bound(c), stop: bound(c), rev: flag(c), ...flags, ...(kind === 0 && c.percent(90) ? {} : limit(c)) };
};
const rangeAt = (c: Chance, more: JsonObject): JsonObject => (more['bylex'] === true ? atLex(more) : atKey(c, more));
const geoArea = (c: Chance): JsonObject => ({
  ...(c.percent(50) ? { member: place(c) } : { longitude: c.between(-170, 170), latitude: c.between(-80, 80) }),
  ...(c.percent(50) ? { distance: c.between(0, 9000) } : { width: c.between(0, 9000), height: c.between(0, 9000) }),
  unit: c.of(['km', 'km', 'mi', 'm']),
});
const geoOptions = (c: Chance): JsonObject =>
  c.options<boolean | number | string>({
    withdist: [30, () => true],
    withcoord: [30, () => true],
    withhash: [30, () => true],
    count: [30, () => c.between(1, 4)],
    sort: [70, () => c.of(['asc', 'DESC'])],
  });
const trim = (c: Chance): JsonObject => (c.percent(50) ? { maxlen: c.between(0, 8) } : { minid: streamId(c) });
const bitOperation = (c: Chance): (string | number)[] => {
  const type = `${c.of(['i', 'u'])}${c.between(1, 63)}`;
  const offset = c.percent(30) ? `#${c.below(5)}` : c.below(80);
  const kind = c.of(['GET', 'SET', 'INCRBY', 'OVERFLOW']);
  if (kind === 'OVERFLOW') return [kind, c.of(['WRAP', 'SAT', 'FAIL'])];
  return kind === 'GET' ? [kind, type, offset] : [kind, type, offset, c.between(-300, 300)];
};
const YEAR_MS = 31_536_000_000;
const later = (c: Chance) => c.between(1_000, 9_000);
const laterMs = (c: Chance) => c.between(1_000_000, 9_000_000);

/** Calls by action; the first part of a name may be repeated to be likelier. */
const MAKERS: Readonly<Record<string, readonly [Make, Comparison?]>> = {
  append: [withValue],
  decr: [oneKey],
  decrby: [withAmount],
  get: [oneKey],
  getdel: [oneKey],
  getex: [
    (c) =>
      inBody(
        c,
        c.options<number | boolean>(
          c.of([
            { ex: [60, () => later(c)] },
            { persist: [60, () => true] },
            { pxat: [50, () => Date.now() + YEAR_MS] },
          ]),
        ),
      ),
  ],
  getrange: [(c) => atKey(c, { start: index(c), end: index(c) })],
  getset: [withValue],
  incr: [oneKey],
  incrby: [withAmount],
  // Large ones on a separate key: of a sum with a fraction Redis keeps more than the 15 digits of the contract.
  incrbyfloat: [(c) => (c.percent(5) ? { _id: 'big', body: { value: '1e20' } } : inBody(c, { value: fraction(c) }))],
  lcs: [
    (c) => ({
      key1: key(c),
      key2: key(c),
      ...c.options<boolean | number>({
        len: [20, () => true],
        idx: [30, () => true],
        minmatchlen: [20, () => 2],
        withmatchlen: [30, () => true],
      }),
    }),
  ],
  mget: [manyKeys],
  mset: [(c) => ({ body: { values: c.list(2, () => [key(c), value(c)]).flat() } })],
  msetnx: [(c) => ({ body: { values: c.list(2, () => [key(c), value(c)]).flat() } })],
  psetex: [(c) => inBody(c, { milliseconds: laterMs(c), value: value(c) })],
  set: [
    (c) =>
      inBody(c, {
        value: value(c),
        ...c.options<number | boolean>({
          [c.of(['ex', 'keepttl', 'none'])]: [20, () => later(c)],
          nx: [10, () => true],
          get: [10, () => true],
        }),
      }),
  ],
  setex: [(c) => inBody(c, { seconds: c.percent(10) ? 0 : later(c), value: value(c) })],
  setnx: [withValue],
  setrange: [(c) => inBody(c, { offset: c.between(-1, 40), value: value(c) })],
  strlen: [oneKey],
  substr: [(c) => atKey(c, { start: index(c), end: index(c) })],
  bitcount: [
    (c) =>
      inBody(
        c,
        c.percent(50)
          ? {}
          : { start: index(c), end: index(c), ...c.options({ unit: [50, () => c.of(['BIT', 'byte'])] }) },
      ),
  ],
  bitfield: [(c) => inBody(c, { operations: c.list(c.between(1, 4), () => bitOperation(c)) })],
  bitfield_ro: [(c) => atKey(c, { operations: ['GET', `u${c.between(1, 63)}`, c.below(60)] })],
  bitop: [(c) => ({ body: { operation: c.of(['and', 'OR', 'xor', 'not']), destkey: key(c), keys: keys(c) } })],
  bitpos: [
    (c) =>
      atKey(c, {
        bit: c.below(2),
        ...(c.percent(50)
          ? {}
          : {
              start: index(c),
              ...(c.percent(50) ? {} : { end: index(c), ...c.options({ unit: [50, () => 'BIT'] }) }),
            }),
      }),
  ],
  getbit: [(c) => atKey(c, { offset: c.between(0, 100) })],
  setbit: [(c) => inBody(c, { offset: c.between(0, 100), value: c.below(2) })],
  copy: [(c) => inBody(c, { destination: key(c), replace: flag(c) })],
  del: [manyInBody],
  exists: [manyKeys],
  expire: [expiry('seconds', (c) => (c.percent(10) ? -1 : later(c)))],
  expireat: [expiry('timestamp', (c) => (c.percent(10) ? 1 : Math.floor((Date.now() + YEAR_MS) / 1000) + c.below(99)))],
  expiretime: [oneKey, 'nearSeconds'],
  keys: [(c) => ({ pattern: c.of(['*', 'k?', 'k[0-3]', 'k[^2]', '*1', 'k\\3', '[', 'k[a', '']) }), 'unordered'],
  persist: [oneKey],
  pexpire: [expiry('milliseconds', laterMs)],
  pexpireat: [expiry('timestamp', (c) => (c.percent(3) ? 9e15 : Date.now() + YEAR_MS + c.below(9999)))],
  pexpiretime: [oneKey, 'nearMs'],
  pttl: [oneKey, 'nearMs'],
  randomkey: [() => ({}), 'kind'],
  rename: [(c) => inBody(c, { newkey: key(c) })],
  renamenx: [(c) => inBody(c, { newkey: key(c) })],
  sort: [
    (c) =>
      inBody(c, {
        ...c.options<boolean | string>(
          c.percent(70) ? { alpha: [90, () => true] } : { by: [90, () => c.of(['k*', 'w*->a'])] },
        ),
        ...c.options<number | string | string[]>({
          direction: [40, () => c.of(['asc', 'DESC'])],
          get: [20, () => ['#', 'k*', 'k*->a']],
          offset: [20, () => c.below(3)],
          count: [20, () => c.below(4)],
          store: [20, () => key(c)],
        }),
      }),
  ],
  sort_ro: [(c) => atKey(c, { alpha: c.percent(70) })],
  touch: [manyInBody],
  ttl: [oneKey, 'nearSeconds'],
  type: [oneKey],
  unlink: [manyInBody],
  lindex: [(c) => atKey(c, { idx: index(c) })],
  linsert: [(c) => inBody(c, { position: c.of(['before', 'AFTER']), pivot: member(c), value: member(c) })],
  llen: [oneKey],
  lmove: [(c) => ({ body: { source: key(c), destination: key(c), wherefrom: end(c), whereto: end(c) } })],
  lmpop: [(c) => ({ body: { keys: keys(c), where: end(c), ...c.options({ count: [50, () => c.between(0, 4)] }) } })],
  lpop: [(c) => inBody(c, counted(c))],
  lpos: [
    (c) =>
      atKey(c, {
        element: member(c),
        ...c.options({
          rank: [40, () => c.between(-3, 3)],
          count: [40, () => c.between(0, 3)],
          maxlen: [30, () => c.between(0, 5)],
        }),
      }),
  ],
  lpush: [withValues],
  lpushx: [withValue],
  lrange: [range],
  lrem: [(c) => inBody(c, { count: c.between(-2, 2), value: member(c) })],
  lset: [(c) => inBody(c, { idx: index(c), value: member(c) })],
  ltrim: [(c) => inBody(c, { start: index(c), stop: index(c) })],
  rpop: [(c) => inBody(c, counted(c))],
  rpoplpush: [(c) => ({ body: { source: key(c), destination: key(c) } })],
  rpush: [withValues],
  rpushx: [withValue],
  sadd: [withMembers],
  scard: [oneKey],
  sdiff: [manyKeys, 'unordered'],
  sdiffstore: [store],
  sinter: [manyKeys, 'unordered'],
  sintercard: [(c) => ({ keys: keys(c), ...c.options({ limit: [40, () => c.below(4)] }) })],
  sinterstore: [store],
  sismember: [withMember],
  smembers: [oneKey, 'unordered'],
  smismember: [(c) => atKey(c, { members: members(c) })],
  smove: [(c) => inBody(c, { destination: key(c), member: member(c) })],
  spop: [(c) => inBody(c, { count: 1000 }), 'unordered'],
  srandmember: [(c) => atKey(c, { count: 1000 }), 'unordered'],
  srem: [withMembers],
  sunion: [manyInBody, 'unordered'],
  sunionstore: [store],
  zadd: [
    (c) =>
      c.percent(25)
        ? inLex({ values: members(c).map((each) => ({ score: 0, member: each })) })
        : inBody(c, {
            values: c.list(c.between(1, 5), () => ({ score: score(c), member: member(c) })),
            ...c.options({
              nx: [15, () => true],
              xx: [15, () => true],
              gt: [15, () => true],
              lt: [15, () => true],
              ch: [30, () => true],
              incr: [15, () => true],
            }),
          }),
  ],
  zcard: [oneKey],
  zcount: [(c) => atKey(c, scoreRange(c))],
  zdiff: [(c) => ({ keys: keys(c), ...scores(c) })],
  zdiffstore: [store],
  zincrby: [(c) => inBody(c, { value: fraction(c), member: member(c) })],
  zinter: [(c) => ({ ...weighted(c), ...scores(c) })],
  zintercard: [(c) => ({ keys: keys(c), ...c.options({ limit: [40, () => c.between(-1, 3)] }) })],
  zinterstore: [(c) => ({ body: { destination: key(c), ...weighted(c) } })],
  zlexcount: [(c) => atLex(textRange(c))],
  zmpop: [
    (c) => ({
      body: { keys: keys(c), where: c.of(['min', 'MAX']), ...c.options({ count: [50, () => c.between(0, 4)] }) },
    }),
  ],
  zmscore: [(c) => atKey(c, { members: members(c) })],
  zpopmax: [(c) => inBody(c, counted(c))],
  zpopmin: [(c) => inBody(c, counted(c))],
  zrandmember: [(c) => atKey(c, { count: 1000 }), 'unordered'],
  zrange: [(c) => rangeAt(c, { ...anyRange(c), ...scores(c) })],
  zrangebylex: [(c) => atLex({ ...textRange(c), ...limit(c) })],
  zrangebyscore: [(c) => atKey(c, { ...scoreRange(c), ...limit(c), ...scores(c) })],
  zrangestore: [
    (c) => {
      const { _id, ...body } = rangeAt(c, anyRange(c));
      return { _id: _id ?? null, body: { destination: key(c), ...body } };
    },
  ],
  zrank: [withMember],
  zrem: [withMembers],
  zremrangebylex: [(c) => inLex(textRange(c))],
  zremrangebyrank: [(c) => inBody(c, { start: index(c), stop: index(c) })],
  zremrangebyscore: [(c) => inBody(c, scoreRange(c))],
  zrevrange: [(c) => ({ ...range(c), ...scores(c) })],
  zrevrangebylex: [(c) => atLex({ ...textRange(c), ...limit(c) })],
  zrevrangebyscore: [(c) => atKey(c, { ...scoreRange(c), ...limit(c), ...scores(c) })],
  zrevrank: [withMember],
  zscore: [withMember],
  zunion: [(c) => ({ ...weighted(c), ...scores(c) })],
  zunionstore: [(c) => ({ body: { destination: key(c), ...weighted(c) } })],
  hdel: [(c) => inBody(c, { fields: c.list(2, () => name(c)) })],
  hexists: [(c) => atKey(c, { field: name(c) })],
  hget: [(c) => atKey(c, { field: name(c) })],
  hgetall: [oneKey, 'unordered'],
  hincrby: [(c) => inBody(c, { field: name(c), value: amount(c) })],
  hincrbyfloat: [(c) => inBody(c, { field: name(c), value: fraction(c) })],
  hkeys: [oneKey, 'unordered'],
  hlen: [oneKey],
  hmget: [(c) => atKey(c, { fields: c.list(3, () => name(c)) })],
  hmset: [(c) => inBody(c, { values: pairs(c) })],
  hrandfield: [(c) => atKey(c, { count: 1000 }), 'unordered'],
  hset: [(c) => inBody(c, { values: pairs(c) })],
  hsetnx: [(c) => inBody(c, { field: name(c), value: value(c) })],
  hstrlen: [(c) => atKey(c, { field: name(c) })],
  hvals: [oneKey, 'unordered'],
  pfadd: [
    (c) => ({ _id: c.of(['hll0', 'hll1', 'hll2']), body: { elements: c.list(c.below(6), () => c.below(100_000)) } }),
  ],
  pfcount: [(c) => ({ keys: c.list(c.between(1, 3), () => c.of(['hll0', 'hll1', 'hll2', 'k0'])) })],
  pfmerge: [(c) => ({ body: { destkey: c.of(['hll0', 'hll3']), sourcekeys: [c.of(['hll1', 'hll2'])] } })],
  geoadd: [
    (c) => ({
      _id: c.of(['geo', 'geo', 'k1']),
      body: {
        points: c.list(c.between(1, 3), () => [...spot(c), place(c)]).flat(),
        ...c.options({ nx: [10, () => true], xx: [10, () => true], ch: [30, () => true] }),
      },
    }),
  ],
  geodist: [(c) => ({ _id: 'geo', member1: place(c), member2: place(c), unit: unit(c) })],
  geohash: [(c) => ({ _id: 'geo', members: [place(c), place(c)] })],
  geopos: [(c) => ({ _id: c.of(['geo', 'geo', 'k1']), members: [place(c), place(c)] })],
  georadius: [
    (c) => ({
      _id: 'geo',
      longitude: c.between(-179, 179),
      latitude: c.between(-85, 85),
      distance: c.between(0, 12000),
      unit: c.of(['km', 'mi']),
      ...geoOptions(c),
    }),
  ],
  georadiusbymember: [
    (c) => ({ _id: 'geo', member: place(c), distance: c.between(0, 12000), unit: 'km', ...geoOptions(c) }),
  ],
  geosearch: [(c) => ({ _id: 'geo', ...geoArea(c), ...geoOptions(c) })],
  geosearchstore: [
    (c) => ({ _id: 'geo', body: { destination: c.of(['geo2', 'k2']), ...geoArea(c), storedist: flag(c) } }),
  ],
  xadd: [
    (c) => ({
      _id: c.of(['st', 'st', 'k3']),
      body: {
        id: c.percent(10) ? `${c.between(1, 40)}-*` : streamId(c),
        values: pairs(c),
        nomkstream: flag(c),
        ...(c.percent(30) ? trim(c) : {}),
      },
    }),
  ],
  xdel: [(c) => ({ _id: c.of(['st', 'st', 'none']), body: { ids: [streamId(c), c.percent(5) ? 'x' : streamId(c)] } })],
  xlen: [(c) => ({ _id: c.of(['st', 'k3']) })],
  xrange: [
    (c) => ({
      _id: 'st',
      start: c.of(['-', streamId(c), `(${streamId(c)}`]),
      end: c.of(['+', streamId(c), `(${streamId(c)}`]),
      ...counted(c),
    }),
  ],
  xread: [(c) => ({ body: { streams: { st: c.of(['0', '$', streamId(c)]), k3: '0' }, ...counted(c) } })],
  xrevrange: [(c) => ({ _id: 'st', start: c.of(['-', streamId(c)]), end: c.of(['+', streamId(c)]), ...counted(c) })],
  xtrim: [(c) => ({ _id: 'st', body: trim(c) })],
  dbsize: [() => ({})],
  ping: [() => ({})],
  publish: [(c) => ({ body: { channel: key(c), message: value(c) } })],
};

const ACTIONS = Object.keys(MAKERS);
/** Actions that fill keys, so that the others find something. */
const FILLING = ['rpush', 'sadd', 'zadd', 'hset', 'set', 'geoadd', 'xadd'];

/** A random call, on few keys, so that types and values meet. */
export function randomCommand(chance: Chance): RandomCommand {
  const action = chance.percent(15) ? chance.of(FILLING) : chance.of(ACTIONS);
  const [make, comparison = 'exact'] = MAKERS[action] ?? [() => ({})];
  return { action, fields: make(chance), comparison };
}
