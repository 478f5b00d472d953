import { textFrame } from '../RawWebSocket.mjs';

const CONNECTIONS = 40;
const LOGINS_EACH = 100;
const USERS = 5;
const PAUSE_MS = 500;
const ROLE = { controllers: { auth: { actions: { '*': true } } } };

/** 4,000 logins with right passwords of five users over 40 WebSockets, again once they have been answered. */
export const loginCrowd = {
  finding: 'H3',
  async prepare(server) {
    const users = [];
    for (let number = 0; number < USERS; number++) {
      users.push(await server.account(`mallory${number}`, ROLE));
    }
    return users;
  },
  async run(attacker) {
    const logins = attacker.prepared.map(({ username, password }) =>
      textFrame({ controller: 'auth', action: 'login', body: { username, password } }),
    );
    await attacker.crowd(CONNECTIONS, async () => {
      const socket = await attacker.websocket();
      const login = (number) => logins[number % USERS];
      await attacker.flood(socket, login, { count: LOGINS_EACH, window: LOGINS_EACH });
      while (!attacker.isOver && !socket.isClosed && socket.answeredCount < LOGINS_EACH) {
        await attacker.pause(PAUSE_MS / 10);
      }
      socket.destroy();
      await attacker.pause(PAUSE_MS);
    });
  },
};
