const ME = { $ref: 'user._id' };

/** Public documents, and those of rooms that the user is a member of. */
const VISIBLE = {
  bool: {
    should: [{ bool: { must_not: { exists: { field: 'members' } } } }, { term: { members: ME } }],
  },
};
const OWN = { bool: { filter: [{ term: { author: ME } }, VISIBLE] } };
const WATCH = { controllers: { realtime: { actions: { subscribe: true, follow: true } } } };

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
            ...WATCH.controllers,
            // Searches, subscriptions and followed searches show no other documents.
            document: { documents: VISIBLE, actions: { get: true, search: true, create: true } },
          },
        },
        messages: {
          controllers: {
            ...WATCH.controllers,
            document: {
              documents: VISIBLE,
              actions: {
                get: true,
                search: true,
                // In their own name; later changes by the author alone, and of the text alone.
                create: { check: OWN },
                update: { documents: OWN, fields: { only: ['text'] } },
                delete: { documents: OWN },
              },
            },
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
