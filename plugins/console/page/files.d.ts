/** Bundled into a file of styles. */
declare module '*.css';
