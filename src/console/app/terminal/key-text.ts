import type { TerminalModes } from "./terminal-modes.ts";

/** A key as the browser names it. */
interface PressedKey {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
  readonly metaKey: boolean;
}

const arrows: Readonly<Record<string, string>> = {
  ArrowUp: "A",
  ArrowDown: "B",
  ArrowRight: "C",
  ArrowLeft: "D",
  Home: "H",
  End: "F",
};

/** Keys with a number: CSI, the number and a tilde. */
const numbered: Readonly<Record<string, number>> = {
  Insert: 2,
  Delete: 3,
  PageUp: 5,
  PageDown: 6,
  F5: 15,
  F6: 17,
  F7: 18,
  F8: 19,
  F9: 20,
  F10: 21,
  F11: 23,
  F12: 24,
};

const plain: Readonly<Record<string, string>> = {
  Enter: "\r",
  Backspace: "\u007f",
  Escape: "\u001b",
  Tab: "\t",
  F1: "\u001bOP",
  F2: "\u001bOQ",
  F3: "\u001bOR",
  F4: "\u001bOS",
};

/** Characters with Ctrl that are no letters. */
const controls: Readonly<Record<string, string>> = {
  " ": "\u0000",
  "@": "\u0000",
  "[": "\u001b",
  "\\": "\u001c",
  "]": "\u001d",
  "^": "\u001e",
  _: "\u001f",
  "/": "\u001f",
};

/**
 * What a key sends to a program; undefined for keys that are the browser's: copying and pasting with Ctrl-Shift or Cmd, and
 * Shift-Tab, which leaves the terminal. Text that is typed comes as input of its own.
 */
export function keyText(pressed: PressedKey, modes: TerminalModes): string | undefined {
  const { key, ctrlKey, altKey, shiftKey, metaKey } = pressed;
  if (metaKey || (ctrlKey && shiftKey) || (key === "Tab" && shiftKey)) return undefined;
  const special = specialKey(pressed, modes);
  if (special !== undefined) return special;
  if ([...key].length !== 1) return undefined;
  const control = ctrlKey ? controlOf(key) : undefined;
  if (control !== undefined) return altKey ? `\u001b${control}` : control;
  return altKey && !ctrlKey ? `\u001b${key}` : undefined;
}

function specialKey(pressed: PressedKey, modes: TerminalModes): string | undefined {
  const { key, altKey } = pressed;
  const modifiers =
    1 + (pressed.shiftKey ? 1 : 0) + (pressed.altKey ? 2 : 0) + (pressed.ctrlKey ? 4 : 0);
  const arrow = Object.hasOwn(arrows, key) ? arrows[key] : undefined;
  if (arrow !== undefined) {
    if (modifiers > 1) return `\u001b[1;${modifiers}${arrow}`;
    return `\u001b${modes.sendsApplicationKeys ? "O" : "["}${arrow}`;
  }
  const number = Object.hasOwn(numbered, key) ? numbered[key] : undefined;
  if (number !== undefined) return `\u001b[${number}${modifiers > 1 ? `;${modifiers}` : ""}~`;
  const text = Object.hasOwn(plain, key) ? plain[key] : undefined;
  return text !== undefined && altKey ? `\u001b${text}` : text;
}

function controlOf(key: string): string | undefined {
  const letter = key.toLowerCase();
  if (letter >= "a" && letter <= "z") return String.fromCharCode(letter.charCodeAt(0) - 96);
  return Object.hasOwn(controls, key) ? controls[key] : undefined;
}

/** Pasted text as a program gets it: it ends no mark of its own, and lines end as with the Enter key. */
export function pastedText(text: string, { marksPastes }: TerminalModes): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a pasted escape sequence would end the mark.
  const lines = text.replace(/\r?\n/g, "\r").replace(/\u001b/g, "");
  return marksPastes ? `\u001b[200~${lines}\u001b[201~` : lines;
}
