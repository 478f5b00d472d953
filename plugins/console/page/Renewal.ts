import type { TokenStore } from '@millrace/client';

const TRIES = 4;
const PAUSE_MS = 400;

interface Answer {
  readonly result: { readonly jwt: string | null; readonly retry?: true } | null;
}

/** The renewal of the token by a cookie, which scripts can't read: it makes the session survive a reload. */
export class Renewal {
  constructor(
    private readonly serverUrl: string,
    private readonly store: TokenStore,
  ) {}

  /** The token of the session of the cookie; null: there is none. To be called by one tab at a time. */
  async renewed(): Promise<string | null> {
    for (let tries = TRIES; tries > 0; tries--) {
      const { result } = await this.send();
      if (result?.retry !== true) return result?.jwt ?? null;
      // Another tab was faster, and the browser is about to have its cookie.
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
    return null;
  }

  /** Continues the session of the cookie, if there is one. */
  async restore(): Promise<void> {
    const work = async () => {
      // Another tab was faster.
      if ((await this.store.get()) !== null) return;
      const jwt = await this.renewed();
      if (jwt !== null) await this.store.set(jwt);
    };
    await (this.store.exclusive?.(work) ?? work());
  }

  /** Lets the session of a token survive reloads; it stays as it is where the server doesn't renew it. */
  async begin(token: string): Promise<void> {
    const { result } = await this.send(token);
    if (result !== null && result.jwt !== null) await this.store.set(result.jwt);
  }

  private async send(token?: string): Promise<Answer> {
    try {
      const response = await fetch(`${this.serverUrl}/_console/session`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(token === undefined ? undefined : { authorization: `Bearer ${token}` }),
        },
        body: '{}',
        // The new cookie arrives also if the page is left meanwhile.
        keepalive: true,
      });
      return (await response.json()) as Answer;
    } catch {
      return { result: null };
    }
  }
}
