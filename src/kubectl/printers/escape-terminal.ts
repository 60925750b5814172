/** Upstream: staging/src/k8s.io/cli-runtime/pkg/printers/terminal.go. */

/** A text whose control characters are escaped: it can't move the cursor or change colours. */
export function escapeTerminal(text: string): string {
  return text.replaceAll("\x1b", "^[").replaceAll("\r", "\\r");
}

/** A text for one cell of a table: its first line, escaped. */
export function escapeCell(text: string): string {
  const end = text.search(/[\f\n\r]/);
  return end < 0 ? escapeTerminal(text) : `${escapeTerminal(text.slice(0, end))}...`;
}

/** True if an output supports colours. */
export function allowsColor(
  output: { readonly isTerminal: boolean },
  env: Readonly<Record<string, string | undefined>>,
): boolean {
  return output.isTerminal && env["TERM"] !== "dumb" && env["NO_COLOR"] === undefined;
}
