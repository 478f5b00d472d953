import { expect, it } from 'vitest';
import { startKernel } from '../startKernel.js';
import { MemoryProtocol } from './MemoryProtocol.js';

const AT = { index: 'city', collection: 'stations' };

it('the metrics report followed searches by mode, and how often they run again (FOLLOW-11)', async () => {
  const protocol = new MemoryProtocol();
  const { kernel, ask, close } = await startKernel({ plugins: [protocol.plugin] });
  const read = async () => {
    const { text } = await ask('GET', '/_metrics');
    const of = (name: string) =>
      ['incremental', 'rerun'].map((mode) =>
        Number(new RegExp(`^${name}\\{mode="${mode}"\\} (.*)$`, 'm').exec(text)?.[1]),
      );
    return [of('millrace_followed_searches'), of('millrace_followed_search_reruns_total')];
  };
  try {
    const write = (_id: string) =>
      kernel.execute({ controller: 'document', action: 'create', ...AT, _id, body: { name: 'a' } });
    await write('a');
    expect(await read()).toEqual([
      [0, 0],
      [0, 0],
    ]);
    const client = protocol.connect();
    const follow = async (body: object) => {
      const fields = { controller: 'realtime', action: 'follow', ...AT, body: body as never };
      expect((await client.request(fields)).status).toBe(200);
    };
    for (const size of [1, 2]) await follow({ sort: [{ _id: 'asc' }], size });
    await follow({ query: { match: { name: 'a' } } });
    expect(await read()).toEqual([
      [2, 1],
      [0, 0],
    ]);
    await write('b');
    await expect.poll(read).toEqual([
      [2, 1],
      [0, 1],
    ]);
    client.close();
    await expect.poll(read).toEqual([
      [0, 0],
      [0, 1],
    ]);
  } finally {
    await close();
  }
});
