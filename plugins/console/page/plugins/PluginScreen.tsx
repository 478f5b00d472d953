import { isError } from '@millrace/client';
import { useEffect, useRef } from 'preact/hooks';
import { run, SERVER_URL, type Fields } from '../connection.js';
import { Empty, Loading, messageOf } from '../kit/States.jsx';
import { useRoute } from '../shell/route.js';
import { useScreens, type DeclaredScreen } from './useScreens.js';

/** Requests of a frame at a time; others are refused. */
const MAX_RUNNING = 20;

/** A request of a frame. */
interface Asked {
  readonly id: unknown;
  readonly request: Fields & { readonly controller: string; readonly action: string };
}

/** The page of a plugin, in a frame that reaches the server by messages alone. */
export function PluginScreen() {
  const { path } = useRoute();
  const screens = useScreens();
  const screen = screens?.find((each) => each.path === `/${path[1]}`);
  if (screens === undefined) return <Loading />;
  if (screen === undefined) {
    return (
      <Empty title="There is no such screen">
        <p class="soft">Its plugin may not be loaded.</p>
      </Empty>
    );
  }
  return <Frame key={screen.path} screen={screen} />;
}

function Frame({ screen }: { readonly screen: DeclaredScreen }) {
  const frame = useRef<HTMLIFrameElement>(null);
  const port = useRef<MessagePort>(undefined);
  useEffect(() => () => port.current?.close(), []);
  const connect = () => {
    // The first page alone gets a port: what the frame goes to afterwards is not what the plugin declared.
    if (port.current !== undefined) return port.current.close();
    const { port1, port2 } = new MessageChannel();
    port.current = port1;
    answerOn(port1, screen);
    // A sandboxed frame has no origin that could be named.
    frame.current?.contentWindow?.postMessage({ millrace: 'screen' }, '*', [port2]);
  };
  return (
    <iframe
      ref={frame}
      class="plugin-screen"
      title={screen.title}
      sandbox="allow-scripts"
      referrerpolicy="no-referrer"
      src={`${SERVER_URL}${screen.path}/`}
      onLoad={connect}
    />
  );
}

/** Runs the requests of a frame with the rights of the user, and answers each by its `id`. */
function answerOn(port: MessagePort, screen: DeclaredScreen): void {
  let runningCount = 0;
  port.onmessage = ({ data }: MessageEvent<unknown>) => {
    if (!isAsked(data)) return port.postMessage({ error: { message: 'expected {id, request: {controller, action}}' } });
    const { id, request } = data;
    const { controller, action, jwt: _, ...fields } = request;
    const name = `${controller}.${action}`;
    if (!mayRun(screen, name))
      return refuse(port, id, 'console.action_not_declared', `The screen "${screen.title}" does not declare ${name}`);
    if (runningCount >= MAX_RUNNING)
      return refuse(port, id, 'console.too_many_requests', `At most ${MAX_RUNNING} requests run at a time`);
    runningCount++;
    return void run(name, fields)
      .then(
        (result) => port.postMessage({ id, result }),
        (error: unknown) => {
          const known = isError(error) ? { id: error.id, status: error.status } : undefined;
          port.postMessage({ id, error: { ...known, message: messageOf(error) } });
        },
      )
      .finally(() => runningCount--);
  };
}

function refuse(port: MessagePort, id: unknown, errorId: string, message: string): void {
  port.postMessage({ id, error: { id: errorId, message } });
}

/** Actions of `auth` have tokens in their results: none is run, whatever is declared. */
function mayRun({ actions }: DeclaredScreen, name: string): boolean {
  const [controller = '', ...rest] = name.split('.');
  if (controller === 'auth' || rest.length !== 1) return false;
  return actions.includes(name) || actions.includes(`${controller}.*`);
}

function isAsked(data: unknown): data is Asked {
  const { request } = (data ?? {}) as { readonly request?: Partial<Asked['request']> };
  return typeof request?.controller === 'string' && typeof request.action === 'string';
}
