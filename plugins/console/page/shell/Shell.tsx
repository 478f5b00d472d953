import type { ComponentChildren } from 'preact';
import { useEffect, useErrorBoundary, useState } from 'preact/hooks';
import { Lazy } from '../kit/Lazy.jsx';
import { Failed } from '../kit/States.jsx';
import { useScreens } from '../plugins/useScreens.js';
import { applyTheme, nextTheme, readTheme, type Theme } from './theme.js';
import { Logo } from './Logo.jsx';
import { Leaving } from './Leaving.jsx';
import { leave, toHash, useRoute } from './route.js';
import { signOut, useSession } from './Session.js';
import { useConnectionStatus } from './useConnectionStatus.js';

/** The screens, with an action of each that its user needs. */
const SCREENS = [
  ['data', 'Data', 'index.list'],
  ['realtime', 'Realtime', 'realtime.list'],
  ['memory', 'Memory', 'memoryStorage.keys'],
  ['actions', 'Actions', 'server.info'],
  ['people', 'People', 'security.searchUsers'],
  ['server', 'Server', 'server.info'],
] as const;

const NAMES: ReadonlyMap<string, string> = new Map(SCREENS.map(([name, title]) => [name, title]));

const THEME_NAMES: Readonly<Record<Theme, string>> = { auto: 'as the system', light: 'light', dark: 'dark' };
const STATUS_NAMES = { open: 'live', connecting: 'connecting', waiting: 'offline', idle: '', closed: '' } as const;

const loadPalette = async () => (await import('./Palette.jsx')).Palette;

/** The frame of every screen: navigation, the user, the state of the connection. */
export function Shell({ children }: { readonly children: ComponentChildren }) {
  const session = useSession();
  const { path } = useRoute();
  const [theme, setTheme] = useState(readTheme);
  const [isGoing, setGoing] = useState(false);
  const status = useConnectionStatus();
  const declared = useScreens() ?? [];
  const screens = SCREENS.filter(([, , action]) => session.rights.mayAnywhere(action));
  const [current = 'data'] = path;
  useEffect(() => {
    document.title = [
      ...path.slice(1).reverse(),
      NAMES.get(current) ?? (current === 'account' ? 'Account' : 'Start'),
      'Millrace',
    ].join(' · ');
  }, [path]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey) return;
      event.preventDefault();
      // Another dialog has to be answered first.
      if (document.querySelector('dialog[open]') === null) setGoing(true);
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  const change = () => {
    const next = nextTheme(theme);
    applyTheme(next);
    setTheme(next);
  };
  return (
    <div class="shell">
      <a class="skip" href="#content" onClick={(event) => focusContent(event)}>
        Skip to the content
      </a>
      <header class="bar">
        <a class="brand" aria-label="Millrace" href={toHash(['data'])}>
          <Logo />
          <span>Millrace</span>
        </a>
        <nav aria-label="Screens">
          {screens.map(([name, title]) => (
            <a key={name} href={toHash([name])} aria-current={name === current ? 'page' : undefined}>
              {title}
            </a>
          ))}
          {declared.map(({ path: folder, title }) => (
            <a
              key={folder}
              href={toHash(['plugins', folder.slice(1)])}
              aria-current={current === 'plugins' && path[1] === folder.slice(1) ? 'page' : undefined}
            >
              <bdi>{title}</bdi>
            </a>
          ))}
        </nav>
        <div class="bar-end">
          <span class={`pill ${status}`} role="status">
            {STATUS_NAMES[status]}
          </span>
          <button
            type="button"
            class="quiet"
            aria-label="Go to…"
            title="Go to… (Ctrl+K)"
            aria-haspopup="dialog"
            onClick={() => setGoing(true)}
          >
            ⌕
          </button>
          <button
            type="button"
            class="quiet"
            aria-label={`Theme: ${THEME_NAMES[theme]}`}
            title={`Theme: ${THEME_NAMES[theme]}`}
            onClick={change}
          >
            {theme === 'auto' ? '◐' : theme === 'light' ? '☀' : '☾'}
          </button>
          {session.isAnonymous ? (
            <span class="soft">open server</span>
          ) : (
            <>
              <a
                class="user"
                title="Your account"
                href={toHash(['account'])}
                aria-current={current === 'account' ? 'page' : undefined}
              >
                <bdi>{session.userId}</bdi>
              </a>
              <button type="button" class="quiet" onClick={() => leave(() => void signOut(session))}>
                Sign out
              </button>
            </>
          )}
        </div>
      </header>
      {!session.hasAdmin && current !== 'start' && (
        <p class="banner" role="note">
          This server is open: whoever reaches it may do anything.{' '}
          <a href={toHash(['start'])}>Create the administrator</a>
        </p>
      )}
      <main id="content" tabIndex={-1}>
        <Guarded>{children}</Guarded>
      </main>
      {isGoing && (
        <Lazy
          load={loadPalette}
          screens={[
            ...screens.map(([name, title]) => ({ name: title, kind: 'screen', hash: toHash([name]) })),
            ...declared.map(({ path: folder, title }) => {
              return { name: title, kind: 'screen of a plugin', hash: toHash(['plugins', folder.slice(1)]) };
            }),
            ...(session.isAnonymous ? [] : [{ name: 'Your account', kind: 'screen', hash: toHash(['account']) }]),
          ]}
          onClose={() => setGoing(false)}
        />
      )}
      <Leaving />
    </div>
  );
}

/** A screen. An error while it is drawn is shown in its place, until another one is: it would end every later drawing. */
function Guarded({ children }: { readonly children: ComponentChildren }) {
  const route = useRoute();
  const [error, reset] = useErrorBoundary() as [unknown, () => void];
  useEffect(() => {
    if (error !== undefined) reset();
  }, [route]);
  return error === undefined ? <>{children}</> : <Failed error={error} retry={reset} />;
}

/** The fragment of the address is the route: the link must not change it. */
function focusContent(event: Event): void {
  event.preventDefault();
  document.querySelector<HTMLElement>('#content')?.focus();
}
