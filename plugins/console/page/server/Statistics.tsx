import { useEffect } from 'preact/hooks';
import { run } from '../connection.js';
import { Empty, Show } from '../kit/States.jsx';
import { useLoad } from '../kit/useLoad.js';

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
const FRAMES_SHOWN = 60;
const NUMBER = new Intl.NumberFormat();

/** Requests and connections by protocol, and the last frames as bars. */
export function Statistics() {
  const statistics = useLoad(
    (signal) => run<{ hits: Frame[] }>('server.getAllStats', {}, { signal }).then(({ hits }) => hits),
    [],
  );
  const { reload } = statistics;
  useEffect(() => {
    const timer = setInterval(() => document.visibilityState === 'visible' && reload(), RELOAD_MS);
    return () => clearInterval(timer);
  }, []);
  return (
    <Show loaded={statistics} frame="page">
      {(frames) => <Frames all={frames} />}
    </Show>
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
  return (
    <div class="page">
      <section class="card stack">
        <h2>
          Requests <span class="soft small">completed and failed in each frame, the newest at the right</span>
        </h2>
        <Bars frames={frames} />
      </section>
      <section class="card stack">
        <h2>
          Now <span class="soft small">by protocol</span>
        </h2>
        <ByProtocol frame={last} />
      </section>
    </div>
  );
}

function Bars({ frames }: { readonly frames: readonly Frame[] }) {
  const sums = frames.map(({ completedRequests, failedRequests, timestamp }) => ({
    completed: sum(completedRequests),
    failed: sum(failedRequests),
    at: new Date(Number(timestamp)),
  }));
  const most = Math.max(1, ...sums.map(({ completed, failed }) => completed + failed));
  const width = 600 / Math.max(FRAMES_SHOWN / 2, sums.length);
  return (
    <figure class="bars">
      <svg
        viewBox="0 0 600 80"
        preserveAspectRatio="none"
        role="img"
        aria-label={`Requests of the last ${sums.length} frames; at most ${most} in one`}
      >
        {sums.map(({ completed, failed, at }, position) => {
          const x = 600 - (sums.length - position) * width;
          const height = (completed / most) * 78;
          const failedHeight = (failed / most) * 78;
          return (
            <g key={position}>
              <title>
                {at.toLocaleTimeString()}: {completed} completed, {failed} failed
              </title>
              <rect class="completed" x={x} y={80 - height} width={width * 0.8} height={height} />
              <rect class="failed-bar" x={x} y={80 - height - failedHeight} width={width * 0.8} height={failedHeight} />
            </g>
          );
        })}
      </svg>
      <figcaption class="soft small">at most {NUMBER.format(most)} in one frame</figcaption>
    </figure>
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
