import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { localAuth } from '@millrace/auth-local';
import { mqtt } from '@millrace/protocol-mqtt';
import { startKernel, type StartedKernel } from '../../startKernel.js';
import { connectMqtt } from '../clients/connectMqtt.js';
import type { MessageClient } from '../clients/MessageClient.js';
import { describeMessageRules } from '../describeMessageRules.js';

describeMessageRules({ name: 'mqtt', plugin: mqtt(), connect: connectMqtt });

describe('MQTT connections with credentials, on a real server (PROTO-63)', () => {
  const password = 'a-password-of-mine';
  let server: StartedKernel;
  let url: string;
  beforeAll(async () => {
    const plugins = [localAuth(), mqtt()];
    server = await startKernel({ plugins, config: { mqtt: { port: 0 } } });
    url = (await server.kernel.start()).find((address) => address.url !== server.url)?.url ?? '';
    const created = await server.ask('POST', '/users/boss/_createFirstAdmin', { password });
    expect(created.status).toBe(200);
  });
  afterAll(() => server.close());

  const whoIs = async (client: MessageClient) => {
    const { result } = await client.request({ controller: 'auth', action: 'getCurrentUser' });
    return (result as { readonly _id: string })._id;
  };

  it('requests without a token are made by the user who connected', async () => {
    const boss = await connectMqtt(url, 'c1', { username: 'boss', password });
    const nobody = await connectMqtt(url, 'c2');
    expect([await whoIs(boss), await whoIs(nobody)]).toEqual(['boss', '-1']);
    const login = await nobody.request({
      controller: 'auth',
      action: 'login',
      body: { username: 'boss', password },
    });
    const { jwt } = login.result as { readonly jwt: string };
    const byToken = await connectMqtt(url, 'c3', { username: 'jwt', password: jwt });
    expect([await whoIs(byToken), await whoIs(nobody)]).toEqual(['boss', '-1']);
    // The token of c3 ends: its connection does too, c1 has a separate token.
    await server.ask('GET', '/_logout', undefined, { authorization: `Bearer ${jwt}` });
    expect(await byToken.request({ controller: 'server', action: 'now' })).toMatchObject({
      status: 401,
    });
    await byToken.closed;
    expect(await whoIs(boss)).toBe('boss');
    for (const client of [boss, nobody]) client.close();
  });

  it('an idle connection ends when its token is revoked elsewhere, and no other one', async () => {
    const login = async () => {
      const body = { username: 'boss', password };
      const { result } = await server.kernel.execute({ controller: 'auth', action: 'login', body });
      return (result as { readonly jwt: string }).jwt;
    };
    const [jwt, other] = [await login(), await login()];
    const left = await connectMqtt(url, 'c5', { username: 'jwt', password: jwt });
    const stays = await connectMqtt(url, 'c6', { username: 'jwt', password: other });
    await server.kernel.execute({ controller: 'auth', action: 'logout', jwt });
    await left.closed;
    expect(await whoIs(stays)).toBe('boss');
    stays.close();
  });

  it('wrong credentials are refused with return code 5', async () => {
    for (const credentials of [
      { username: 'boss', password: 'wrong-password' },
      { username: 'jwt', password: 'x.y.z' },
    ]) {
      await expect(connectMqtt(url, 'c4', credentials)).rejects.toMatchObject({ code: 5 });
    }
  });
});
