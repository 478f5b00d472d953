const CONNECTIONS = 1_000;
const STREAMS = 100;
const RETRY_MS = 200;

/**
 * 1,000 requests whose bodies never come and 100 that are not read, against a process with 1,024 descriptors: fewer than
 * the connections need.
 */
export const unfinishedRequests = {
  finding: 'S5',
  openFiles: 1_024,
  async run(attacker) {
    const head = Buffer.from(
      'POST /_login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{',
    );
    const unread = Buffer.from('GET /_openapi HTTP/1.1\r\nHost: localhost\r\n\r\n');
    const hold = (bytes, options) => async () => {
      attacker.sentCount++;
      const { socket, answered } = await attacker.rawHttp([bytes], options);
      attacker.count(await attacker.untilEnd(answered));
      socket.destroy();
      await attacker.pause(RETRY_MS);
    };
    await Promise.all([
      attacker.crowd(CONNECTIONS, hold(head)),
      attacker.crowd(STREAMS, hold(unread, { reads: false })),
    ]);
  },
};
