// A plugin of a few lines: a custom action, with a route, that serves a page.
import { readFile } from 'node:fs/promises';
import { defineAction, definePlugin, RawContent, route } from '@millrace/kernel';

const PAGE = new URL('liveMap.html', import.meta.url);

/**
 * The live map of the stations at `GET /_map`.
 * @param {() => number} websocketPort where the page finds the WebSocket protocol; asked at each call
 */
export function liveMap(websocketPort) {
  return definePlugin({
    name: 'example-live-map',
    kernel: '*',
    setup(host) {
      const map = defineAction({
        controller: 'example',
        action: 'map',
        summary: 'A page with the stations on a map that changes as they do.',
        routes: [route('GET /_map')],
        args: {},
        writes: false,
        run: async () => {
          const page = await readFile(PAGE, 'utf8');
          return new RawContent(
            'text/html; charset=utf-8',
            page.replace('{{websocketPort}}', String(websocketPort())),
          );
        },
      });
      host.controller([map]);
    },
  });
}
