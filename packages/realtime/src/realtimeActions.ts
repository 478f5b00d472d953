import {
  alsoInBody,
  defineAction,
  documentId,
  integer,
  route,
  type ActionDefinition,
  type CheckedCollection,
} from '@millrace/kernel';
import type { DependencyContainer } from 'tsyringe';
import { filterOf } from './actions/filterOf.js';
import {
  nameArgument,
  realtimeArguments,
  subscriptionArguments,
  testArguments,
  waitArgument,
} from './actions/realtimeArguments.js';
import { realtimeSchemas } from './actions/realtimeSchemas.js';
import { toSubscribeOptions } from './actions/toSubscribeOptions.js';
import { followActions } from './follow/followActions.js';
import { Follows } from './follow/Follows.js';
import { MessagePublisher } from './MessagePublisher.js';
import { ChangePolls } from './polls/ChangePolls.js';
import { nameActions } from './names/nameActions.js';
import { Names } from './names/Names.js';
import { ManyResumes } from './actions/ManyResumes.js';
import { MAX_LISTED, RoomDirectory } from './RoomDirectory.js';
import { SubscriptionRequests } from './SubscriptionRequests.js';
import { Subscriptions } from './Subscriptions.js';

const { index, collection, roomId } = realtimeArguments;
const DEFAULT_LISTED = 100;
const REALTIME = { controller: 'realtime', routes: [], writes: false } as const;

/**
 * Actions of the realtime controller except `validate`, which belongs to the storage, using the services that
 * `registerRealtime` registered.
 */
export function realtimeActions(container: DependencyContainer): readonly ActionDefinition[] {
  return [
    ...subscribing(container.resolve(SubscriptionRequests), container.resolve(Subscriptions)),
    resuming(container),
    polling(container),
    ...followActions(container.resolve(Follows)),
    ...nameActions(container.resolve(Names)),
    ...rooms(container.resolve(RoomDirectory)),
    publishing(container),
  ];
}

function subscribing(requests: SubscriptionRequests, subscriptions: Subscriptions): readonly ActionDefinition[] {
  return [
    defineAction({
      ...REALTIME,
      action: 'subscribe',
      summary: 'Subscribes the connection to the documents and messages that match a filter or a query.',
      args: {
        index,
        collection,
        ...testArguments,
        ...subscriptionArguments,
        name: nameArgument(),
      },
      content: realtimeSchemas.filter,
      result: realtimeSchemas.subscription,
      run: ({ request, args }) =>
        requests.subscribe(request, nameOf(args), filterOf(args, request.body), toSubscribeOptions(args)),
    }),
    defineAction({
      ...REALTIME,
      action: 'join',
      summary: 'Joins a room that another subscription has made.',
      args: { roomId, ...subscriptionArguments },
      authorizesItself: true,
      result: realtimeSchemas.subscription,
      run: ({ request, args }) => requests.join(request, args.roomId, toSubscribeOptions(args)),
    }),
    defineAction({
      ...REALTIME,
      action: 'unsubscribe',
      queue: 'immediate',
      summary: 'Ends every channel of a room for the connection.',
      args: { roomId },
      // Ending the caller's subscription requires no further right (SEC-32).
      authorizesItself: true,
      result: realtimeSchemas.room,
      run: ({ request, args }) => subscriptions.unsubscribe(request, args.roomId),
    }),
  ];
}

function resuming(container: DependencyContainer): ActionDefinition {
  const resumes = container.resolve(ManyResumes);
  return defineAction({
    ...REALTIME,
    action: 'resume',
    summary: 'Subscribes to up to 100 filters and queries at once, each from its cursor: after a lost connection.',
    args: {},
    bodyRequired: true,
    // Each subscription requires the right of `realtime.subscribe`.
    authorizesItself: true,
    content: realtimeSchemas.resumes,
    result: realtimeSchemas.resumed,
    run: ({ request }) => resumes.run(request),
  });
}

function polling(container: DependencyContainer): ActionDefinition {
  const polls = container.resolve(ChangePolls);
  return defineAction({
    ...REALTIME,
    action: 'changes',
    // Most of its time it waits for a change.
    queue: 'immediate',
    summary: 'Returns the changes after a cursor that match a filter or a query, or waits for one.',
    routes: [route('GET /:index/:collection/_changes'), route('POST /:index/:collection/_changes')],
    args: {
      index,
      collection,
      ...testArguments,
      scope: subscriptionArguments.scope,
      cursor: subscriptionArguments.cursor,
      wait: waitArgument,
    },
    // Requires the right of `realtime.subscribe`.
    authorizesItself: true,
    content: realtimeSchemas.filter,
    result: realtimeSchemas.changes,
    run: ({ request, args }) =>
      polls.poll(request, nameOf(args), {
        filter: filterOf(args, request.body),
        scope: args.scope ?? 'all',
        cursor: args.cursor,
        waitMs: args.wait ?? 0,
      }),
  });
}

function rooms(directory: RoomDirectory): readonly ActionDefinition[] {
  return [
    defineAction({
      ...REALTIME,
      action: 'count',
      summary: 'Counts the connections in a room.',
      args: { roomId },
      authorizesItself: true,
      result: realtimeSchemas.count,
      run: ({ request, args }) => directory.count(request, args.roomId),
    }),
    defineAction({
      ...REALTIME,
      action: 'presence',
      summary: 'Lists the members of a room that want to be seen.',
      args: {
        roomId,
        from: alsoInBody(integer()),
        size: alsoInBody(integer(0, MAX_LISTED)),
      },
      authorizesItself: true,
      result: realtimeSchemas.presence,
      run: ({ request, args: { roomId: room, from = 0, size = DEFAULT_LISTED } }) =>
        directory.presence(request, room, from, size),
    }),
    defineAction({
      ...REALTIME,
      action: 'list',
      summary: 'Lists the rooms of collections that the user may search, with their counts.',
      routes: [route('GET /_listSubscriptions')],
      args: {},
      result: realtimeSchemas.rooms,
      run: ({ request }) => directory.list(request),
    }),
  ];
}

function publishing(container: DependencyContainer): ActionDefinition {
  const publisher = container.resolve(MessagePublisher);
  return defineAction({
    ...REALTIME,
    action: 'publish',
    summary: 'Sends a message to every subscriber whose filter or query it matches.',
    routes: [route('POST /:index/:collection'), route('POST /:index/:collection/_publish')],
    // A message may carry an id.
    args: { index, collection, _id: alsoInBody(documentId()) },
    bodyRequired: true,
    keepsAnswers: true,
    subject: 'sent',
    content: realtimeSchemas.message,
    result: realtimeSchemas.empty,
    maySetHint: true,
    run: ({ request, args, body }) => {
      const { index, collection, _id } = args;
      const sent = publisher.publish(request, { index, collection }, _id, body);
      return sent === undefined ? {} : sent.then(() => ({}));
    },
  });
}

function nameOf({ index, collection }: CheckedCollection): CheckedCollection {
  return { index, collection };
}
