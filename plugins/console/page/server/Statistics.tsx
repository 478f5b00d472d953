import { run } from '../connection.js';
import { Empty, Show } from '../kit/States.jsx';
import { Chart } from '../kit/Chart.jsx';
import { MetricCharts } from './MetricCharts.jsx';
import { usePolled } from './usePolled.js';

type Counts = Readonly<Record<string, number>>;

interface Frame {
  readonly completedRequests: Counts;
  readonly failedRequests: Counts;
  readonly ongoingRequests: Counts;
  readonly connections: Counts;
  readonly slowConsumers: Counts;
  readonly timestamp: string;
}

const RELOAD_MS = 5_000;
const FRAMES_SHOWN = 360;
const NUMBER = new Intl.NumberFormat();

/** Requests and connections over time and by protocol, and what the server measures of itself. */
export function Statistics() {
  const statistics = usePolled(
    (signal) => run<{ hits: Frame[] }>('server.getAllStats', {}, { signal }).then(({ hits }) => hits),
    () => RELOAD_MS,
  );
  return (
    <div class="page charts">
      <Show loaded={statistics}>{(frames) => <Frames all={frames} />}</Show>
      <MetricCharts />
    </div>
  );
}

function Frames({ all }: { readonly all: readonly Frame[] }) {
  const last = all.at(-1);
  if (last === undefined) {
    return (
      <Empty title="No statistics yet">
        <p class="soft">The first frame is written after some seconds.</p>
      </Empty>
    );
  }
  const frames = all.slice(-FRAMES_SHOWN);
  const labels = frames.map(({ timestamp }) => new Date(Number(timestamp)).toLocaleTimeString());
  return (
    <>
      <Chart
        title="Requests"
        note="in each frame"
        labels={labels}
        series={[
          { name: 'completed', values: frames.map(({ completedRequests }) => sum(completedRequests)) },
          { name: 'failed', values: frames.map(({ failedRequests }) => sum(failedRequests)) },
        ]}
      />
      <Chart
        title="Connections"
        note="WebSocket, MQTT and others that last"
        labels={labels}
        series={[
          { name: 'open', values: frames.map(({ connections }) => sum(connections)) },
          { name: 'closed as too slow', values: frames.map(({ slowConsumers }) => sum(slowConsumers)) },
        ]}
      />
      <section class="card stack wide">
        <h2>
          Now <span class="soft small">by protocol</span>
        </h2>
        <ByProtocol frame={last} />
      </section>
    </>
  );
}

function ByProtocol({ frame }: { readonly frame: Frame }) {
  const protocols = [
    ...new Set(
      [frame.completedRequests, frame.failedRequests, frame.ongoingRequests, frame.connections].flatMap(Object.keys),
    ),
  ].sort();
  const columns = [
    ['Completed', frame.completedRequests],
    ['Failed', frame.failedRequests],
    ['Running', frame.ongoingRequests],
    ['Connections', frame.connections],
    ['Too slow', frame.slowConsumers],
  ] as const;
  if (protocols.length === 0) return <p class="soft">No requests in this frame.</p>;
  return (
    <div class="grid plain">
      <table>
        <thead>
          <tr>
            <th scope="col">Protocol</th>
            {columns.map(([title]) => (
              <th scope="col" class="number" key={title}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {protocols.map((protocol) => (
            <tr key={protocol}>
              <th scope="row">{protocol}</th>
              {columns.map(([title, counts]) => (
                <td class="number" data-label={title} key={title}>
                  {NUMBER.format(counts[protocol] ?? 0)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function sum(counts: Counts): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}
