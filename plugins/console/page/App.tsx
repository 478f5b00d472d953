import { useCallback, useEffect } from 'preact/hooks';
import { client, onOtherTab } from './connection.js';
import { DataScreen } from './documents/DataScreen.jsx';
import { Lazy } from './kit/Lazy.jsx';
import { Failed, Loading } from './kit/States.jsx';
import { useLoad } from './kit/useLoad.js';
import { navigate, readRoute, useRoute } from './shell/route.js';
import { readSession, SessionProvider, useSession, type Session } from './shell/Session.js';
import { Shell } from './shell/Shell.jsx';
import { useFreshRights } from './shell/useFreshRights.js';
import { SignIn } from './start/SignIn.jsx';
import { FirstAdministrator } from './start/FirstAdministrator.jsx';

/** Screens that are loaded when they are shown. */
const LATER = {
  account: () => import('./people/OwnAccount.jsx').then(({ OwnAccount }) => OwnAccount),
  actions: () => import('./actions/Actions.jsx').then(({ Actions }) => Actions),
  memory: () => import('./memory/Memory.jsx').then(({ Memory }) => Memory),
  people: () => import('./people/People.jsx').then(({ People }) => People),
  plugins: () => import('./plugins/PluginScreen.jsx').then(({ PluginScreen }) => PluginScreen),
  realtime: () => import('./realtime/Realtime.jsx').then(({ Realtime }) => Realtime),
  server: () => import('./server/ServerScreen.jsx').then(({ ServerScreen }) => ServerScreen),
};

/** The console: the sign-in, or the screens of the user. */
export function App() {
  const { value, error, reload } = useLoad(readSession, []);
  const again = useCallback(reload, []);
  // The session ends on its own when the token expires or is revoked.
  useEffect(() => client.session.onTokenChange((token) => token === null && again()), []);
  // Another tab may have signed in as another user.
  useEffect(() => onOtherTab(again), []);
  if (error !== undefined) {
    return (
      <main class="gate">
        <Failed error={error} retry={again} />
      </main>
    );
  }
  if (value === undefined) {
    return (
      <main class="gate">
        <Loading />
      </main>
    );
  }
  return <SignedIn session={value} reload={again} />;
}

function SignedIn({
  session,
  reload,
}: {
  readonly session: Omit<Session, 'reload' | 'reloadRights'>;
  readonly reload: () => void;
}) {
  const [rights, reloadRights] = useFreshRights(session.rights);
  return (
    <SessionProvider value={{ ...session, rights, reload, reloadRights }}>
      <Gate />
    </SessionProvider>
  );
}

function Gate() {
  const { hasAdmin, isAnonymous, rights } = useSession();
  const isOpen = rights.may('document.search');
  if (!hasAdmin && !isOpen) {
    return (
      <main>
        <FirstAdministrator needsToken />
      </main>
    );
  }
  if (hasAdmin && isAnonymous) return <SignIn />;
  return (
    <Shell>
      <Screen />
    </Shell>
  );
}

function Screen() {
  const { path } = useRoute();
  const { hasAdmin } = useSession();
  const [screen] = path;
  useEffect(() => {
    // A link that was followed meanwhile has an address, and its event comes later.
    if (readRoute().path.length === 0) navigate([hasAdmin ? 'data' : 'start'], {}, { replaces: true });
  }, [screen, hasAdmin]);
  switch (screen) {
    case 'start':
      return <FirstAdministrator />;
    case 'account':
    case 'actions':
    case 'memory':
    case 'people':
    case 'plugins':
    case 'realtime':
    case 'server':
      return <Lazy key={screen} load={LATER[screen]} frame="page" />;
    default:
      return <DataScreen />;
  }
}
