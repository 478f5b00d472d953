import { defineAction, defineErrors, definePlugin, integer, required, route, text } from '@millrace/kernel';

/** The errors of this plugin: ids are for programs, messages for people. */
export const doorErrors = defineErrors('doors', {
  shut: { status: 409, message: (p) => `The door "${p.door}" is shut for now` },
});

/** Doors that can be opened over every protocol: controller `doors`, with its own configuration section. */
export function doors() {
  return definePlugin({
    name: '{{name}}',
    kernel: '^{{version}}',
    config: {
      doors: {
        maxOpen: { doc: 'Doors that may be open at once', format: 'nat', default: 3 },
      },
    },
    setup(host) {
      const { maxOpen } = host.config['doors'];
      const openDoors = new Map();
      const open = defineAction({
        controller: 'doors',
        action: 'open',
        summary: 'Opens a door by some degrees.',
        routes: [route('POST /_doors/:door/_open')],
        args: { door: required(text()), degrees: integer(1, 180) },
        writes: false,
        run: ({ args: { door, degrees = 90 } }) => {
          if (!openDoors.has(door) && openDoors.size >= maxOpen) throw doorErrors.shut({ door });
          openDoors.set(door, degrees);
          return { door, degrees };
        },
      });
      const list = defineAction({
        controller: 'doors',
        action: 'list',
        summary: 'Lists the doors that are open.',
        routes: [route('GET /_doors')],
        args: {},
        writes: false,
        run: () => ({ doors: [...openDoors.keys()] }),
      });
      host.controller([open, list]);
      host.onStop(() => openDoors.clear());
    },
  });
}
