const STARTS = 20_100;
const CONNECTIONS = 8;
const PAUSE_MS = 10;

/** 20,100 anonymous first steps of an OAuth2 login; a login that an honest client began before must still be known. */
export const oauthStarts = {
  finding: 'M7',
  settings: {
    MILLRACE_OAUTH2_PROVIDERS: {
      idp: {
        // Port 9 (discard): the provider is never reached, and step two answers 503 where its state is known.
        authorizationURL: 'http://127.0.0.1:9/authorize',
        tokenURL: 'http://127.0.0.1:9/token',
        profileURL: 'http://127.0.0.1:9/me',
        clientID: 'millrace',
        clientSecret: 'a-secret-of-this-attack',
        createUser: true,
      },
    },
  },
  /** Step one of the honest client. */
  async before(honest, server) {
    const { status, headers, envelope } = await honest.http('GET', '/_login/idp', { server });
    if (status !== 302) throw new Error(`the honest step one answered ${status}`);
    const cookie = (headers['set-cookie'] ?? []).map((line) => line.split(';')[0]).join('; ');
    return { cookie, state: envelope.result.state };
  },
  async run(attacker) {
    const call = attacker.httpCaller(CONNECTIONS);
    await attacker.crowd(CONNECTIONS, async () => {
      if (attacker.sentCount >= STARTS) return attacker.pause(1_000);
      attacker.sentCount++;
      const status = await attacker.untilEnd(call('GET', '/_login/idp'));
      attacker.count(status);
      if (status !== 302) await attacker.pause(PAUSE_MS);
    });
    return attacker.sentCount < STARTS ? `too few to count: expected ${STARTS} starts` : undefined;
  },
  /** Step two of the honest client: its state must be known. */
  async check({ honest, begun }) {
    const { cookie, state } = begun;
    const path = `/api/1.0/_login/idp?code=c&state=${encodeURIComponent(state)}`;
    const { status, envelope } = await honest.http('GET', path, { headers: { cookie } });
    const { id } = envelope.error ?? {};
    const isKnown = status === 503 || !/state/.test(id ?? 'no answer about state');
    return isKnown ? undefined : `the honest step two answered ${status} ${id}`;
  },
};
