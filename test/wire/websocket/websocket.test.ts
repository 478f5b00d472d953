import { expect, it } from 'vitest';
import { localAuth } from '@millrace/auth-local';
import { websocket } from '@millrace/protocol-websocket';
import { startKernel } from '../../startKernel.js';
import { connectWebsocket } from '../clients/connectWebsocket.js';
import { describeMessageRules } from '../describeMessageRules.js';

describeMessageRules({ name: 'websocket', plugin: websocket(), connect: connectWebsocket });

it('a request without a token is anonymous after a login on the same connection (PROTO-40)', async () => {
  const password = 'a-password-of-mine';
  const server = await startKernel({ plugins: [localAuth(), websocket({ port: 0 })] });
  try {
    const url = (await server.kernel.start()).find(({ protocol }) => protocol === 'websocket')?.url;
    const created = await server.ask('POST', '/users/boss/_createFirstAdmin', { password });
    expect(created.status).toBe(200);
    const client = await connectWebsocket(url ?? '');
    const body = { username: 'boss', password };
    const login = await client.request({ controller: 'auth', action: 'login', body });
    const { jwt } = login.result as { readonly jwt: string };
    const whoIs = async (fields: object) => {
      const request = { controller: 'auth', action: 'getCurrentUser', ...fields };
      return ((await client.request(request)).result as { readonly _id: string })._id;
    };
    expect([await whoIs({ jwt }), await whoIs({})]).toEqual(['boss', '-1']);
    client.close();
  } finally {
    await server.close();
  }
});
