import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startKernel, type StartedKernel } from '../startKernel.js';

describe('the memory store over HTTP', () => {
  let server: StartedKernel;
  beforeAll(async () => {
    server = await startKernel();
  });
  afterAll(() => server.close());

  const calls: readonly (readonly [
    method: string,
    path: string,
    body: unknown,
    result: unknown,
  ])[] = [
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
    ['POST', '/ms/_publish/news', { message: 'm' }, 0],
  ];

  it('answers under every kind of route (1.1, 1.2)', async () => {
    for (const [method, path, body, result] of calls) {
      const answer = await server.ask(method, path, body);
      expect([method, path, answer.status, answer.body.result]).toEqual([
        method,
        path,
        200,
        result,
      ]);
      expect(answer.body['controller']).toBe('ms');
    }
  });

  it('has no transactions, and tells a wrong method from a wrong path', async () => {
    const multi = await server.ask('POST', '/ms/_multi');
    expect([multi.status, multi.body.error]).toMatchObject([400, { id: 'memory.protocol_not_supported' }]); // prettier-ignore
    expect((await server.ask('GET', '/ms/_flushdb')).status).toBe(405);
    expect((await server.ask('GET', '/ms/_hget/k')).status).toBe(404);
    expect((await server.ask('POST', '/ms/k', '"text"')).status).toBe(400);
    expect((await server.ask('POST', '/ms/_flushall', {})).status).toBe(404);
    expect((await server.ask('GET', '/ms/_get/_flushall')).body.result).toBe(null);
  });
});
