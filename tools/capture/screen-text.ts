const start = "\u001b";
const sequences = new RegExp(`${start}\\[([0-9;?]*)([A-Za-z])`, "g");

/** The text on a terminal after output with returns, erased lines and colours; without trailing blanks. */
export function screenText(output: string): string {
  const lines = output.replaceAll("\r\n", "\n").split("\n").map(shownLine);
  return lines.join("\n");
}

/** The last state of a line that was redrawn. */
function shownLine(line: string): string {
  let shown = "";
  for (const drawn of line.split("\r")) {
    const erased = sequences.test(drawn) && /\[[02]?K/.test(drawn) ? "" : shown;
    sequences.lastIndex = 0;
    const text = drawn.replace(sequences, "");
    shown = text + erased.slice(text.length);
  }
  return shown.trimEnd();
}
