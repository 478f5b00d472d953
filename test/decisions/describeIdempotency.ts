import { describe, expect, it } from 'vitest';
import type { ResponseMessage } from '@millrace/kernel';
import { callOn } from './callOn.js';
import { PROTOCOLS, useServer, type TestedEngine } from './TestServer.js';

export function describeIdempotency(engine: TestedEngine): void {
  describe('idempotency keys', () => {
    const server = useServer(engine);

    describe.each(PROTOCOLS)('over %s', (protocol) => {
      const { response, result } = callOn((fields) => server().call(protocol, fields));

      it('a repeat is answered without a second write (IDEM-4, IDEM-13)', async () => {
        const at = { index: server().newIndex(), collection: 'orders' };
        const create = { ...at, idempotencyKey: `${at.index}-one`, body: { n: 1 } };
        const first = await response('document.create', create);
        const again = await response('document.create', create);
        expect(first.status).toBe(200);
        const { requestId, ...answered } = bare(again);
        expect(requestId).not.toBe(first.requestId);
        expect({ ...answered, requestId: first.requestId }).toEqual({
          ...bare(first),
          replayed: true,
        });
        expect((await response('document.create', { ...create, body: { n: 2 } })).status).toBe(422);
        await result('index.refresh', { index: at.index });
        expect(await result('document.count', { ...at, body: {} })).toEqual({ count: 1 });
      });

      it('of many requests at once one is executed (IDEM-6)', async () => {
        const at = { index: server().newIndex(), collection: 'orders' };
        const create = { ...at, idempotencyKey: `${at.index}-many`, body: { n: 1 } };
        await result('document.create', { ...at, _id: 'first', body: { n: 0 } });
        const answers = await Promise.all(Array.from({ length: 20 }, () => response('document.create', create)));
        expect(answers.every(({ status }) => status === 200 || status === 409)).toBe(true);
        await result('index.refresh', { index: at.index });
        expect(await result('document.count', { ...at, body: {} })).toEqual({ count: 2 });
      });
    });
  });
}

/** Without the room of WebSocket. */
function bare({ room: _, ...message }: ResponseMessage & { readonly room?: string }) {
  return message;
}
