import type { Command } from './Command.js';
import { RemoteServer, urlOf } from './RemoteServer.js';
import { SavedTokens } from './SavedTokens.js';

/** Prints the token of `login`, for other programs. */
export const tokenCommand: Command = {
  name: 'token',
  summary: 'Prints the token of millrace login',
  description: 'For other programs: curl -H "Authorization: Bearer $(millrace token)" …',
  options: { url: { value: 'URL', doc: 'address of the server [http://127.0.0.1:7511]' } },
  usesConfig: false,
  hasResult: true,
  run: async (call) => {
    const { name: url } = new RemoteServer(urlOf(call), '');
    const saved = await new SavedTokens(call.context).find(url);
    if (saved === undefined)
      throw new Error(`There is no valid token of ${url}: millrace login USER --url ${url}`);
    return { text: `${saved.token}\n`, json: { ...saved, url } };
  },
};
