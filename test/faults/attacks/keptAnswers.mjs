const CONNECTIONS = 20;
const TEXT = 'x'.repeat(60_000);
const ROLE = {
  controllers: {
    auth: { actions: { '*': true } },
    document: { actions: { createOrReplace: true } },
  },
};

/** Writes of 60 KB with an idempotency key each, whose answers are kept for a day. */
export const keptAnswers = {
  finding: '–',
  async prepare(server) {
    await server.call('PUT', '/rooms');
    await server.call('PUT', '/rooms/all');
    return server.account('mallory', ROLE);
  },
  async run(attacker) {
    const { token } = attacker.prepared;
    const call = attacker.httpCaller(CONNECTIONS);
    await attacker.crowd(CONNECTIONS, async (number) => {
      const key = `${number}-${attacker.sentCount++}`;
      const path = `/rooms/all/${number}?idempotencyKey=${key}`;
      attacker.count(await call('PUT', path, { token, body: { text: TEXT } }));
    });
  },
};
