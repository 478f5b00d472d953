import { createHash, timingSafeEqual } from 'node:crypto';
import { definePlugin, type Plugin } from '@millrace/kernel';

/** Who may log in. */
export interface BadgeOptions {
  /** By the number of the badge. */
  readonly badges: Readonly<Record<string, { readonly pin: string; readonly userId: string }>>;
}

/** Login with the number of a badge and its PIN: strategy `badge`, parameters `number` and `pin`. */
export function badgeAuth(options: BadgeOptions = { badges: {} }): Plugin {
  const badges = new Map(Object.entries(options.badges));
  return definePlugin({
    name: '{{name}}',
    kernel: '^{{version}}',
    setup(host) {
      host.strategy({
        name: 'badge',
        verify({ number, pin }) {
          // Clients send anything: anything but a string is wrong credentials, not an error of the plugin.
          if (typeof number !== 'string' || typeof pin !== 'string') return null;
          const badge = badges.get(number);
          // Compared for unknown badges too, so that both take the same time.
          const isRight = isSame(pin, badge?.pin ?? '');
          return badge !== undefined && isRight ? { userId: badge.userId } : null;
        },
        // Failed logins are counted by it; never a secret.
        accountOf: ({ number }) => (typeof number === 'string' ? number.slice(0, 100) : null),
      });
    },
  });
}

function isSame(left: string, right: string): boolean {
  const [a, b] = [left, right].map((text) => createHash('sha256').update(text).digest());
  return a !== undefined && b !== undefined && timingSafeEqual(a, b);
}
