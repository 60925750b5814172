import { checkCases } from "#/testing/check-cases.ts";
import { partsOf } from "./ansi.ts";

checkCases("partsOf", partsOf, [
  ["plain", [{ text: "plain", look: "" }]],
  [
    "a\u001b[31mb\u001b[0mc\u0007",
    [
      { text: "a", look: "" },
      { text: "b", look: "ansi-red" },
      { text: "c", look: "" },
    ],
  ],
  [
    "\u001b[1;92mx\u001b[39my",
    [
      { text: "x", look: "ansi-bold ansi-green" },
      { text: "y", look: "ansi-bold" },
    ],
  ],
  ["\u001b[2Jz", [{ text: "z", look: "" }]],
]);
