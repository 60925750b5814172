const warning = /^\s*\d{3} [^\s,]+ "((?:[^"\\]|\\.)*)"(?:\s*"[^"]*")?\s*(?:,|$)/;

/**
 * The texts of a Warning header, which may hold several. What isn't formed right ends it.
 *
 * Upstream: apimachinery/pkg/util/net/http.go (ParseWarningHeaders).
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
