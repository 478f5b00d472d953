/** Controllers whose actions `@millrace/actions` describes. */
export const KNOWN_CONTROLLERS: readonly string[] = [
  'auth', 'bulk', 'client', 'collection', 'document', 'index', 'memoryStorage', 'realtime', 'saml', 'security', 'server',
]; // prettier-ignore
