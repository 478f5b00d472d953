// Users of the application as users of Millrace: a login strategy that the application alone can use.
import { randomUUID } from 'node:crypto';
import { definePlugin } from '@millrace/kernel';

// Known to this process alone, so that no client can use the strategy.
const secret = randomUUID();

export const appUsers = definePlugin({
  name: 'app-users',
  kernel: '^0.1.0',
  setup: (host) =>
    host.strategy({
      name: 'app',
      verify: async (given, { identities }) => {
        if (given.secret !== secret) return null;
        const user = { profileIds: ['default'], content: { name: given.name } };
        return { userId: await identities.findOrCreate(given.name, user) };
      },
    }),
});

/** A token for a user of the application; at the first time a user of Millrace is created. */
export async function tokenFor(kernel, name) {
  const body = { secret, name };
  const response = await kernel.execute({
    controller: 'auth',
    action: 'login',
    strategy: 'app',
    body,
  });
  if (response.error !== null) throw new Error(response.error.message);
  return response.result.jwt;
}
