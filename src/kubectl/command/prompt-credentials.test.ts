import assert from "node:assert/strict";
import { test } from "node:test";
import type { Host } from "../base/host.ts";
import { promptCredentials } from "./prompt-credentials.ts";

/** Types at a terminal, or into a pipe; returns the output, and when the echo was off. */
async function ask(typed: readonly string[], isTerminal: boolean) {
  const seen: string[] = [];
  async function* keys(): AsyncGenerator<Uint8Array> {
    for (const each of typed) yield Buffer.from(each);
  }
  const out = { write: (text: string) => void seen.push(text), isTerminal, columns: 0 };
  const terminal = {
    setRaw: (raw: boolean) => void seen.push(raw ? "hidden" : "shown"),
    size: () => ({ width: 80, height: 24 }),
    onResize: () => ({ [Symbol.dispose]: () => undefined }),
  };
  const answer = await promptCredentials({
    out: out as Host["out"],
    stdin: Object.assign(keys(), { isTerminal }),
    terminal: isTerminal ? terminal : undefined,
  }).catch((error: unknown) => String(error));
  return { answer, seen };
}

const [user, password] = ["Please enter Username: ", "Please enter Password: "];

const cases = [
  {
    name: "a terminal",
    typed: ["me\n", "se cret\r"],
    isTerminal: true,
    answer: { username: "me", password: "se cret" },
    seen: [user, password, "hidden", "shown"],
  },
  {
    name: "all at once, with spaces before",
    typed: ["\n  me\nsecret\nmore"],
    isTerminal: true,
    answer: { username: "me", password: "secret" },
    seen: [user, password, "hidden", "shown"],
  },
  {
    name: "an interrupt",
    typed: ["me\n", "a\x03"],
    isTerminal: true,
    answer: "ExitError",
    seen: [user, password, "hidden", "shown"],
  },
  {
    name: "a pipe",
    typed: ["me\nsecret\n"],
    isTerminal: false,
    answer: "CommandError: error reading input for Password",
    seen: [user, password],
  },
  {
    name: "nothing",
    typed: [],
    isTerminal: false,
    answer: "CommandError: EOF",
    seen: [user],
  },
];

for (const { name, typed, isTerminal, ...wanted } of cases) {
  test(`promptCredentials() reads ${name}`, async () => {
    assert.deepEqual(await ask(typed, isTerminal), wanted);
  });
}
