import { afterEach, describe, expect, it } from 'vitest';
import { Kernel } from '@millrace/server';
import { silentLogger, type JsonObject } from '@millrace/kernel';
import { oauth2Auth } from '@millrace/auth-oauth2';
import { samlAuth } from '@millrace/auth-saml';
import { freePort } from '../memory/startRedis.js';
import { startKernel, type StartedKernel } from '../startKernel.js';

const plugins = () => [oauth2Auth(), samlAuth()];
let started: StartedKernel | undefined;
afterEach(async () => {
  await started?.close();
  started = undefined;
});

describe('auth-oauth2 and auth-saml', () => {
  it('start unconfigured, without a strategy', async () => {
    started = await startKernel({ plugins: plugins() });
    expect((await started.ask('GET', '/strategies')).body.result).toEqual([]);
    const { body } = await started.ask('GET', '/_saml/corp/metadata');
    expect(body).toMatchObject({ status: 400, error: { id: 'auth.unknown_strategy' } });
  });

  it('start while their providers are away; a login is answered 503 then', async () => {
    const away = `http://127.0.0.1:${await freePort()}`;
    const config = { oauth2: { providers: { p: { openid: away, clientID: 'us' } } } };
    started = await startKernel({ plugins: plugins(), config });
    const { body, headers } = await started.ask('GET', '/_login/p');
    expect(body).toMatchObject({ status: 503, error: { id: 'auth.provider_unavailable' } });
    expect(headers.get('retry-after')).toBe('5');
  });

  it.each<[JsonObject, RegExp]>([
    [{ oauth2: { providers: { p: { clientID: 'us' } } } }, /oauth2\.providers: p\.authorizationURL is missing/],
    [{ saml: { providers: { corp: {} } } }, /saml\.providers: corp\.idpCert is missing|corp\.entryPoint is missing/],
  ])('refuse a provider that is half configured: %j', (config, message) => {
    const make = () => new Kernel({ config, plugins: plugins(), logger: silentLogger });
    expect(make).toThrow(message);
  });

  it('refuse one name for two strategies', async () => {
    const provider = { openid: 'https://p.example', clientID: 'us' };
    const config = { http: { port: 0 }, oauth2: { providers: { local: provider } } };
    const { localAuth } = await import('@millrace/auth-local');
    const kernel = new Kernel({ config, plugins: [localAuth(), ...plugins()], logger: silentLogger });
    await expect(kernel.start()).rejects.toThrow(
      /auth-oauth2.*strategy "local" exists already: it belongs to plugin "auth-local"/,
    );
  });
});
