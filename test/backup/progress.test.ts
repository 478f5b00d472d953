import { join } from 'node:path';
import { expect, it } from 'vitest';
import { silentLogger } from '@millrace/kernel';
import { websocket } from '@millrace/protocol-websocket';
import { Kernel } from '@millrace/server';
import { connectWebsocket } from '../wire/clients/connectWebsocket.js';
import { inFolder } from './openServer.js';

it('notifies the connection that began a backup until it has ended', async () => {
  await inFolder(async (folder) => {
    const kernel = new Kernel({
      config: {
        http: { listen: false },
        websocket: { port: 0 },
        server: { dataDir: join(folder, 'data') },
      },
      plugins: [websocket()],
      logger: silentLogger,
    });
    const [address] = await kernel.start();
    const [client, other] = [await connectWebsocket(address?.url ?? ''), await connectWebsocket(address?.url ?? '')];
    const answer = await client.request({
      requestId: 'mine',
      controller: 'server',
      action: 'backup',
      body: { note: 'watched' },
    });
    expect(answer.result).toMatchObject({ state: 'running', note: 'watched' });
    const name = (answer.result as { readonly name: string }).name;
    const received = () => client.everything.slice(1).map((each) => JSON.parse(each) as Record<string, unknown>);
    await expect
      .poll(() => received().at(-1), { timeout: 20_000 })
      .toMatchObject({
        room: 'mine',
        requestId: 'mine',
        status: 200,
        controller: 'server',
        action: 'backup',
        result: { name, state: 'complete', note: 'watched' },
      });
    expect(other.everything).toEqual([]);
    client.close();
    other.close();
    await kernel.stop();
  });
});
