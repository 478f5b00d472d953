/**
 * A folder whose files the HTTP entrypoint serves as they are (`PluginHost.files`), such as the pages of a plugin, on its
 * own port and in applications that mount the server (PROTO-35). No action runs and no right is judged: what the files
 * contain is public to the addresses of `allow`.
 */
export interface StaticFiles {
  /**
   * One segment that begins with `_`, such as `/_shop`. GET and HEAD of `/_shop/` answer with `index.html` of the folder,
   * and those of `/_shop/a/b.css` with its file `a/b.css`; the routes of actions get all other requests.
   */
  readonly path: string;
  /**
   * Absolute path of the folder, or its URL. It is read at the first request, with everything below it, and kept in
   * memory. Files with a hash in their name, as bundlers write it (`main-4KX2PQ7A.js`: eight capitals or digits), are
   * cached by browsers for good; others are asked for again each time (`ETag`).
   */
  readonly folder: string | URL;
  /** Headers of every file, such as `Content-Security-Policy`. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Addresses and CIDR ranges of the clients that get the files, as a list or separated by commas; all others get a 403
   * `security.address_refused`. Default: every client.
   */
  readonly allow?: string | readonly string[];
  /** Shows the folder as a screen of the admin console. */
  readonly screen?: ConsoleScreen;
}

/**
 * A folder of files as a screen of the admin console. The console shows `index.html` in a sandboxed frame with another
 * origin, which has no access to the console, its storage and its token. The frame gets a `MessagePort`, by which it runs
 * actions with the rights of the user, and only those of `actions`. Unless `headers` has another
 * `Content-Security-Policy`, the files have one that sandboxes them also outside of the console, and lets them load the
 * server's own files alone.
 */
export interface ConsoleScreen {
  /** In the navigation: 1 to 40 characters. */
  readonly title: string;
  /**
   * What the screen may run: names of actions such as `document.search`, or `shop.*` for all of a controller; at most 100.
   * None of `auth`, whose results have tokens.
   */
  readonly actions: readonly string[];
}
