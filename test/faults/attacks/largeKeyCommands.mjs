const KEY_BYTES = 64 * 1_048_576;
const ELEMENTS = 1_000_000;
const PER_PUSH = 20_000;
const CONNECTIONS = 2;
const PAUSE_MS = 50;
const ROLE = {
  controllers: {
    auth: { actions: { '*': true } },
    ms: { actions: { '*': true } },
    memoryStorage: { actions: { '*': true } },
  },
};
const COMMANDS = [
  ['POST', '/ms/_bitop/xor/target', { keys: Array(20).fill('large') }],
  ['GET', '/ms/_bitcount/large'],
  ['GET', '/ms/_dump/large'],
  ['GET', '/ms/_sort_ro/list'],
  ['POST', '/ms/_sort/list', { direction: 'DESC', store: 'sorted' }],
];

/** Memory-store commands over a key of 64 MiB and a list of a million elements, two at a time, by an entitled user. */
export const largeKeyCommands = {
  finding: 'M9',
  async prepare(server) {
    await server.call('POST', '/ms/_setrange/large', { offset: KEY_BYTES - 1, value: 'x' });
    for (let from = 0; from < ELEMENTS; from += PER_PUSH) {
      const values = Array.from({ length: PER_PUSH }, (_, n) => `${((from + n) * 7_919) % 999_983}`);
      await server.call('POST', '/ms/_rpush/list', { values });
    }
    return server.account('mallory', ROLE);
  },
  async run(attacker) {
    const call = attacker.httpCaller(CONNECTIONS);
    const { token } = attacker.prepared;
    let turn = 0;
    await attacker.crowd(CONNECTIONS, async () => {
      const [method, path, body] = COMMANDS[turn++ % COMMANDS.length];
      attacker.sentCount++;
      attacker.count(await attacker.untilEnd(call(method, path, { token, body })));
      await attacker.pause(PAUSE_MS);
    });
  },
};
