/** What the usual texts of failed connections mean, the specific before the general. */
const meanings: readonly (readonly [pattern: RegExp, text: string])[] = [
  [/certificate has expired|certificate is not yet valid/i, "its certificate has expired"],
  [
    /signed by unknown authority|self[- ]signed certificate/i,
    "its certificate is signed by an authority that is not trusted",
  ],
  [
    /certificate is valid for|doesn't contain any IP SANs|not valid for any names|cannot validate certificate for/i,
    "its certificate is for another name",
  ],
  [
    /server gave HTTP response to HTTPS client|first record does not look like a TLS handshake|wrong version number/i,
    "it answers plain HTTP where HTTPS is expected",
  ],
  [/malformed HTTP response|tls: /i, "the TLS handshake fails"],
  [/x509: /i, "its certificate is not accepted"],
  [
    /no such host|server misbehaving|name resolution|ENOTFOUND|EAI_AGAIN/i,
    "its name cannot be resolved",
  ],
  [/connection refused|ECONNREFUSED/i, "the connection is refused: nothing listens there"],
  [/no route to host|network is unreachable|EHOSTUNREACH|ENETUNREACH/i, "there is no route to it"],
  [/connection reset|ECONNRESET|broken pipe|unexpected EOF|: EOF/i, "it closes the connection"],
  [
    /context deadline exceeded|i\/o timeout|timed? ?out|ETIMEDOUT|Client\.Timeout/i,
    "it does not answer in time",
  ],
];

/** What a failed connection means, in words; undefined if the text is of another kind. */
export const connectionFailure = (text: string): string | undefined =>
  meanings.find(([pattern]) => pattern.test(text))?.[1];
