// A plugin of a few lines: custom actions, with routes, that serve a page and the client that it uses.
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { defineAction, definePlugin, oneOf, RawContent, route } from '@millrace/kernel';

const PAGE = new URL('liveMap.html', import.meta.url);
/** The built files of @millrace/client, which a browser loads as they are. */
const CLIENT = new URL('.', import.meta.resolve('@millrace/client'));

const REALTIME = 'realtime/index.js';

/** The live map of the stations at `GET /_map`. */
export function liveMap() {
  return definePlugin({
    name: 'example-live-map',
    kernel: '*',
    setup(host) {
      const files = readdirSync(CLIENT).filter((name) => name.endsWith('.js'));
      const map = defineAction({
        controller: 'example',
        action: 'map',
        summary: 'A page with the stations on a map that changes as they do.',
        routes: [route('GET /_map')],
        args: {},
        writes: false,
        run: async () => new RawContent('text/html; charset=utf-8', await readFile(PAGE, 'utf8')),
      });
      const script = defineAction({
        controller: 'example',
        action: 'script',
        summary: 'A file of the client that the page with the map uses.',
        routes: [route('GET /_map/client/:file'), route(`GET /_map/client/${REALTIME}`)],
        args: { file: oneOf(...files) },
        writes: false,
        run: async ({ args: { file = REALTIME } }) =>
          new RawContent('text/javascript; charset=utf-8', await readFile(new URL(file, CLIENT), 'utf8')),
      });
      host.controller([map, script]);
    },
  });
}
