/** The head of a POST with a JSON body of so many bytes. */
export function postHead(path, contentLength, headers = '') {
  return Buffer.from(
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${contentLength}\r\n${headers}\r\n`,
  );
}
