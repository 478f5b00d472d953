const READ = { get: true, search: true };
const OWN = { equals: { 'document.author': { $ref: 'user._id' } } };

/** What members may do. Whatever isn't named here is refused. */
export const MEMBER = {
  indexes: {
    _canCreate: false,
    chat: {
      _canDelete: false,
      collections: {
        _canCreate: false,
        rooms: {
          controllers: {
            document: { actions: { ...READ, create: true } },
            realtime: { actions: { subscribe: true } },
          },
        },
        messages: {
          controllers: {
            document: {
              actions: {
                ...READ,
                // In their own name; later changes by the author alone.
                create: { when: OWN },
                update: { when: { and: [OWN, { missing: 'request.body.author' }] } },
                delete: { when: OWN },
              },
            },
            realtime: { actions: { subscribe: true } },
          },
        },
        activity: {
          controllers: {
            realtime: {
              actions: {
                subscribe: true,
                presence: true,
                publish: { when: { equals: { 'request.body.user': { $ref: 'user._id' } } } },
              },
            },
          },
        },
      },
    },
  },
};
