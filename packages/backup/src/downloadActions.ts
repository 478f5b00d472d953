/*
 * The download of a backup. A browser saves a file of any size only if it opens the address itself, where it sends no
 * token. So `server.downloadBackup` gives an administrator an address with a ticket, for one download within a minute:
 * in a history or a log it is worth nothing.
 */
import {
  authErrors,
  defineAction,
  FileContent,
  required,
  route,
  schema,
  text,
  type ActionDefinition,
  type Logger,
  type Tickets,
} from '@millrace/kernel';
import type { Backups } from './Backups.js';
import { gzipBackup } from './packBackup.js';

const TICKET_LIFE_MS = 60_000;
const GZIP = 'application/gzip';

/** The actions of downloads. */
export function downloadActions(
  backups: Backups,
  { tickets, log }: { readonly tickets: Tickets; readonly log: Logger },
): readonly ActionDefinition[] {
  return [
    defineAction({
      controller: 'server',
      action: 'downloadBackup',
      summary: 'Gives the path of one backup as a .tar.gz, for one download without a token within a minute.',
      routes: [route('POST /_backups/:backup/_download')],
      args: { backup: required(text()) },
      result: schema.object({
        path: schema.text,
        expiresAt: { ...schema.integer(), description: 'UTC milliseconds.' },
      }),
      writes: true,
      keepsAnswers: false,
      run: async ({ request, args: { backup } }) => {
        backups.assertPossible();
        await backups.folder.find(backup);
        const userId = request.user._id;
        const ticket = tickets.issue({ backup, userId }, TICKET_LIFE_MS);
        return { path: `/_backups/_download/${ticket}`, expiresAt: Date.now() + TICKET_LIFE_MS };
      },
    }),
    defineAction({
      controller: 'server',
      action: 'getBackupFile',
      summary: 'Sends the backup of a ticket of server.downloadBackup, over HTTP.',
      routes: [route('GET /_backups/_download/:ticket')],
      args: { ticket: required(text()) },
      mediaType: GZIP,
      writes: false,
      ignoresToken: true,
      authorizesItself: true,
      run: async ({ request, args: { ticket } }) => {
        const { backup, userId } = (await tickets.redeem(ticket)) ?? {};
        if (typeof backup !== 'string')
          throw authErrors.invalid_token({ reason: 'the ticket is unknown, expired or used' });
        const { path, manifest } = await backups.folder.find(backup);
        log.info({ backup, userId, remoteAddress: request.connection.remoteAddress }, 'a backup is downloaded');
        return new FileContent(GZIP, `${backup}.tar.gz`, () => gzipBackup(path, manifest));
      },
    }),
  ];
}
