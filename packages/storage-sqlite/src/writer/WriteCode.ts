/** Result of one operation, as a number for messages between threads. */
export const WRITE_CODE = {
  created: 0,
  replaced: 1,
  deleted: 2,
  notFound: 3,
  alreadyExists: 4,
  /** Sent with the document's actual version. */
  versionConflict: 5,
  collectionNotFound: 6,
  tooBig: 7,
} as const;

export type WriteCode = (typeof WRITE_CODE)[keyof typeof WRITE_CODE];

/** A condition in messages between threads: a version from 1 on, or one of these. */
export const CONDITION = {
  any: 0,
  absent: -1,
  present: -2,
  /** A version that no document has, such as 0 or 1.5. */
  never: -3,
} as const;
