import { Tabs } from '../kit/Tabs.jsx';
import { navigate, useRoute } from '../shell/route.js';
import { Configuration } from './Configuration.jsx';
import { Health } from './Health.jsx';
import { Statistics } from './Statistics.jsx';

const TABS = [
  ['health', 'Health'],
  ['statistics', 'Statistics'],
  ['configuration', 'Configuration'],
] as const;

/** The state of the server and its configuration. */
export function ServerScreen() {
  const { path } = useRoute();
  const tab = TABS.find(([name]) => name === path[1])?.[0] ?? 'health';
  return (
    <section class="collection" aria-label="Server">
      <header class="collection-head">
        <h1>Server</h1>
        <Tabs label="View" value={tab} options={TABS} onChange={(next) => navigate(['server', next])} />
      </header>
      {tab === 'health' ? <Health /> : tab === 'statistics' ? <Statistics /> : <Configuration />}
    </section>
  );
}
