const STREAMS = 1_500;
const POLLS = 500;
const WRITERS = 4;
const WRITE_EVERY_MS = 10;
const TEXT = 'x'.repeat(20_000);
const ROLE = {
  controllers: {
    auth: { actions: { '*': true } },
    document: { actions: { search: true, createOrReplace: true } },
    realtime: { actions: { subscribe: true } },
  },
};

/** 1,500 streams of events that are not read, and 500 long polls, of a collection with 400 writes of 20 KB a second. */
export const heldStreams = {
  finding: '–',
  async prepare(server) {
    await server.call('PUT', '/rooms');
    await server.call('PUT', '/rooms/all');
    const { cursor } = await server.call('GET', '/rooms/all/_changes');
    return { ...(await server.account('mallory', ROLE)), cursor };
  },
  async run(attacker) {
    const { token, cursor } = attacker.prepared;
    const head = (path, more) =>
      Buffer.from(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n${more}\r\n`);
    const stream = head('/rooms/all/_subscribe', 'Accept: text/event-stream\r\n');
    const call = attacker.httpCaller(POLLS);
    await Promise.all([
      attacker.crowd(STREAMS, async () => {
        attacker.sentCount++;
        const { socket, answered } = await attacker.rawHttp([stream], { reads: false });
        attacker.count(`stream ${await attacker.untilEnd(answered)}`);
        socket.destroy();
        await attacker.pause(200);
      }),
      attacker.crowd(POLLS, async (number) => {
        attacker.sentCount++;
        const path = `/rooms/all/_changes?wait=25s&cursor=${cursor}`;
        const body = { equals: { never: number } };
        attacker.count(`poll ${await call('POST', path, { token, body })}`);
        await attacker.pause(20);
      }),
      attacker.crowd(WRITERS, async (number) => {
        const body = { text: TEXT };
        const id = `${number}-${Math.floor(Math.random() * 1_000)}`;
        attacker.count(`write ${await call('PUT', `/rooms/all/${id}`, { token, body })}`);
        await attacker.pause(WRITE_EVERY_MS);
      }),
    ]);
  },
};
