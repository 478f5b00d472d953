import {
  apiErrors,
  INTERNAL_INDEX,
  isJsonObject,
  RATE_LIMITS,
  readArgument,
  showValue,
  storageErrors,
  toWireError,
  type Argument,
  type JsonObject,
  type JsonValue,
  type RateLimits,
  type Request,
} from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { filterOf } from './filterOf.js';
import { nameArgument, realtimeArguments, subscriptionArguments, testArguments } from './realtimeArguments.js';
import { toSubscribeOptions } from './toSubscribeOptions.js';
import { ReadRights } from '../rights/ReadRights.js';
import { SubscriptionRequests } from '../SubscriptionRequests.js';
import { Pacer, turnKeysOf } from '../Pacer.js';

const MAX_ITEMS = 100;

/** Resumes several subscriptions of a connection by one request: all of them after a reconnect. */
@scoped(Scope.ContainerScoped)
export class ManyResumes {
  constructor(
    @inject(SubscriptionRequests) private readonly requests: SubscriptionRequests,
    @inject(ReadRights) private readonly readRights: ReadRights,
    @inject(INTERNAL_INDEX) private readonly internalIndex: string,
    @inject(RATE_LIMITS) private readonly limits: RateLimits | null,
    @inject(Pacer) private readonly pacer: Pacer,
  ) {}

  /**
   * Subscribes each item as `realtime.subscribe` does, with its filter in `filter` or its query in `query`. The answers
   * are in the order of the items: a result, or an error.
   * @throws api.invalid_argument (400) for a list of the wrong form: nothing is subscribed
   */
  async run(request: Request): Promise<JsonObject> {
    const items = readItems(request.body?.['subscriptions']);
    this.limits?.charge(request, items.length - 1);
    const keys = turnKeysOf(request.connection, request.session);
    const answers: Promise<JsonObject>[] = [];
    for (const [position, item] of items.entries()) {
      // Each compiles a filter.
      if (this.pacer.isOver) await this.pacer.turn(keys);
      answers.push(this.answer(request, item, position));
    }
    return { subscriptions: await Promise.all(answers) };
  }

  private async answer(request: Request, item: JsonObject, position: number): Promise<JsonObject> {
    try {
      return { status: 200, error: null, result: await this.runOne(request, item, position) };
    } catch (error) {
      const { id, status, message } = toWireError(error);
      return { status, error: { id, status, message: message ?? null }, result: null };
    }
  }

  private async runOne(request: Request, item: JsonObject, position: number): Promise<JsonObject> {
    const at = `subscriptions[${position}]`;
    const read = <T>(name: string, argument: Argument<T>): T | undefined =>
      readArgument(`${at}.${name}`, argument, item[name]);
    const index = read('index', realtimeArguments.index) ?? '';
    const collection = read('collection', realtimeArguments.collection) ?? '';
    const { filter, query } = testArguments;
    const given = { filter: read('filter', filter), query: read('query', query) };
    const { scope, state, users, cursor, mode, maxReplay, presence } = subscriptionArguments;
    const options = toSubscribeOptions({
      scope: read('scope', scope),
      state: read('state', state),
      users: read('users', users),
      cursor: read('cursor', cursor),
      mode: read('mode', mode) ?? 'auto',
      maxReplay: read('maxReplay', maxReplay),
      presence: read('presence', presence),
      name: read('name', nameArgument()),
    });
    if (index === this.internalIndex) throw storageErrors.internal_index({});
    const name = { index, collection };
    await this.readRights.authorize(request, name);
    return this.requests.subscribe(request, name, filterOf(given, null), options);
  }
}

function readItems(value: JsonValue | undefined): readonly JsonObject[] {
  const isList = Array.isArray(value) && value.length > 0 && value.length <= MAX_ITEMS;
  if (isList && value.every(isJsonObject)) return value;
  throw apiErrors.invalid_argument({
    name: 'subscriptions',
    value: showValue(value),
    expected: `a list of 1 to ${MAX_ITEMS} objects {index, collection, filter, cursor, …}`,
  });
}
