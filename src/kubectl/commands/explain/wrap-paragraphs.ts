/** Upstream: staging/src/k8s.io/kubectl/pkg/explain/formatter.go. */

const bullet = /^(?:\d+\.?|-|\*)\s/;

/**
 * Wraps text to a width. Code (indented by four spaces), empty lines and bullets keep their lines, and so
 * does what follows a colon at the end of a line.
 */
export function wrapParagraphs(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  let lastWord = "";
  const flush = (): void => {
    if (line === "") return;
    lines.push(line);
    [line, lastWord] = ["", ""];
  };
  for (const given of text.split("\n")) {
    const trimmed = given.trim();
    if (given.startsWith("    ")) {
      flush();
      lines.push(given);
      continue;
    }
    if (lines.length > 0 && trimmed === "") {
      flush();
      lines.push("");
      continue;
    }
    if (lastWord.endsWith(":") || trimmed === "" || bullet.test(trimmed)) flush();
    for (const word of trimmed.split(/\s+/).filter(Boolean)) {
      lastWord = word;
      if (line !== "" && Buffer.byteLength(`${line} ${word}`) > width) flush();
      line = line === "" ? word : `${line} ${word}`;
    }
  }
  flush();
  return lines;
}
