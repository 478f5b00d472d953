import { afterEach, describe, expect, it } from 'vitest';
import { defineAction, definePlugin, route, type Plugin, type PluginHost } from '@millrace/kernel';
import { startKernel, type StartedKernel } from '../startKernel.js';

const faulty = (setup: (host: PluginHost) => void | Promise<void>): Plugin =>
  definePlugin({ name: 'faulty', kernel: '^0.1.0', setup });

describe('faulty plugins', () => {
  let started: StartedKernel | undefined;
  afterEach(async () => {
    await started?.close();
    started = undefined;
  });
  const start = async (setup: (host: PluginHost) => void) => {
    started = await startKernel({
      plugins: [faulty(setup)],
    });
    return started;
  };

  it.each<[string, (host: PluginHost) => void]>([
    [
      'hook throws',
      (host) =>
        host.hook('request.ended', () => {
          throw new Error('x');
        }),
    ],
    ['hook rejects', (host) => host.hook('request.started', () => Promise.reject(new Error('x')))],
    ['hook never ends', (host) => host.hook('request.ended', () => new Promise(() => undefined))],
    ['pipe that returns nothing', (host) => host.pipe({ when: 'before', actions: '*', run: () => undefined })],
  ])('goes on when a %s', async (_, setup) => {
    const { ask } = await start(setup);
    expect((await ask('GET', '/_now')).status).toBe(200);
    expect((await ask('GET', '/_now')).status).toBe(200);
  });

  it.each<[string, (host: PluginHost) => void, number]>([
    [
      'pipe throws',
      (host) =>
        host.pipe({
          when: 'before',
          actions: 'server.now',
          run: () => {
            throw new Error('secret');
          },
        }),
      500,
    ],
    [
      'pipe rejects',
      (host) => host.pipe({ when: 'after', actions: 'server.now', run: () => Promise.reject(new Error('secret')) }),
      500,
    ],
  ])('fails that request alone, naming the plugin, when a %s', async (_, setup, status) => {
    const { ask } = await start(setup);
    const { status: got, text } = await ask('GET', '/_now');
    expect(got).toBe(status);
    expect(text).toContain('faulty');
    expect(text).not.toContain('secret');
    expect((await ask('GET', '/_adminExists')).status).toBe(200);
  });

  it('gives 504 within the time limit when a pipe never ends', async () => {
    const hangs = faulty((host) =>
      host.pipe({
        when: 'before',
        actions: 'server.now',
        run: () => new Promise<undefined>(() => undefined),
      }),
    );
    started = await startKernel({ server: { pluginTimeoutMs: 100 }, plugins: [hangs] });
    const answer = await started.ask('GET', '/_now');
    expect(answer.status).toBe(504);
    expect(answer.text).toContain('faulty');
  });

  it('answers an action that throws or rejects with 500 and no inner detail', async () => {
    const action = (name: string, run: () => never | Promise<never>) =>
      defineAction({
        controller: 'faulty',
        action: name,
        summary: '',
        routes: [route(`GET /_faulty/${name}`)],
        args: {},
        writes: false,
        run,
      });
    const { ask } = await start((host) =>
      host.controller([
        action('throws', () => {
          throw new Error('secret');
        }),
        action('rejects', () => Promise.reject(new Error('secret'))),
      ]),
    );
    for (const name of ['throws', 'rejects']) {
      const answer = await ask('GET', `/_faulty/${name}`);
      expect(answer.status).toBe(500);
      expect(answer.body.error).toMatchObject({ id: 'core.internal' });
      expect(answer.text).not.toContain('secret');
    }
  });

  it.each<[string, (host: PluginHost) => void | Promise<void>]>([
    [
      'throws',
      () => {
        throw new Error('broken on purpose');
      },
    ],
    ['rejects', () => Promise.reject(new Error('broken on purpose'))],
    [
      'brings an action that is there',
      (host) => {
        host.controller([noop]);
        host.controller([noop]);
      },
    ],
  ])('stops the start and is named when its setup %s', async (_, setup) => {
    await expect(startKernel({ plugins: [faulty(setup)] })).rejects.toThrow(/"faulty"/);
  });
});

const noop = defineAction({
  controller: 'mine',
  action: 'noop',
  summary: '',
  routes: [],
  args: {},
  writes: false,
  run: () => null,
});
