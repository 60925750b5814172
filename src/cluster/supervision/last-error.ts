/** The beginning of an entry that is an error: klog's text or JSON format. */
const errorEntry = /^([EF]\d{4} |\{"ts":.*"err":)/;
/** Node's message for an uncaught error. */
const uncaught = /^(\w*Error\b.*|.*\b[Ee]rror: .*)$/;
/** Number of lines that are shown if none of them is an error. */
const shownLines = 5;

/** The lines of a log that show why its program failed: the last error, or if there is none the last lines. */
export function lastError(lines: readonly string[]): string[] {
  const said = lines.filter((line) => line.trim() !== "");
  for (const pattern of [errorEntry, uncaught]) {
    const found = said.findLast((line) => pattern.test(line));
    if (found !== undefined) return [found];
  }
  return said.slice(-shownLines);
}
