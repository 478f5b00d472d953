import { isError } from '@millrace/client';
import { run } from '../connection.js';
import { Facts } from '../kit/Facts.jsx';
import { Show } from '../kit/States.jsx';
import { useLoad } from '../kit/useLoad.js';
import { toBytes, toSpan } from './sizes.js';

interface HealthState {
  readonly state: string;
  readonly services: Readonly<Record<string, ServiceHealth>>;
  readonly backup?: { readonly ageSeconds: number };
  readonly warnings?: readonly string[];
}

interface ServiceHealth {
  readonly state?: string;
  readonly reason?: string;
  /** Of a cluster. */
  readonly nodes?: number;
  readonly nodeId?: string;
  readonly waitingBytes?: number;
}

interface Information {
  readonly serverInfo: { readonly [name: string]: Described } & {
    readonly services?: Readonly<Record<string, Service>>;
  };
}

interface Described {
  readonly version?: string;
  readonly nodeVersion?: string;
  readonly uptime?: number;
  readonly memoryUsed?: number;
  readonly plugins?: Readonly<Record<string, { readonly kernel: string; readonly requires: readonly string[] }>>;
  readonly system?: {
    readonly cpus: readonly { readonly model?: string }[];
    readonly memory: { readonly free: number; readonly total: number };
  };
}

interface Service {
  readonly type?: string;
  readonly version?: string;
  readonly mode?: string;
}

/** Each service with the reason of a failure, the process, and the plugins. */
export function Health() {
  const health = useLoad(readHealth, []);
  const information = useLoad((signal) => run<Information>('server.info', {}, { signal }), []);
  return (
    <div class="page">
      <section class="card stack">
        <header class="row spread">
          <h2>Services</h2>
          <button type="button" class="quiet" onClick={health.reload}>
            Check again
          </button>
        </header>
        <Show loaded={health} lines={2}>
          {(state) => <Services health={state} information={information.value} />}
        </Show>
      </section>
      <Show loaded={information}>{(value) => <About information={value} />}</Show>
    </div>
  );
}

async function readHealth(signal: AbortSignal): Promise<HealthState> {
  try {
    return await run<HealthState>('server.healthCheck', {}, { signal, retries: 0 });
  } catch (error) {
    // The answer of a server of which a part is down.
    if (isError(error, 'core.unhealthy')) return error.details as HealthState;
    throw error;
  }
}

function Services({
  health,
  information,
}: {
  readonly health: HealthState;
  readonly information: Information | undefined;
}) {
  const { warnings = [], backup } = health;
  return (
    <>
      <ul class="services">
        {Object.entries(health.services).map(([name, part]) => {
          const { state = 'up', reason } = part;
          const service = information?.serverInfo.services?.[name];
          return (
            <li key={name}>
              <span class={`state ${state}`}>{state}</span>
              <strong>{name}</strong>
              <span class="soft">
                {service === undefined
                  ? toNodes(part)
                  : [service.type, service.version, service.mode].filter(Boolean).join(' · ')}
              </span>
              {reason !== undefined && <bdi class="problem">{reason}</bdi>}
            </li>
          );
        })}
      </ul>
      {backup !== undefined && <p class="soft small">Last good backup {toSpan(backup.ageSeconds)} ago</p>}
      {warnings.map((warning) => (
        <p class="notice" key={warning}>
          <bdi>{warning}</bdi>
        </p>
      ))}
    </>
  );
}

/** The state of a cluster, as this node sees it. */
function toNodes({ nodes, nodeId, waitingBytes = 0 }: ServiceHealth): string {
  if (nodes === undefined) return '';
  const waiting = waitingBytes === 0 ? '' : ` · ${toBytes(waitingBytes)} wait to be sent`;
  return `${nodes} ${nodes === 1 ? 'node' : 'nodes'} · this one is ${nodeId}${waiting}`;
}

function About({ information }: { readonly information: Information }) {
  const { services: _, ...servers } = information.serverInfo;
  const found: readonly (readonly [string, Described])[] = Object.entries(servers);
  const [name, server] = found[0] ?? ['', {}];
  const { plugins = {}, system, memoryUsed } = server;
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['Name', name],
    ['Millrace', server.version],
    ['Node.js', server.nodeVersion],
    ['Running for', server.uptime === undefined ? undefined : toSpan(server.uptime)],
    ['Memory of the process', memoryUsed === undefined ? undefined : toBytes(memoryUsed)],
    [
      'Memory of the machine',
      system === undefined
        ? undefined
        : `${toBytes(system.memory.total - system.memory.free)} of ${toBytes(system.memory.total)} in use`,
    ],
    ['Processors', system === undefined ? undefined : `${system.cpus.length} × ${system.cpus[0]?.model ?? ''}`],
  ];
  return (
    <>
      <section class="card stack">
        <h2>Process</h2>
        <Facts facts={facts} />
      </section>
      {Object.keys(plugins).length > 0 && (
        <section class="card stack">
          <h2>Plugins</h2>
          <ul class="services">
            {Object.entries(plugins).map(([plugin, { kernel, requires }]) => (
              <li key={plugin}>
                <strong>{plugin}</strong>
                <span class="soft">
                  kernel {kernel}
                  {requires.length > 0 && ` · after ${requires.join(', ')}`}
                </span>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}
