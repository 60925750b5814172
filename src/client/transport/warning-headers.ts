const warning = /^\s*\d{3} [^\s,]+ "((?:[^"\\]|\\.)*)"(?:\s*"[^"]*")?\s*(?:,|$)/;

/**
 * The texts of a Warning header, which may hold several. Parsing stops at a malformed one.
 *
 * Upstream: staging/src/k8s.io/apimachinery/pkg/util/net/http.go (ParseWarningHeaders).
 */
export function parseWarnings(header: string | undefined): string[] {
  const texts: string[] = [];
  let rest = header ?? "";
  while (rest !== "") {
    const match = warning.exec(rest);
    if (!match) break;
    texts.push((match[1] ?? "").replace(/\\(.)/g, "$1"));
    rest = rest.slice(match[0].length);
  }
  return texts;
}
