/** A part of a log line with one look. */
interface LogPart {
  readonly text: string;
  /** Classes of the style sheet; "" for plain text. */
  readonly look: string;
}

const colors = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the sequences of terminals.
const sequence = /\u001b\[([0-9;]*)([A-Za-z])/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: what is left of them is not shown.
const control = /[\u0000-\u0008\u000b-\u001f\u007f]/g;

/** The parts of a line with the colours of a terminal; other control characters are removed. */
export function partsOf(line: string): LogPart[] {
  const parts: LogPart[] = [];
  let look: readonly string[] = [];
  let from = 0;
  const add = (to: number) => {
    const text = line.slice(from, to).replace(control, "");
    if (text !== "") parts.push({ text, look: look.join(" ") });
  };
  for (const { 0: found, 1: codes = "", 2: command, index } of line.matchAll(sequence)) {
    add(index);
    from = index + found.length;
    if (command === "m") look = nextLook(look, codes);
  }
  add(line.length);
  return parts;
}

function nextLook(look: readonly string[], codes: string): readonly string[] {
  let next = look;
  for (const code of codes.split(";").map(Number)) {
    const isColor = (code >= 30 && code <= 37) || (code >= 90 && code <= 97);
    if (code === 0) next = [];
    else if (code === 1) next = [...next, "ansi-bold"];
    else if (code === 39) next = next.filter((name) => name === "ansi-bold");
    else if (isColor) {
      next = [...next.filter((name) => name === "ansi-bold"), `ansi-${colors[code % 10]}`];
    }
  }
  return next;
}
