import { Tabs } from '../kit/Tabs.jsx';
import { navigate, useRoute } from '../shell/route.js';
import { useSession } from '../shell/Session.js';
import { Backups } from './Backups.jsx';
import { Configuration } from './Configuration.jsx';
import { Health } from './Health.jsx';
import { Log } from './Log.jsx';
import { Move } from './Move.jsx';
import { Statistics } from './Statistics.jsx';

const SCREENS = {
  health: Health,
  statistics: Statistics,
  log: Log,
  backups: Backups,
  move: Move,
  configuration: Configuration,
} as const;

/** The parts of the screen, with an action of each that its user needs. */
const TABS = [
  ['health', 'Health', 'server.info'],
  ['statistics', 'Statistics', 'server.getAllStats'],
  ['log', 'Log', 'server.getLogs'],
  ['backups', 'Backups', 'server.backups'],
  ['move', 'Move', 'server.moveState'],
  ['configuration', 'Configuration', 'server.getConfig'],
] as const;

/** The state of the server and its configuration. */
export function ServerScreen() {
  const { path } = useRoute();
  const { rights } = useSession();
  const tab = TABS.find(([name]) => name === path[1])?.[0] ?? 'health';
  const Screen = SCREENS[tab];
  const shown = TABS.filter(([, , action]) => rights.mayAnywhere(action));
  return (
    <section class="collection" aria-label="Server">
      <header class="collection-head">
        <h1>Server</h1>
        <Tabs
          label="View"
          value={tab}
          options={shown.map(([name, title]) => [name, title] as const)}
          onChange={(next) => navigate(['server', next])}
        />
      </header>
      <Screen />
    </section>
  );
}
