/** A colour: a number of the palette, a colour of its own (#rrggbb), or undefined for the usual one. */
type Color = number | string | undefined;

/** How a character looks. */
export interface Look {
  readonly foreground: Color;
  readonly background: Color;
  readonly isBold: boolean;
  readonly isFaint: boolean;
  readonly isItalic: boolean;
  readonly isUnderlined: boolean;
  readonly isStruck: boolean;
  /** Foreground and background are exchanged. */
  readonly isInverse: boolean;
  readonly isHidden: boolean;
}

export const plainLook: Look = {
  foreground: undefined,
  background: undefined,
  isBold: false,
  isFaint: false,
  isItalic: false,
  isUnderlined: false,
  isStruck: false,
  isInverse: false,
  isHidden: false,
};

const changes: Readonly<Record<number, Partial<Look>>> = {
  1: { isBold: true },
  2: { isFaint: true },
  3: { isItalic: true },
  4: { isUnderlined: true },
  7: { isInverse: true },
  8: { isHidden: true },
  9: { isStruck: true },
  21: { isUnderlined: true },
  22: { isBold: false, isFaint: false },
  23: { isItalic: false },
  24: { isUnderlined: false },
  27: { isInverse: false },
  28: { isHidden: false },
  29: { isStruck: false },
  39: { foreground: undefined },
  49: { background: undefined },
};

/** The look after the command SGR with these numbers. */
export function lookAfter(look: Look, numbers: readonly number[]): Look {
  let next = look;
  const codes = numbers.length === 0 ? [0] : numbers;
  for (let at = 0; at < codes.length; at++) {
    const code = codes[at] ?? 0;
    if (code === 0) next = plainLook;
    else if (code === 38 || code === 48) {
      const { color, used } = longColor(codes.slice(at + 1));
      at += used;
      if (used > 0) next = { ...next, [code === 38 ? "foreground" : "background"]: color };
    } else next = { ...next, ...(changes[code] ?? shortColor(code)) };
  }
  return next;
}

function shortColor(code: number): Partial<Look> {
  if (code >= 30 && code <= 37) return { foreground: code - 30 };
  if (code >= 40 && code <= 47) return { background: code - 40 };
  if (code >= 90 && code <= 97) return { foreground: code - 82 };
  if (code >= 100 && code <= 107) return { background: code - 92 };
  return {};
}

/** "5;N" is one of 256 colours, "2;R;G;B" one of its own. */
function longColor(codes: readonly number[]): { readonly color: Color; readonly used: number } {
  const [kind, ...rest] = codes;
  if (kind === 5) return { color: (rest[0] ?? 0) & 0xff, used: 2 };
  if (kind !== 2) return { color: undefined, used: 0 };
  const parts = [0, 1, 2].map((index) => Math.min(255, rest[index] ?? 0));
  return { color: `#${parts.map((part) => part.toString(16).padStart(2, "0")).join("")}`, used: 4 };
}

const cubeSteps = [0, 95, 135, 175, 215, 255];

/** A colour for a style sheet. The first sixteen are the theme's. */
export function cssColor(color: Color): string | undefined {
  if (typeof color !== "number") return color;
  if (color < 16) return `var(--ansi-${color})`;
  if (color >= 232) {
    const gray = 8 + 10 * (color - 232);
    return `rgb(${gray} ${gray} ${gray})`;
  }
  const cube = color - 16;
  const parts = [Math.floor(cube / 36), Math.floor(cube / 6) % 6, cube % 6];
  return `rgb(${parts.map((part) => cubeSteps[part]).join(" ")})`;
}
