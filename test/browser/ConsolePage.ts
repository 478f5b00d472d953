import type { Browser, BrowserContext, Page } from 'playwright-core';
import { findingsOn } from './findingsOn.js';

/** The console in a browser with separate storage, and everything that went wrong on it. */
export class ConsolePage {
  private constructor(
    readonly page: Page,
    readonly context: BrowserContext,
    /** Errors of scripts, violations of the policy, requests to other origins. */
    readonly problems: string[],
    private readonly url: string,
  ) {}

  static async open(
    browser: Browser,
    url: string,
    options: {
      readonly colorScheme?: 'light' | 'dark';
      readonly width?: number;
      /** Another origin that the page may leave for; what happens on its pages is no problem of the console. */
      readonly provider?: string;
    } = {},
  ): Promise<ConsolePage> {
    const { colorScheme = 'light', width = 1280, provider = 'none' } = options;
    const context = await browser.newContext({ colorScheme, viewport: { width, height: width < 500 ? 844 : 800 } });
    const page = await context.newPage();
    const problems: string[] = [];
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('console', (message) => {
      // Refusals of the server are part of the tests; violations of the policy are errors too.
      const isRefusal = message.text().startsWith('Failed to load resource');
      const isForeign = message.location().url.startsWith(provider);
      if (message.type() === 'error' && !isRefusal && !isForeign) problems.push(message.text());
    });
    await context.route('**', (route) => {
      const { origin } = new URL(route.request().url());
      if (origin === url || origin === provider) return route.continue();
      if (page.url().startsWith(provider)) return route.abort();
      problems.push(`a request to ${route.request().url()}`);
      return route.abort();
    });
    await page.goto(`${url}/_console/`);
    return new ConsolePage(page, context, problems, url);
  }

  async signIn(name: string, password: string): Promise<void> {
    const { page } = this;
    await page.getByLabel('Name', { exact: true }).fill(name);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('navigation', { name: 'Screens' }).waitFor();
  }

  /** Shows a screen; the token stays, since only the fragment changes. */
  async show(fragment: string): Promise<void> {
    await this.page.goto(`${this.url}/_console/#/${fragment}`);
  }

  /** The serious and critical findings of axe-core on what is shown. */
  findings(): Promise<readonly string[]> {
    return findingsOn(this.page);
  }

  /** The findings on each of these screens, and those that are wider than the window. */
  async findingsOnAll(screens: readonly string[]): Promise<readonly string[]> {
    const { page } = this;
    const width = page.viewportSize()?.width;
    const found: string[] = [];
    for (const screen of screens) {
      await this.show(screen);
      await page.waitForLoadState('networkidle');
      // A list that is replaced in a moment is dimmed.
      await page.locator('.dimmed').first().waitFor({ state: 'detached' });
      found.push(...(await this.findings()).map((finding) => `${screen}: ${finding}`));
      const across = await page.evaluate('document.documentElement.scrollWidth');
      if (across !== width) found.push(`${screen}: ${String(across)} px wide`);
    }
    return found;
  }
}
