import {
  schema,
  type ActionDefinition,
  type ActionTable,
  type DescribedChannel,
  type JsonObject,
  type ProtocolChannels,
} from '@millrace/kernel';
import { NOTIFICATIONS } from '@millrace/realtime';
import type { Describable, DescribedProtocol } from '../Describable.js';
import { SchemaCatalog } from '../SchemaCatalog.js';
import { failure, partialSuccessOf, redirect, successOf } from '../responseSchemas.js';
import { notificationSchema } from './notificationSchema.js';
import { requestSchema } from './requestSchema.js';

const DESCRIPTION = `The messages of the protocols with a lasting connection, made from the actions of this server, those of
plugins included. A request names controller and action; its response is an envelope with the members of \`Response\`.
Notifications come on the channels that \`realtime.subscribe\` gives.`;

/** The result of every memory-store action within an open transaction (MEM-51). */
const QUEUED: JsonObject = { const: 'QUEUED' };

const refTo = (path: string): JsonObject => ({ $ref: `#/${path}` });

/** Builds an AsyncAPI 3 document of the protocols with persistent connections. */
export function describeAsyncApi(server: Describable): JsonObject {
  const { serviceName, version } = server;
  const actions = [...server.actions];
  const catalog = new SchemaCatalog();
  const messages = messagesOf(server.actions, catalog);
  const channels: Record<string, JsonObject> = {};
  const operations: Record<string, JsonObject> = {};
  for (const protocol of server.protocols) {
    const own = protocol.channels;
    addChannels(channels, protocol, own, actions);
    operations[`${protocol.name}.requests`] = requestOperation(actions, own);
    operations[`${protocol.name}.notifications`] = notificationOperation(own);
    if (own.heartbeats !== undefined) operations[`${protocol.name}.heartbeats`] = heartbeatOperation(own.heartbeats);
  }
  return {
    asyncapi: '3.0.0',
    info: {
      title: `Millrace (${serviceName})`,
      version,
      description: DESCRIPTION,
      license: { name: 'Apache-2.0' },
    },
    defaultContentType: 'application/json',
    servers: Object.fromEntries(server.protocols.map((protocol) => [protocol.name, serverOf(protocol)])),
    channels,
    operations,
    components: { messages, schemas: catalog.schemas },
  };
}

/** PROTO-47 */
const HEARTBEAT = {
  name: 'heartbeat',
  summary: 'The connection works.',
  payload: schema.object(
    { type: { const: 'heartbeat' } },
    {
      cursor: { ...schema.text, description: 'Everything up to this position has been sent.' },
      sent: { type: 'integer', description: 'Number of notifications sent on this connection.' },
    },
  ),
};

const nameOf = ({ controller, action }: ActionDefinition) => `${controller}.${action}`;
const requestName = (action: ActionDefinition) => `${nameOf(action)}.request`;
const responseName = (action: ActionDefinition) => `${nameOf(action)}.response`;

function serverOf({ port, channels: { scheme } }: DescribedProtocol): JsonObject {
  const where = port === null || port === 0 ? '{host}' : `{host}:${port}`;
  return { host: where, protocol: scheme, variables: { host: { default: '127.0.0.1' } } };
}

function messagesOf(actions: ActionTable, catalog: SchemaCatalog): JsonObject {
  const messages: Record<string, JsonObject> = {};
  for (const action of actions) {
    const { summary } = action;
    const name = nameOf(action);
    messages[requestName(action)] = {
      name: requestName(action),
      title: name,
      summary,
      payload: catalog.place(requestSchema(action, actions.aliasesOf(action.controller))),
    };
    messages[responseName(action)] = {
      name: responseName(action),
      title: `Response to ${name}`,
      payload: catalog.place(responseOf(action)),
    };
  }
  for (const kind of NOTIFICATIONS) {
    const { name, summary } = kind;
    messages[name] = { name, summary, payload: catalog.place(notificationSchema(kind)) };
  }
  messages[HEARTBEAT.name] = HEARTBEAT;
  return messages;
}

function responseOf(action: ActionDefinition): JsonObject {
  const { controller, mayFailInPart, mayRedirect } = action;
  const anyOf = [
    successOf(action),
    ...(controller === 'memoryStorage' ? [successOf({ ...action, result: QUEUED })] : []),
    ...(mayFailInPart === true ? [partialSuccessOf(action)] : []),
    ...(mayRedirect === true ? [redirect()] : []),
    { title: 'Failure', ...failure(undefined) },
  ];
  return { anyOf };
}

function addChannels(
  channels: Record<string, JsonObject>,
  { name }: DescribedProtocol,
  { requests, responses, notifications, heartbeats }: ProtocolChannels,
  actions: readonly ActionDefinition[],
): void {
  const add = ({ key, address, summary, parameters }: DescribedChannel, names: readonly string[]) => {
    const known = channels[key]?.['messages'] as JsonObject | undefined;
    const own = names.map((each) => [each, refTo(`components/messages/${each}`)] as const);
    channels[key] = {
      address,
      summary,
      servers: [refTo(`servers/${name}`)],
      ...(parameters === undefined ? undefined : { parameters }),
      messages: { ...known, ...Object.fromEntries(own) },
    };
  };
  add(requests, actions.map(requestName));
  add(responses, actions.map(responseName));
  add(
    notifications,
    NOTIFICATIONS.map((kind) => kind.name),
  );
  if (heartbeats !== undefined) add(heartbeats, [HEARTBEAT.name]);
}

const messageIn = ({ key }: DescribedChannel, name: string) => refTo(`channels/${key}/messages/${name}`);

/**
 * One operation for all actions; a request and its response share the name of the action. One operation per action
 * would be clearer, but the official parser takes minutes for three protocols of them.
 */
function requestOperation(actions: readonly ActionDefinition[], { requests, responses }: ProtocolChannels): JsonObject {
  const { replyAddress } = responses;
  return {
    action: 'receive',
    channel: refTo(`channels/${requests.key}`),
    summary: 'What clients ask; each request is answered by the response to the action of its name.',
    messages: actions.map((action) => messageIn(requests, requestName(action))),
    reply: {
      ...(replyAddress === undefined ? undefined : { address: { location: replyAddress } }),
      channel: refTo(`channels/${responses.key}`),
      messages: actions.map((action) => messageIn(responses, responseName(action))),
    },
  };
}

function heartbeatOperation(channel: DescribedChannel): JsonObject {
  return {
    action: 'send',
    channel: refTo(`channels/${channel.key}`),
    summary: 'What the server sends after a time of silence, once client.hello has asked for it.',
    messages: [messageIn(channel, HEARTBEAT.name)],
  };
}

function notificationOperation({ notifications }: ProtocolChannels): JsonObject {
  return {
    action: 'send',
    channel: refTo(`channels/${notifications.key}`),
    summary: 'What subscribers receive.',
    messages: NOTIFICATIONS.map(({ name }) => messageIn(notifications, name)),
  };
}
