import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { listenOn } from './listenOn.js';

const options = { host: '127.0.0.1', port: 0, protocol: 'mine', scheme: 'tcp' };

describe('listenOn', () => {
  it('returns the address with the actual port', async () => {
    const server = createServer();
    const { host, port, url } = await listenOn(server, options);
    expect({ host, url }).toEqual({ host: '127.0.0.1', url: `tcp://127.0.0.1:${port}` });
    server.close();
  });

  it('names the key of a port in use, and of a host that is none of this machine', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const listen = (changes: object) => listenOn(createServer(), { ...options, ...changes });
    await expect(listen({ port })).rejects.toThrow(
      `mine failed to start: port ${port} of 127.0.0.1 is in use already (configuration mine.port)`,
    );
    // 192.0.2.0/24 is for documentation: no machine has it.
    await expect(listen({ host: '192.0.2.1' })).rejects.toThrow(
      '192.0.2.1 is no address of this machine, such as 127.0.0.1 or 0.0.0.0 (configuration mine.host)',
    );
    other.close();
  });
});
