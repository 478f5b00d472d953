import { isJsonObject } from '@millrace/kernel';
import type { Command } from './Command.js';
import { readPassword } from './readPassword.js';
import { addressOf, RemoteServer, URL_OPTION } from './RemoteServer.js';
import { expiryOf, SavedTokens } from './SavedTokens.js';

/** Logs in with a password, for the commands that follow. */
export const loginCommand: Command = {
  name: 'login',
  summary: 'Logs in at a running server; the password is read from the terminal or standard input',
  description:
    'The token is kept in ~/.config/millrace/tokens.json, which only you can read: further commands with the same --url use it, and millrace token prints it.',
  arguments: [{ name: 'USER', doc: 'name of the user' }],
  options: {
    url: URL_OPTION,
    expiresIn: { value: 'TIME', doc: 'how long the token is valid, such as 8h' },
  },
  usesConfig: false,
  hasResult: true,
  run: async (call) => {
    const username = call.argument(0);
    const server = new RemoteServer(addressOf(call), '');
    const password = await readPassword(call.context, 'once');
    const expiresIn = call.value('expiresIn');
    const result = await server.execute('auth', 'login', {
      strategy: 'local',
      ...(expiresIn !== undefined && { expiresIn }),
      body: { username, password },
    });
    const { jwt, _id } = isJsonObject(result) ? result : {};
    if (typeof jwt !== 'string' || typeof _id !== 'string') throw new Error(`${server.name} gave no token`);
    await new SavedTokens(call.context).save(server.name, { token: jwt, user: _id });
    const expiresAt = expiryOf(jwt);
    const until = expiresAt === -1 ? 'for ever' : `until ${new Date(expiresAt).toISOString()}`;
    return {
      text: `Logged in at ${server.name} as ${_id}, ${until}\n`,
      json: { _id, url: server.name, expiresAt },
    };
  },
};

/** Prints the token of `login`, for other programs. */
export const tokenCommand: Command = {
  name: 'token',
  summary: 'Prints the token of millrace login',
  description: 'For other programs: curl -H "Authorization: Bearer $(millrace token)" …',
  options: { url: URL_OPTION },
  usesConfig: false,
  hasResult: true,
  run: async (call) => {
    const url = addressOf(call);
    const saved = await new SavedTokens(call.context).find(url);
    if (saved === undefined) throw new Error(`There is no valid token of ${url}: millrace login USER --url ${url}`);
    return { text: `${saved.token}\n`, json: { ...saved, expiresAt: expiryOf(saved.token), url } };
  },
};
