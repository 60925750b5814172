import { parseDuration } from "#/std/go/duration.ts";
import { CorefileError, type Directive } from "./read-corefile.ts";

/** A setting of a plugin within its braces. */
type Setting = (directive: Directive) => void;

/** Reads the lines in the braces of a plugin; an unknown one is an error. */
export function readSettings(plugin: Directive, settings: Readonly<Record<string, Setting>>): void {
  for (const line of plugin.inner) {
    const read = Object.hasOwn(settings, line.name) ? settings[line.name] : undefined;
    if (!read) {
      const known = Object.keys(settings).join(", ") || "none";
      throw new CorefileError(
        line.line,
        `unknown setting "${line.name}" of ${plugin.name}; it has: ${known}`,
      );
    }
    read(line);
  }
}

/** The arguments of a directive, whose number must be in a range. */
export function takeArgs(directive: Directive, least: number, most = least): readonly string[] {
  const { name, args, line } = directive;
  if (args.length >= least && args.length <= most) return args;
  const count =
    least === most ? `${least}` : most === Infinity ? `${least} or more` : `${least} to ${most}`;
  throw new CorefileError(line, `${name} has ${args.length} arguments; it needs ${count}`);
}

/** A setting that has no effect here, but for its form. */
export const ignored =
  (least: number, most = least): Setting =>
  (directive) =>
    void takeArgs(directive, least, most);

interface Range {
  readonly least?: number;
  readonly most?: number;
}

export function wholeNumber(
  { line }: Directive,
  text: string,
  { least = 0, most = 2 ** 31 - 1 }: Range = {},
): number {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : -1;
  if (value >= least && value <= most) return value;
  throw new CorefileError(line, `${text} is no whole number from ${least} to ${most}`);
}

/** Milliseconds of a duration such as 5s; a plain number is seconds. */
export function duration({ line }: Directive, text: string): number {
  try {
    const ms = /^\d+$/.test(text) ? Number(text) * 1000 : parseDuration(text);
    if (ms >= 0) return ms;
  } catch {
    // The error below says it.
  }
  throw new CorefileError(line, `${text} is no duration such as 5s`);
}

export const seconds = (directive: Directive, text: string): number =>
  Math.floor(duration(directive, text) / 1000);

/** A name in lower case, without a final dot: "" is the root. */
export function zoneName({ line }: Directive | { readonly line: number }, text: string): string {
  const name = text.toLowerCase().replace(/\.$/, "");
  const isName = name === "" || /^(?=.{1,253}$)[^\s./:]{1,63}(\.[^\s./:]{1,63})*$/.test(name);
  if (text !== "" && isName) return name;
  throw new CorefileError(line, `"${text}" is no name of a zone`);
}

/** Whether a name, in lower case, is in a zone. */
export const isInZone = (name: string, zone: string): boolean =>
  zone === "" || name === zone || name.endsWith(`.${zone}`);
