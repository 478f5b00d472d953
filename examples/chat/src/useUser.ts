import { useEffect, useState } from 'react';
import { client } from './client';

/** The name of the user; null without a login, undefined until the server has answered. */
export function useUser(): string | null | undefined {
  const [user, setUser] = useState<string | null>();
  useEffect(() => {
    const read = () =>
      client.currentUser().then(
        (found) => setUser(found?.id ?? null),
        // Without the server, whoever is there stays.
        () => setUser((known) => known ?? null),
      );
    void read();
    // A login, a logout or a renewed token, also in another tab.
    return client.session.onTokenChange((token) => {
      if (token === null) setUser(null);
      else void read();
    });
  }, []);
  return user;
}
