/** Version of this package and of those it asks for (all are published together), as in package.json; a test holds them together. */
export const VERSION = '0.1.0';
