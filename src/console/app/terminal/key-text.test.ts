import { checkCases } from "#/testing/check-cases.ts";
import { keyText, pastedText } from "./key-text.ts";
import { usualModes } from "./terminal-modes.ts";

const pressed = (words: string) => {
  const parts = words.split(" ");
  return {
    key: parts.at(-1) ?? "",
    ctrlKey: parts.includes("Ctrl"),
    altKey: parts.includes("Alt"),
    shiftKey: parts.includes("Shift"),
    metaKey: parts.includes("Meta"),
  };
};

checkCases("keyText", (words: string) => keyText(pressed(words), usualModes), [
  ["a", undefined],
  ["Ctrl c", "\u0003"],
  ["Ctrl D", "\u0004"],
  ["Ctrl Shift c", undefined],
  ["Meta v", undefined],
  ["Shift Tab", undefined],
  ["Tab", "\t"],
  ["Enter", "\r"],
  ["Backspace", "\u007f"],
  ["ArrowUp", "\u001b[A"],
  ["Ctrl ArrowLeft", "\u001b[1;5D"],
  ["Delete", "\u001b[3~"],
  ["F5", "\u001b[15~"],
  ["Alt b", "\u001bb"],
  ["Alt Enter", "\u001b\r"],
  ["Ctrl [", "\u001b"],
  ["Shift", undefined],
  ["Dead", undefined],
]);

checkCases(
  "keyText in application mode",
  (words: string) => keyText(pressed(words), { ...usualModes, sendsApplicationKeys: true }),
  [
    ["ArrowUp", "\u001bOA"],
    ["Home", "\u001bOH"],
  ],
);

checkCases("pastedText", (text: string) => pastedText(text, { ...usualModes, marksPastes: true }), [
  ["a\r\nb\n", "\u001b[200~a\rb\r\u001b[201~"],
  ["x\u001b[201~rm", "\u001b[200~x[201~rm\u001b[201~"],
]);
