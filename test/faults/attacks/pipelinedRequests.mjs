const CONNECTIONS = 100;
const REQUESTS = 20_000;
const STAY_MS = 3_000;

/** 20,000 requests on each of 100 HTTP connections without waiting for answers, half of them never read. */
export const pipelinedRequests = {
  finding: '–',
  async run(attacker) {
    const one = 'GET /_now HTTP/1.1\r\nHost: localhost\r\n\r\n';
    const many = Buffer.from(one.repeat(REQUESTS));
    await attacker.crowd(CONNECTIONS, async (number) => {
      const reads = number % 2 === 0;
      const { socket, answered } = await attacker.rawHttp([many], { reads });
      attacker.sentCount += REQUESTS;
      attacker.count(await attacker.untilEnd(answered));
      await attacker.pause(STAY_MS);
      socket.destroy();
    });
  },
};
