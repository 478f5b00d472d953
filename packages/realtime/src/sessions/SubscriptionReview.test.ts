import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { silentLogger, systemClock, type Session, type User } from '@millrace/kernel';
import { SubscriptionReview } from './SubscriptionReview.js';

interface Held {
  readonly id: string;
  session: Session | null;
}

const USER: User = { _id: 'ada', profileIds: ['default'] };

/** A review of subscriptions named after their tokens. */
function open(ids: readonly string[]) {
  const held = ids.map((id): Held => ({
    id,
    session: { tokenId: id, userId: 'ada', expiresAtMs: 1e15 },
  }));
  const full = held.map((each) =>
    Object.assign(each, {
      action: 'subscribe',
      channel: {},
      membership: {
        connection: { id: each.id },
        room: { index: 'i', collection: 'c', rightId: '' },
      },
    }),
  );
  const ended: string[] = [];
  const gone = new Set<string>();
  const rooms = {
    subscriptions: () => full.filter(({ id }) => !gone.has(id)),
    holds: ({ id }: Held) => !gone.has(id),
  };
  const subscriptions = {
    end: ({ id }: Held, _: string, reason: string) => {
      gone.add(id);
      ended.push(`${id}: ${reason}`);
    },
  };
  const security = {
    userOf: vi.fn<(session: Session) => Promise<User | null> | User | null>(() => USER),
    isAllowed: vi.fn<() => Promise<boolean> | boolean>(() => true),
  };
  const review = new SubscriptionReview(
    rooms as never,
    subscriptions as never,
    security as never,
    systemClock,
    silentLogger,
    { of: () => null } as never,
  );
  return { review, security, ended, held };
}

const away = () => Promise.reject(new Error('storage unavailable'));
const hanging = () => new Promise<never>(() => undefined);
const REVOKED = 'the token has ended';
const UNVERIFIED = 'the right could not be verified';

describe('SubscriptionReview', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('ends what has lost its token or right, and nothing else (PROTO-88)', async () => {
    const { review, security, ended } = open(['a', 'b', 'c']);
    security.userOf.mockImplementation(({ tokenId }) => (tokenId === 'b' ? null : USER));
    security.isAllowed.mockReturnValueOnce(Promise.resolve(false));
    review.request();
    await vi.advanceTimersByTimeAsync(100);
    expect(ended.sort()).toEqual(['a: the right was taken away', `b: ${REVOKED}`]);
  });

  it('judges the others where one can’t be judged, at once', async () => {
    const { review, security, ended } = open(['a', 'b']);
    security.userOf.mockImplementation(({ tokenId }) => (tokenId === 'a' ? away() : null));
    review.request();
    await vi.advanceTimersByTimeAsync(60);
    expect(ended).toEqual([`b: ${REVOKED}`]);
  });

  it.each([
    ['fails', away],
    [
      'fails at the call',
      () => {
        throw new Error('bug');
      },
    ],
    ['never answers', hanging],
  ] as const)('ends within a second what can’t be judged because the storage %s', async (_, userOf) => {
    const { review, security, ended } = open(['a', 'b']);
    security.userOf.mockImplementation(({ tokenId }) => (tokenId === 'a' ? userOf() : USER));
    review.request();
    await vi.advanceTimersByTimeAsync(900);
    expect(ended).toEqual([]);
    await vi.advanceTimersByTimeAsync(100);
    expect(ended).toEqual([`a: ${UNVERIFIED}`]);
  });

  it('lets a subscription live whose right can be judged again in time, as after a 503 of Elasticsearch', async () => {
    const { review, security, ended } = open(['a', 'b']);
    security.isAllowed.mockImplementation(away);
    review.request();
    await vi.advanceTimersByTimeAsync(500);
    security.isAllowed.mockImplementation(() => Promise.resolve(true));
    await vi.advanceTimersByTimeAsync(10_000);
    expect(ended).toEqual([]);
    const callCount = security.isAllowed.mock.calls.length;
    await vi.advanceTimersByTimeAsync(10_000);
    expect(security.isAllowed.mock.calls.length).toBe(callCount);
  });

  it('ends by its verdict what is judged at a later try', async () => {
    const { review, security, ended } = open(['a']);
    security.userOf.mockImplementation(away);
    review.request();
    await vi.advanceTimersByTimeAsync(300);
    security.userOf.mockImplementation(() => null);
    await vi.advanceTimersByTimeAsync(200);
    expect(ended).toEqual([`a: ${REVOKED}`]);
  });

  it.each([
    ['fails', away],
    ['never answers', hanging],
  ] as const)('ends thousands in a second where the storage %s', async (_, userOf) => {
    const ids = Array.from({ length: 5_000 }, (__, n) => `s${n}`);
    const { review, security, ended } = open(ids);
    security.userOf.mockImplementation(userOf);
    review.request();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(ended).toHaveLength(5_000);
  });

  it('works a long queue off completely while the storage answers, however long that takes', async () => {
    const ids = Array.from({ length: 5_000 }, (__, n) => `s${n}`);
    const { review, security, ended } = open(ids);
    const slowly = async () => {
      await new Promise((resolve) => setTimeout(resolve, 200));
      return USER;
    };
    security.userOf.mockImplementation(slowly);
    review.request();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(security.userOf).toHaveBeenCalledTimes(5_000);
    expect(ended).toEqual([]);
  });

  it('does not end by an old token what rests on a new one', async () => {
    const { review, security, ended, held } = open(['a']);
    let revoke: (user: null) => void = () => undefined;
    security.userOf.mockImplementationOnce(() => new Promise((resolve) => (revoke = resolve)));
    review.request();
    await vi.advanceTimersByTimeAsync(60);
    const [first] = held;
    if (first !== undefined) first.session = { tokenId: 'new', userId: 'ada', expiresAtMs: 1e15 };
    revoke(null);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(ended).toEqual([]);
    expect(security.userOf).toHaveBeenLastCalledWith(expect.objectContaining({ tokenId: 'new' }));
  });

  it('ends nothing after it was stopped', async () => {
    const { review, security, ended } = open(['a']);
    security.userOf.mockImplementation(away);
    review.request();
    await vi.advanceTimersByTimeAsync(100);
    await review.stop();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(ended).toEqual([]);
  });
});
