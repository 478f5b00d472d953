import { describe, expect, it } from 'vitest';
import { defineAction } from './ActionDefinition.js';
import { alsoInBody, custom, required, type Arguments } from './Argument.js';
import { checkArguments } from './checkArguments.js';
import { collectionName, documentId, indexName } from './nameArguments.js';
import { createRequest } from '../../messages/createRequest.js';
import type { RequestFields } from '../request/FieldReader.js';
import { readTarget } from './readTarget.js';

const connection = { id: '1', protocol: 'test', remoteAddress: '' };

function declare(args: Arguments, readsFields?: true) {
  return defineAction({
    ...{ controller: 'demo', action: 'act', summary: '', routes: [], writes: false, args },
    ...(readsFields && { readsFields }),
    run: () => null,
  });
}

function read(args: Arguments, fields: RequestFields, readsFields?: true) {
  const request = createRequest(fields, connection);
  if (request.fault !== null) throw request.fault;
  const action = declare(args, readsFields);
  request.target = readTarget(action, request);
  return { target: request.target, input: () => checkArguments(action, request) };
}

const DOCUMENT = {
  index: required(indexName()),
  collection: required(collectionName()),
  _id: alsoInBody(documentId()),
};
const AT = { index: 'i', collection: 'C' };

describe('readTarget', () => {
  it.each([
    ['in the message', { _id: 'a', body: { x: 1 } }, 'a', { x: 1 }],
    ['in the body', { body: { _id: 'a', x: 1 } }, 'a', { x: 1 }],
    ['in both, where the message wins', { _id: 'a', body: { _id: 'b', x: 1 } }, 'a', { x: 1 }],
    ['as null in the message', { _id: null, body: { _id: 'a' } }, 'a', {}],
    ['as null in the body', { body: { _id: null } }, null, {}],
    ['nowhere', { body: { x: 1 } }, null, { x: 1 }],
  ])('gives the identifier %s to rights and to the action alike', (_, fields, id, body) => {
    const { target, input } = read(DOCUMENT, { ...AT, ...fields });
    expect(target).toEqual({ controller: 'demo', action: 'act', ...AT, id, body: fields.body });
    const { args, body: content } = input();
    expect([args._id ?? null, content]).toEqual([id, body]);
  });

  it('names nothing that the action does not take', () => {
    const { target } = read({}, { ...AT, _id: 'a', body: { _id: 'b' } });
    expect(target).toMatchObject({ index: null, collection: null, id: null });
    const inMessage = read({ _id: documentId() }, { body: { _id: 'b' } });
    expect([inMessage.target.id, inMessage.input().body]).toEqual([null, { _id: 'b' }]);
  });

  it.each([
    [{ ...AT, index: 'Upper' }, 'storage.invalid_name'],
    [{ ...AT, index: '' }, 'storage.invalid_name'],
    [{ ...AT, collection: 'a/b' }, 'storage.invalid_name'],
    [{ ...AT, _id: '' }, 'storage.invalid_name'],
    [{ ...AT, _id: 7 }, 'api.invalid_argument'],
    [{ ...AT, body: { _id: 'a\n' } }, 'storage.invalid_name'],
    [{ ...AT, body: { _id: {} } }, 'api.invalid_argument'],
  ])('refuses %j by %s', (fields, id) => {
    expect(() => read(DOCUMENT, fields)).toThrow(expect.objectContaining({ id, status: 400 }));
  });

  it('refuses an _id of a wrong type also where the action takes none', () => {
    expect(() => read({}, { _id: 7 })).toThrow('"_id"');
  });

  it('leaves missing names to the check of arguments', () => {
    const { target, input } = read(DOCUMENT, {});
    expect(target.index).toBeNull();
    expect(input).toThrow(expect.objectContaining({ id: 'api.missing_argument' }));
  });

  it('gives the fields as sent to actions that read them alone', () => {
    const key = custom('a key', {}, (value) => value as string);
    const own = read({ _id: key }, { _id: 7, other: [1] }, true);
    expect(own.target.id).toBeNull();
    expect(own.input().fields).toEqual({ _id: 7, other: [1] });
    expect(read({ _id: key }, { _id: 'k' }, true).target.id).toBe('k');
    expect(read({ _id: key }, { _id: 'k' }).input().fields).toEqual({});
  });
});
