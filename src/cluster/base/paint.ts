const codes = { good: "32", bad: "31", heading: "1" } as const;

export type Style = keyof typeof codes;
export type Paint = (style: Style, text: string) => string;

/** Returns text unchanged. */
const plain: Paint = (_style, text) => text;

/** Colours for a terminal that supports them; none for files, pipes and users who disable them (no-color.org). */
export function paintFor(
  target: { readonly isTTY?: boolean | undefined },
  env: Readonly<Record<string, string | undefined>> = process.env,
): Paint {
  const isWanted = target.isTTY && !env["NO_COLOR"] && env["TERM"] !== "dumb";
  return isWanted ? (style, text) => `\x1b[${codes[style]}m${text}\x1b[0m` : plain;
}
