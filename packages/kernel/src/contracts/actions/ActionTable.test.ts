import { describe, expect, it } from 'vitest';
import { defineAction } from './ActionDefinition.js';
import { ActionTable } from './ActionTable.js';

const declare = (controller: string, action: string) =>
  defineAction({
    controller,
    action,
    summary: 'For tests.',
    routes: [],
    args: {},
    writes: false,
    run: () => null,
  });

describe('ActionTable', () => {
  const table = new ActionTable();
  const [create, info, get] = [declare('index', 'create'), declare('server', 'info'), declare('memoryStorage', 'get')];
  for (const action of [create, declare('server', 'create'), info, get]) table.add(action);
  table.alias('admin', ['index', 'server']);
  table.alias('ms', ['memoryStorage']);

  it('finds an action under another name of its controller: of the first one that has it (PROTO-4)', () => {
    expect(table.find('admin', 'create')).toBe(create);
    expect(table.find('admin', 'info')).toBe(info);
    expect(table.find('ms', 'get')).toBe(get);
    expect([table.get('admin', 'info'), table.queueOf('ms', 'get')]).toEqual([undefined, 'ordinary']);
    expect([table.aliasesOf('server'), table.aliasesOf('document')]).toEqual([['admin'], []]);
    expect(table.controllerNames()).toEqual(['index', 'memoryStorage', 'server']);
  });

  it('tells an unknown action from an unknown controller, and suggests what was meant', () => {
    expect(() => table.find('admin', 'inof')).toThrow(/did you mean info/);
    expect(() => table.find('ms', 'gett')).toThrow(/did you mean get/);
    expect(() => table.find('nosuch', 'get')).toThrow(/nosuch/);
  });

  it('names the owner of an action that exists', () => {
    const plugin = { title: 'plugin "doors"', plugin: 'doors' };
    const open = declare('doors', 'open');
    table.add(open, plugin);
    expect(table.ownerOf(open)).toBe(plugin);
    expect(() => table.add(declare('doors', 'open'))).toThrow('it belongs to plugin "doors"');
    expect(() => table.add(declare('index', 'create'), plugin)).toThrow('it belongs to the server');
  });
});
