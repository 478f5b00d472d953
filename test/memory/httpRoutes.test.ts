import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startKernel, type StartedKernel } from '../startKernel.js';

describe('the memory store over HTTP', () => {
  let server: StartedKernel;
  beforeAll(async () => {
    server = await startKernel();
  });
  afterAll(() => server.close());

  const calls: readonly (readonly [method: string, path: string, body: unknown, result: unknown])[] = [
    ['POST', '/ms/_flushdb', undefined, 'OK'],
    ['POST', '/ms/a%2Fb%20%252F', { value: 'v' }, 'OK'],
    ['GET', '/ms/_get/a%2Fb%20%252F', undefined, 'v'],
    ['GET', '/ms/a%2Fb%20%252F?_id=other', undefined, 'v'],
    ['POST', '/ms/_mset/x', { value: 1, values: ['y,z', 2] }, 'OK'],
    ['GET', '/ms/_mget?keys=x&keys=y%2Cz', undefined, ['1', '2']],
    ['GET', '/ms/_mget?keys=x', undefined, ['1']],
    ['GET', '/ms//_strlen//x/', undefined, 1],
    [
      'POST',
      '/ms/_zadd/z',
      {
        values: [
          { score: 1, member: 'a' },
          { score: 2, member: 'b' },
        ],
      },
      2,
    ],
    ['GET', '/ms/_zrangebyscore/z/(1/%2Binf?withscores', undefined, ['b', '2']],
    ['GET', '/ms/_zrevrangebyscore/z/2/1?withscores=0&offset=1', undefined, ['a']],
    ['GET', '/ms/_zrevrangebylex/z/-/%2B', undefined, ['b', 'a']],
    ['POST', '/ms/_bitop/AND/out/x', { keys: ['x'], operation: 'or' }, 1],
    ['GET', '/ms/_bitcount/x?start=0&end=0', undefined, 3],
    ['DELETE', '/ms/_lrem/none?count=0&value=x', undefined, 0],
    ['DELETE', '/ms', { keys: ['x', 'out'] }, 2],
    ['POST', '/ms/_key', { value: 1 }, 'OK'],
    ['DELETE', '/ms/_key', undefined, 1],
    ['POST', '/ms/_xadd/stream', { id: '1-1', field: 'a', value: 1 }, '1-1'],
    ['DELETE', '/ms/_xdel/stream?ids=1-1&ids=2-2', undefined, 1],
    ['GET', '/ms/_info/cluster', undefined, '# Cluster\r\ncluster_enabled:0\r\n'],
    ['POST', '/ms/_append/list', { value: [1, 'a'] }, 7],
    ['POST', '/ms/_publish/news', { message: 'm' }, 0],
  ];

  it('answers under every kind of route (MEM-1, MEM-4, MEM-5)', async () => {
    for (const [method, path, body, result] of calls) {
      const answer = await server.ask(method, path, body);
      expect([method, path, answer.status, answer.body.result]).toEqual([method, path, 200, result]);
      expect(answer.body['controller']).toBe('ms');
    }
  });

  it('has no transactions, and tells a wrong method from a wrong path', async () => {
    const multi = await server.ask('POST', '/ms/_multi');
    expect([multi.status, multi.body.error]).toMatchObject([400, { id: 'memory.protocol_not_supported' }]);
    expect((await server.ask('GET', '/ms/_flushdb')).status).toBe(405);
    expect((await server.ask('GET', '/ms/_hget/k')).status).toBe(404);
    expect((await server.ask('POST', '/ms/k', '"text"')).status).toBe(400);
    expect((await server.ask('POST', '/ms/_flushall', {})).status).toBe(404);
    expect((await server.ask('GET', '/ms/_get/_flushall')).body.result).toBe(null);
  });

  it('has no actions for commands that affect other users or services (MEM-31)', () => {
    const names = [...server.kernel.actions]
      .filter(({ controller }) => controller === 'memoryStorage')
      .map(({ action }) => action);
    expect(names).toContain('hget');
    const excluded = [
      'scan', 'sscan', 'hscan', 'zscan', 'eval', 'evalsha', 'script', 'fcall', 'cluster', 'subscribe', 'psubscribe',
      'config', 'flushall', 'select', 'client', 'shutdown', 'xgroup', 'xreadgroup', 'xack',
    ]; // prettier-ignore
    expect(names.filter((name) => excluded.includes(name))).toEqual([]);
  });

  it('a repeated parameter is a list where one is wanted, and refused elsewhere (MEM-6)', async () => {
    const twice = (path: string) => server.ask('POST', path);
    expect((await twice('/ms/_sadd/set?member=a&member=b')).body.result).toBe(2);
    for (const path of [
      '/ms/_append/k?value=a&value=b',
      '/ms/_set/k?value=a&value=b',
      '/ms/_hset/k?field=a&value=a&value=b',
      '/ms/_zadd/k?score=1&member=a&member=b',
      '/ms/_setrange/k?offset=0&value=a&value=b',
      '/ms/_geoadd/k?longitude=1&latitude=1&name=a&name=b',
    ]) {
      const { status, body } = await twice(path);
      expect([path, status, body.error]).toMatchObject([path, 400, { id: 'memory.invalid_argument' }]);
    }
  });
});
