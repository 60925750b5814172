/** The line width of the project's formatter. */
const LINE_WIDTH = 100;

/** Whether the formatter leaves a text on one line. */
export function fitsOnLine(line: string): boolean {
  return line.length <= LINE_WIDTH;
}

/** Writes a value as a TypeScript literal in the formatter's layout; objects are spread over lines, arrays if they must. */
export function writeLiteral(value: unknown, indent: string, before = ""): string {
  if (Array.isArray(value)) return writeArray(value, indent, before);
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const entries = Object.entries(value).map(([key, inner]) => {
    const start = `${indent}  ${key}: `;
    return `${start}${writeLiteral(inner, `${indent}  `, start)},\n`;
  });
  return `{\n${entries.join("")}${indent}}`;
}

function writeArray(items: readonly unknown[], indent: string, before: string): string {
  const flat = items.every((item) => item === null || typeof item !== "object");
  const line = `[${items.map((item) => JSON.stringify(item)).join(", ")}]`;
  if (items.length === 0 || (flat && fitsOnLine(`${before}${line},`))) return line;
  const lines = items.map((item) => `${indent}  ${writeLiteral(item, `${indent}  `)},\n`);
  return `[\n${lines.join("")}${indent}]`;
}
