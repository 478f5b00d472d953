import { defineAction, definePlugin, required, route, text } from '@millrace/kernel';

/** The application's own actions: greets people, and remembers whom it has greeted. */
export function greetings() {
  return definePlugin({
    name: 'greetings',
    kernel: '^{{version}}',
    setup(host) {
      const hello = defineAction({
        controller: 'greetings',
        action: 'hello',
        summary: 'Greets a person, and keeps the greeting in "app/greetings".',
        routes: [route('POST /_hello/:name')],
        args: { name: required(text()) },
        writes: true,
        run: async ({ args, request }) => {
          // In the name of the caller: rights, validation and realtime work as for any other request.
          const { status, error, result } = await host.execute(
            {
              controller: 'document',
              action: 'create',
              index: 'app',
              collection: 'greetings',
              body: { name: args.name },
            },
            { user: request.user },
          );
          if (status !== 200) return { greeting: null, problem: error?.message ?? 'unknown' };
          return { greeting: `Hello, ${args.name}!`, document: result };
        },
      });
      host.controller([hello]);
    },
  });
}
