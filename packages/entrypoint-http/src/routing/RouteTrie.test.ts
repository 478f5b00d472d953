import { describe, expect, it } from 'vitest';
import { RouteTrie } from './RouteTrie.js';

function trieOf(...routes: readonly string[]): RouteTrie<string> {
  const trie = new RouteTrie<string>();
  for (const route of routes) {
    const [method = '', path = ''] = route.split(' ');
    trie.add([method], path, route);
  }
  return trie;
}

function segmentsOf(path: string): string[] {
  return path === '/' ? [] : path.slice(1).split('/');
}

const trie = trieOf(
  'GET /',
  'GET /_now',
  'PUT /:index',
  'DELETE /:index',
  'DELETE /:index/:collection',
  'GET /:index/:collection/:_id',
  'PUT /:index/:collection/:_id',
  'POST /:index/:collection/_search',
  'GET /users/:_id',
  'GET /users/_me',
  'DELETE /ms',
  'GET /ms/:_id',
  'POST /ms/_flushdb',
  'GET /ms/_hget/:_id/:field',
);

describe('RouteTrie', () => {
  it('gives the names and raw values of parameters in order', () => {
    expect(trie.match('GET', segmentsOf('/a/b%2F/c'))).toEqual({
      kind: 'found',
      handler: 'GET /:index/:collection/:_id',
      names: ['index', 'collection', '_id'],
      values: ['a', 'b%2F', 'c'],
    });
  });

  it.each([
    ['GET', '/', 'GET /'],
    ['GET', '/_now', 'GET /_now'],
    ['GET', '/_now/', 'GET /_now'],
    ['GET', '/users/_me', 'GET /users/_me'],
    ['GET', '/users/_me/', 'GET /users/_me'],
    ['GET', '/users/me', 'GET /users/:_id'],
    ['POST', '/a/b/_search', 'POST /:index/:collection/_search'],
    ['GET', '/a/b/%5Fsearch', 'GET /:index/:collection/:_id'],
    ['GET', '/ms/key', 'GET /ms/:_id'],
    ['GET', '/ms/_key', 'GET /ms/:_id'],
    ['GET', '/ms/_hget/_key/_field', 'GET /ms/_hget/:_id/:field'],
    // If a literal has no route for the method, the parameter matches: the name is refused later.
    ['PUT', '/users', 'PUT /:index'],
    ['PUT', '/ms', 'PUT /:index'],
    ['GET', '/users/a/b', 'GET /:index/:collection/:_id'],
  ])('leads %s %s to %s', (method, path, handler) => {
    expect(trie.match(method, segmentsOf(path))).toMatchObject({ kind: 'found', handler });
  });

  it.each([
    ['GET', '/_Now'],
    ['GET', '/_unknown'],
    ['PUT', '/_unknown'],
    ['GET', '/a/b/_unknown'],
    ['PUT', '/_a/b/c'],
    ['DELETE', '/a/'],
    ['DELETE', '/a//'],
    ['DELETE', '//a'],
    ['GET', '/a/b/c/'],
    ['GET', '/_now//'],
    ['GET', '/a/b/c/d/e/f'],
    ['GET', '/ms/a/b/c'],
    ['GET', '/ms/_hget'],
    ['GET', '/ms/a/b'],
  ])('knows no %s %s', (method, path) => {
    expect(trie.match(method, segmentsOf(path))).toEqual({ kind: 'none', allowed: [] });
  });

  it.each([
    ['POST', '/_now', ['GET']],
    ['PATCH', '/a', ['DELETE', 'PUT']],
    ['GET', '/a/b/_search', ['POST']],
    ['GET', '/ms/_flushdb', ['POST']],
  ])('names the methods that know the path of %s %s', (method, path, allowed) => {
    expect(trie.match(method, segmentsOf(path))).toEqual({ kind: 'none', allowed });
  });

  it('keeps the first of two routes with the same method and path', () => {
    const twice = new RouteTrie<number>();
    twice.add(['POST'], '/:index/_validate', 1);
    twice.add(['POST'], '/:name/_validate', 2);
    expect(twice.match('POST', ['i', '_validate'])).toMatchObject({ handler: 1, names: ['index'] });
  });

  it('takes names of Object.prototype as ordinary segments', () => {
    expect(trie.match('GET', ['__proto__'])).toEqual({ kind: 'none', allowed: [] });
    expect(trie.match('PUT', ['constructor'])).toMatchObject({ values: ['constructor'] });
  });

  it('answers a path of 10,000 segments at once', () => {
    const path = Array.from({ length: 10_000 }, () => 'users');
    expect(trie.match('GET', path)).toEqual({ kind: 'none', allowed: [] });
  });
});
