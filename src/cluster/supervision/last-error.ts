/** The beginning of an entry that is an error: klog's text or JSON format. */
const errorEntry = /^([EF]\d{4} |\{"ts":.*"err":)/;
/** What Node says of an error that was not caught. */
const uncaught = /^(\w*Error\b.*|.*\b[Ee]rror: .*)$/;
/** Lines that are shown when none of them is an error. */
const shownLines = 5;

/** The lines of a log that say why its program didn't work: the last error, or if there is none the last lines. */
export function lastError(lines: readonly string[]): string[] {
  const said = lines.filter((line) => line.trim() !== "");
  for (const pattern of [errorEntry, uncaught]) {
    const found = said.findLast((line) => pattern.test(line));
    if (found !== undefined) return [found];
  }
  return said.slice(-shownLines);
}
