import type { Command } from './Command.js';
import { addressOf, URL_OPTION } from './RemoteServer.js';
import { expiryOf, SavedTokens } from './SavedTokens.js';

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
