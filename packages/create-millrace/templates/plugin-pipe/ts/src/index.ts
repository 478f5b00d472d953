import { defineErrors, definePlugin, type Plugin } from '@millrace/kernel';

/** The errors of this plugin. */
export const stampErrors = defineErrors('stamps', {
  reserved: {
    status: 400,
    message: () => 'Field "createdAtMs" is set by the server: leave it out of the document',
  },
});

/** What the plugin has seen, for whoever made it. */
export interface StampOptions {
  readonly onFailure?: (failure: { readonly action: string; readonly status: number }) => void;
}

/** A pipe that stamps new documents with the time, and a hook that sees every failed request. */
export function stamps({ onFailure }: StampOptions = {}): Plugin {
  return definePlugin({
    name: '{{name}}',
    kernel: '^{{version}}',
    setup(host) {
      // A pipe may change or refuse a request. A throw, or more than 5 s, fails that request alone.
      host.pipe({
        when: 'before',
        actions: 'document.create',
        run: (input) => {
          if (Object.hasOwn(input.body, 'createdAtMs')) throw stampErrors.reserved({});
          return { ...input, body: { ...input.body, createdAtMs: Date.now() } };
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
