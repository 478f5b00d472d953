import { defineErrors, definePlugin } from '@millrace/kernel';

const errors = defineErrors('chat', {
  no_such_room: { status: 404, message: ({ room }) => `There is no room "${room}"` },
});

/** Each message has the members of its room, whatever its author says, so that rights can go by them: rights.mjs. */
export const membersOfMessages = () =>
  definePlugin({
    name: 'members-of-messages',
    kernel: '^0.1.0',
    setup(host) {
      host.pipe({
        when: 'document.beforeWrite',
        collections: 'chat/messages',
        async run({ after }) {
          if (after === null) return;
          const { room } = after;
          const fields = { index: 'chat', collection: 'rooms', _id: String(room) };
          const user = { _id: 'server', profileIds: ['admin'] };
          const read = { controller: 'document', action: 'get', ...fields };
          const { error, result } = await host.execute(read, { user });
          if (error?.id === 'document.not_found') throw errors.no_such_room({ room });
          const message = { ...after };
          delete message.members;
          const { members } = result._source;
          return members === undefined ? message : { ...message, members };
        },
      });
    },
  });
