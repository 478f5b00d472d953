import { afterEach, describe, expect, it } from 'vitest';
import { openTestSecurity, PASSWORD, type TestSecurity } from './openTestSecurity.test.support.js';

let security: TestSecurity;
afterEach(() => security.close());

describe('the way from an empty store to a user with rights (SEC-22)', () => {
  it('leads over the first administrator, a role, a profile and a user to a token', async () => {
    security = await openTestSecurity();
    const jwt = await security.admin();
    const admin = { jwt };
    const role = { controllers: { server: { actions: { now: true } } } };
    await security.result('security.createRole', { _id: 'clock', body: role }, admin);
    const profile = { policies: [{ roleId: 'clock' }] };
    await security.result('security.createProfile', { _id: 'clocks', body: profile }, admin);
    const user = { profileIds: ['clocks'], password: PASSWORD, name: 'Ada' };
    const made = await security.result('security.createUser', { _id: 'ada', body: user }, admin);
    expect(made).toMatchObject({
      _id: 'ada',
      _index: '%test',
      _type: 'users',
      _version: 1,
      created: true,
      _source: { name: 'Ada', profileIds: ['clocks'], profileId: 'clocks' },
    });

    const ada = { jwt: await security.login('ada') };
    expect(await security.result('server.now', {}, ada)).toEqual({ done: true });
    expect(await security.refusal('auth.getCurrentUser', {}, ada)).toBe('403 security.forbidden');
    expect(await security.refusal('server.now', {}, { jwt: 'nonsense' })).toBe('401 auth.invalid_token');
    expect(await security.refusal('security.getUser', { _id: 'ada' })).toBe('401 auth.login_needed');
    const { hits } = await security.result(
      'security.searchUsers',
      { body: { filter: { term: { 'name.keyword': 'Ada' } } } },
      admin,
    );
    expect(hits).toMatchObject([{ _id: 'ada', _source: { name: 'Ada' } }]);
  });
});
