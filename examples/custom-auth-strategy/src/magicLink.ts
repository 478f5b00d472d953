import {
  alsoInBody,
  custom,
  defineAction,
  defineErrors,
  definePlugin,
  required,
  route,
  type Plugin,
} from '@millrace/kernel';

/** Options of the plugin. */
export interface MagicLinkOptions {
  /** Page of the application that receives the link: the ticket is appended as `?ticket=…`. */
  readonly page: string;
  /** Sends the mail. If it rejects, the server logs the error, and the person asks for another link. */
  readonly send: (mail: { readonly to: string; readonly link: string }) => Promise<void>;
  /** Profiles of a user who logs in for the first time. Default: `default`. */
  readonly profileIds?: readonly string[];
}

/** A plugin registers the errors that it raises: identifier, status, message. */
export const magicLinkErrors = defineErrors('magicLink', {
  too_soon: {
    status: 429,
    message: () => 'A link was sent to this address less than a minute ago: look into the mailbox',
  },
});

const LIFE_MS = 15 * 60_000;
const PAUSE_MS = 60_000;
/** Beyond it the oldest are forgotten: what clients send must not fill the memory. */
const MAX_RECENT = 10_000;
const ADDRESS = /^[^\s@<>]{1,64}@[^\s@<>]{1,190}$/;

/**
 * Login without a password: `magicLink.send` mails a link to an address, and the strategy `magic-link` takes the ticket
 * that it carries, once and for 15 minutes.
 */
export function magicLink({ page, send, profileIds = ['default'] }: MagicLinkOptions): Plugin {
  return definePlugin({
    name: 'example-magic-link',
    kernel: '^0.1.0',
    setup(host) {
      const tickets = host.tickets('link');
      const recent = new RecentAddresses();

      const sendLink = defineAction({
        controller: 'magicLink',
        action: 'send',
        summary: 'Mails a link to log in with.',
        routes: [route('POST /_magicLink')],
        args: { email: required(alsoInBody(address())) },
        writes: false,
        // The caller has no login yet.
        access: 'public',
        run: ({ args: { email } }) => {
          if (!recent.add(email)) throw magicLinkErrors.too_soon({});
          const link = new URL(page);
          link.searchParams.set('ticket', tickets.issue({ email }, LIFE_MS));
          // The answer doesn't wait for the mail, and is the same for every address.
          send({ to: email, link: link.href }).catch((error: unknown) => {
            host.log.error({ err: error }, 'a link could not be sent');
          });
          return { sent: true };
        },
      });
      host.controller([sendLink]);

      host.strategy({
        name: 'magic-link',
        verify: async ({ ticket }, { identities }) => {
          // Clients send anything: null means wrong, whatever is wrong.
          if (typeof ticket !== 'string') return null;
          const email = (await tickets.redeem(ticket))?.['email'];
          if (typeof email !== 'string') return null;
          return {
            userId: await identities.findOrCreate(email, { profileIds, content: { email } }),
          };
        },
      });
    },
  });
}

/** An address, in lower case: the same mailbox is the same user. */
function address() {
  const schema = { type: 'string', format: 'email', maxLength: 255 };
  return custom('an e-mail address', schema, (value) =>
    typeof value === 'string' && ADDRESS.test(value) ? value.toLowerCase() : undefined,
  );
}

/** Addresses that a link was sent to within the last minute, on this node. */
class RecentAddresses {
  private readonly sentAtMs = new Map<string, number>();

  /** @returns false if it was added within the last minute */
  add(email: string): boolean {
    const nowMs = Date.now();
    const sentAtMs = this.sentAtMs.get(email);
    if (sentAtMs !== undefined && nowMs - sentAtMs < PAUSE_MS) return false;
    this.sentAtMs.delete(email);
    this.sentAtMs.set(email, nowMs);
    const [oldest] = this.sentAtMs.keys();
    if (oldest !== undefined && this.sentAtMs.size > MAX_RECENT) this.sentAtMs.delete(oldest);
    return true;
  }
}
