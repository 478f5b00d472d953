/** Addresses, separated by commas, without user names and passwords: for messages and files. */
export function withoutLogins(addresses: string): string {
  return addresses.replace(/\/\/[^/,]*@/g, '//');
}
