/** Splits `host:port`; undefined if it has another form. */
export function splitHostPort(text: string): { host: string; port: number } | undefined {
  const match = /^(?:\[([^\]]*)\]|([^:[\]]*)):(\d+)$/.exec(text);
  return match ? { host: match[1] ?? match[2] ?? "", port: Number(match[3]) } : undefined;
}
