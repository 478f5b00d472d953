import { defineErrors, definePlugin, type Plugin } from '@millrace/kernel';

/** The errors of this plugin. */
export const stampErrors = defineErrors('stamps', {
  reserved: {
    status: 400,
    message: () => 'Field "createdAtMs" is set by the server: leave it out of the document',
  },
});

/** What the server that installs the plugin may pass. */
export interface StampOptions {
  readonly onFailure?: (failure: { readonly action: string; readonly status: number }) => void;
}

/** A pipe that stamps new documents with the time, in every way to write, and a hook that sees every failed request. */
export function stamps({ onFailure }: StampOptions = {}): Plugin {
  return definePlugin({
    name: '{{name}}',
    kernel: '^{{version}}',
    setup(host) {
      // Runs before any write of a document, whatever action makes it. A throw, or more than 5 s, refuses that document alone.
      host.pipe({
        when: 'document.beforeWrite',
        run: ({ before, after }) => {
          if (after === null) return undefined; // a deletion
          const createdAtMs = before === null ? Date.now() : before['createdAtMs'];
          const sent = after['createdAtMs'];
          if (sent !== undefined && sent !== before?.['createdAtMs']) throw stampErrors.reserved({});
          return createdAtMs === undefined ? undefined : { ...after, createdAtMs };
        },
      });
      // A hook sees and can't change or delay anything.
      host.hook('request.ended', ({ request, response: { message } }) => {
        if (message.status < 400) return;
        const action = `${request.controller}.${request.action}`;
        host.log.info({ action, status: message.status }, 'a request has failed');
        onFailure?.({ action, status: message.status });
      });
    },
  });
}
