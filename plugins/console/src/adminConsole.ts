import { definePlugin, type Plugin } from '@millrace/kernel';
import { ConsoleSessions } from './ConsoleSessions.js';
import { consoleConfig, type ConsoleConfig } from './config.js';

const PATH = '/_console';
/** The built page, for this file in `src` and in `dist`. */
const PAGE = new URL('../dist/page/', import.meta.url);

/** The page runs its own script and style, and reaches this server alone. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  // Screens of plugins, in sandboxed frames: a frame can't go to another server, and take its port along.
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const HEADERS = {
  'Content-Security-Policy': POLICY,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  'Referrer-Policy': 'no-referrer',
  'X-Robots-Tag': 'noindex',
};

/**
 * Plugin that serves the admin console at `/_console`, if `console.enabled` is true. The console is an ordinary client:
 * whoever opens it has the rights of the user who logs in, and no others.
 * @param options defaults of its configuration keys (section `console`); file, environment and flags override them
 */
export function adminConsole(options: Partial<ConsoleConfig> = {}): Plugin {
  return definePlugin({
    name: 'console',
    kernel: '^0.1.0',
    config: { console: consoleConfig(options) },
    setup(host) {
      const { enabled, allow } = host.config.console as unknown as ConsoleConfig;
      if (!enabled) return;
      host.files({ path: PATH, folder: PAGE, headers: HEADERS, allow });
      host.controller([new ConsoleSessions(host, host.store('sessions')).action]);
    },
  });
}
