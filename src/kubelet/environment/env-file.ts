/**
 * The value of a key in a file of `NAME='value'` lines; empty if it has none.
 *
 * Upstream: pkg/kubelet/util/env.
 */
export function parseEnvFile(text: string, key: string): string {
  const lines = text.split(/\r?\n/);
  for (let at = 0; at < lines.length; at++) {
    const line = (lines[at] ?? "").replace(/^[ \t]+/, "");
    if (line === "" || line.startsWith("#")) continue;
    const { name, rest } = splitAssignment(line, at + 1);
    if (/^[ \t]/.test(rest) || rest === "") {
      if (rest === "") throw invalidLine(at + 1, "value must be enclosed in single quotes");
      if (name === key) return "";
      continue;
    }
    const quoted = readQuoted(lines, at, rest);
    if (name === key) return quoted.value;
    at = quoted.last;
  }
  return "";
}

function splitAssignment(line: string, number: number): { name: string; rest: string } {
  const equals = line.indexOf("=");
  if (equals === -1) throw invalidLine(number, "missing '='");
  const before = line.slice(0, equals);
  const name = before.replace(/[ \t]+$/, "");
  if (name === "") throw invalidLine(number, "empty variable name");
  if (name !== before) throw invalidLine(number, "whitespace before '=' is not allowed");
  return { name, rest: line.slice(equals + 1) };
}

/** A value in single quotes, which may span several lines. */
function readQuoted(lines: readonly string[], first: number, rest: string) {
  if (!rest.startsWith("'")) {
    throw invalidLine(first + 1, "value must be enclosed in single quotes");
  }
  let value = "";
  let part = rest.slice(1);
  for (let at = first; ; ) {
    const close = part.indexOf("'");
    if (close !== -1) {
      const after = part.slice(close + 1).replace(/^[ \t]+/, "");
      if (after !== "" && !after.startsWith("#")) {
        throw invalidLine(at + 1, "unexpected content after closing quote");
      }
      return { value: value + part.slice(0, close), last: at };
    }
    value += `${part}\n`;
    at += 1;
    const next = lines[at];
    if (next === undefined || (next === "" && at === lines.length - 1)) {
      throw new Error(
        `invalid environment variable format starting at line ${first + 1}: unclosed single quote`,
      );
    }
    part = next;
  }
}

function invalidLine(number: number, problem: string): Error {
  return new Error(`invalid environment variable format at line ${number}: ${problem}`);
}
