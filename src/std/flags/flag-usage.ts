/**
 * Upstream: github.com/spf13/pflag/flag.go,
 * staging/src/k8s.io/component-base/cli/flag/sectioned.go.
 */

import { goQuote } from "../go/go-quote.ts";
import { type Flag, type FlagSet, typeOf } from "./flags.ts";

interface FlagUsageOptions {
  /** Limit of the line width; 0, the default, does not wrap. */
  readonly columns?: number;
  /** The least width of the column of names; default the longest name. */
  readonly nameColumns?: number;
}

/** Texts narrower than this (columns) are not wrapped beside the names: they are below. */
const minTextColumns = 24;
/** Indentation of texts below the names. */
const belowIndent = 16;
/** Limit of the overlength of a last line (columns), so that no short word is left alone. */
const slop = 5;

/** The flags by name, each with its help, as upstream's `--help` prints them. */
export function flagUsage(flags: FlagSet, options: FlagUsageOptions = {}): string {
  const { columns = 0, nameColumns = 0 } = options;
  const lines = Object.entries(flags)
    .filter(([, flag]) => !flag.hidden && flag.deprecated === undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, flag]) => ({ left: leftColumn(name, flag), right: rightColumn(flag) }));
  const width = Math.max(nameColumns, ...lines.map(({ left }) => left.length)) + 3;
  return lines
    .map(({ left, right }) => `${left.padEnd(width)}${wrap(right, width, columns)}\n`)
    .join("");
}

/** Several sets of flags, each below its title, as components print them. */
export function flagSections(
  sections: readonly { readonly title: string; readonly flags: FlagSet }[],
  columns = 0,
): string {
  // Wide enough that every text is below its name.
  const nameColumns = columns > minTextColumns ? columns - 12 : 0;
  return sections
    .filter(({ flags }) => Object.keys(flags).length > 0)
    .map(({ title, flags }) => {
      const heading = title.charAt(0).toUpperCase() + title.slice(1);
      return `\n${heading} flags:\n\n${flagUsage(flags, { columns, nameColumns })}`;
    })
    .join("");
}

function leftColumn(name: string, flag: Flag): string {
  const short = flag.shorthand === undefined ? "      " : `  -${flag.shorthand}, `;
  const label = quotedName(flag.help) ?? typeOf(flag).label;
  return `${short}--${name}${label === "" ? "" : ` ${label}`}${bareText(flag)}`;
}

function bareText(flag: Flag): string {
  if (flag.bare === undefined) return "";
  return flag.type === "string" ? `[="${flag.bare}"]` : `[=${flag.bare}]`;
}

function rightColumn(flag: Flag): string {
  const help = flag.help.replace(/`([^`]*)`/, "$1");
  return `${help}${defaultText(flag)}`;
}

function defaultText(flag: Flag): string {
  const type = typeOf(flag);
  const text = type.format(flag.default ?? type.zero);
  const zeros = type.zeroText === undefined ? ["", "0", "false", "<nil>"] : [type.zeroText];
  if (zeros.includes(text)) return "";
  return ` (default ${type.label === "string" ? goQuote(text) : text})`;
}

function quotedName(help: string): string | undefined {
  return /`([^`]*)`/.exec(help)?.[1];
}

function wrap(text: string, indent: number, columns: number): string {
  if (columns === 0) return text.replaceAll("\n", `\n${" ".repeat(indent)}`);
  const beside = columns - indent >= minTextColumns;
  const start = beside ? indent : belowIndent;
  const margin = `\n${" ".repeat(start)}`;
  const width = columns - start;
  if (width < minTextColumns) return text.replaceAll("\n", margin);
  const lines: string[] = [];
  for (let rest = text; lines.length === 0 || rest !== ""; ) {
    const [line, remainder] = cutLine(rest, width - slop);
    lines.push(line.replaceAll("\n", margin));
    rest = remainder;
  }
  return (beside ? "" : margin) + lines.join(margin);
}

/** Splits a text at the last space before a width, or at a line end. */
function cutLine(text: string, width: number): [line: string, rest: string] {
  if (width + slop > text.length) return [text, ""];
  const head = text.slice(0, width);
  const space = Math.max(head.lastIndexOf(" "), head.lastIndexOf("\t"), head.lastIndexOf("\n"));
  if (space <= 0) return [text, ""];
  const lineEnd = head.lastIndexOf("\n");
  const at = lineEnd > 0 && lineEnd < space ? lineEnd : space;
  return [text.slice(0, at), text.slice(at + 1)];
}
