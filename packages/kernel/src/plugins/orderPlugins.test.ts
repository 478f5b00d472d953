import { describe, expect, it } from 'vitest';
import { orderPlugins } from './orderPlugins.js';
import { definePlugin, type Plugin } from './Plugin.js';

const plugin = (name: string, more: Partial<Plugin> = {}): Plugin =>
  definePlugin({ name, kernel: '^1.0.0', setup: () => undefined, ...more });

describe('orderPlugins', () => {
  it('puts a plugin behind those it requires and else keeps the order', () => {
    const plugins = [plugin('a', { requires: ['c'] }), plugin('b'), plugin('c')];
    expect(orderPlugins(plugins, '1.2.3').map(({ name }) => name)).toEqual(['c', 'a', 'b']);
  });

  it.each([
    ['another kernel', [plugin('a', { kernel: '^2.0.0' })], /"a".*\^2\.0\.0.*1\.2\.3/],
    ['a range that is none', [plugin('a', { kernel: 'new' })], /"a".*semver/],
    ['a name twice', [plugin('a'), plugin('a')], /"a".*same name/],
    ['a missing requirement', [plugin('a', { requires: ['b'] })], /"a".*"b"/],
    ['a circle', [plugin('a', { requires: ['b'] }), plugin('b', { requires: ['a'] })], /requires itself/],
    ['a bad name', [plugin('A b')], /name/],
    ['no setup', [{ ...plugin('a'), setup: undefined as never }], /"a".*setup/],
    ['no plugin at all', [null as never], /name/],
    ['a factory', [(() => plugin('a')) as never], /a function: call it/],
    ['a promise', [Promise.resolve(plugin('a')) as never], /a promise: await it/],
  ])('refuses %s, naming the plugin', (_, plugins, message) => {
    const refuse = () => orderPlugins(plugins, '1.2.3');
    expect(refuse).toThrowError(expect.objectContaining({ id: 'core.plugin_refused' }));
    expect(refuse).toThrowError(message);
  });
});
