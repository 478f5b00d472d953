/** A page as a browser holds it. */
export interface Page {
  readonly url: string;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

interface Cookie {
  readonly value: string;
  readonly path: string;
}

/** Says where the browser stops: an address that is handed back unopened. */
type Stops = (url: string) => boolean;

const MAX_REDIRECTS = 20;

/**
 * As much of a browser as a login needs: cookies by host and path, redirections, forms. It keeps `SameSite` out, as all
 * its hosts are one site, and never shows a cookie to another host.
 */
export class TestBrowser {
  private readonly jar = new Map<string, Map<string, Cookie>>();
  /** Every address that was opened. */
  readonly history: string[] = [];

  /** Opens a page, following redirections. */
  async open(url: string, stops: Stops = () => false): Promise<Page> {
    return this.follow(await this.send(url, 'GET'), stops);
  }

  /** Fills the form of a page in and sends it. */
  async submit(page: Page, fields: Readonly<Record<string, string>>, stops: Stops = () => false) {
    const [, action] = /<form[^>]*\saction="([^"]+)"/i.exec(page.text) ?? [];
    if (action === undefined) throw new Error(`no form in ${page.url}: ${page.text.slice(0, 300)}`);
    const form = new URLSearchParams();
    for (const [input] of page.text.matchAll(/<input[^>]*>/gi)) {
      const [name, value] = ['name', 'value'].map(
        (attribute) => new RegExp(`\\s${attribute}="([^"]*)"`).exec(input)?.[1],
      );
      if (name !== undefined) form.set(name, decodeEntities(value ?? ''));
    }
    for (const [name, value] of Object.entries(fields)) form.set(name, value);
    const target = new URL(decodeEntities(action), page.url).href;
    return this.follow(await this.send(target, 'POST', form.toString()), stops);
  }

  /** Sends one request, following nothing. */
  async send(url: string, method: string, form?: string): Promise<Page> {
    this.history.push(url);
    const { hostname, pathname } = new URL(url);
    const cookies = [...(this.jar.get(hostname) ?? [])]
      .filter(([, { path }]) => pathname.startsWith(path))
      .map(([name, { value }]) => `${name}=${value}`);
    const response = await fetch(url, {
      method,
      redirect: 'manual',
      headers: {
        accept: 'text/html',
        ...(cookies.length === 0 ? {} : { cookie: cookies.join('; ') }),
        ...(form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
      },
      ...(form === undefined ? undefined : { body: form }),
    });
    this.keep(hostname, response.headers.getSetCookie());
    return { url, status: response.status, headers: response.headers, text: await response.text() };
  }

  private async follow(page: Page, stops: Stops): Promise<Page> {
    let current = page;
    for (let count = 0; count < MAX_REDIRECTS; count++) {
      const location = current.headers.get('location');
      if (current.status < 300 || current.status > 399 || location === null) return current;
      const next = new URL(location, current.url).href;
      if (stops(next)) return { ...current, url: next };
      current = await this.send(next, 'GET');
    }
    throw new Error(`too many redirections, the last one to ${current.url}`);
  }

  private keep(hostname: string, setCookies: readonly string[]): void {
    const cookies = this.jar.get(hostname) ?? new Map<string, Cookie>();
    this.jar.set(hostname, cookies);
    for (const line of setCookies) {
      const [pair = '', ...attributes] = line.split(';').map((part) => part.trim());
      const [name = '', value = ''] = [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)];
      const attribute = (key: string) =>
        attributes.find((each) => each.toLowerCase().startsWith(`${key}=`))?.slice(key.length + 1);
      const expires = attribute('expires');
      const isOver = expires !== undefined && Date.parse(expires) < Date.now();
      if (isOver || value === '') cookies.delete(name);
      else cookies.set(name, { value, path: attribute('path') ?? '/' });
    }
  } // prettier-ignore
}

function decodeEntities(text: string): string {
  return text
    .replaceAll('&quot;', '"')
    .replaceAll('&#x2F;', '/')
    .replaceAll('&#x3D;', '=')
    .replaceAll('&#43;', '+')
    .replaceAll('&amp;', '&');
}
