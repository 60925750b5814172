import assert from "node:assert/strict";
import { test } from "node:test";
import { checkCases } from "#/testing/check-cases.ts";
import { parseLine, wordsToComplete } from "./command-line.ts";
import { LineEditor } from "./line-editor.ts";
import { type ToolStreams, textTools } from "./text-tools.ts";

const plain = { input: undefined, output: undefined, textEnd: undefined };

checkCases("parseLine", parseLine, [
  ["", { ...plain, commands: [] }],
  ["  # nothing", { ...plain, commands: [] }],
  ["kubectl get  pods", { ...plain, commands: [["kubectl", "get", "pods"]] }],
  [
    `k get -o jsonpath='{.a "b"}' "x y\\"z" a\\ b ''`,
    { ...plain, commands: [["k", "get", "-o", 'jsonpath={.a "b"}', 'x y"z', "a b", ""]] },
  ],
  [
    "k get po|grep -v x | head -1 >> out",
    {
      ...plain,
      commands: [
        ["k", "get", "po"],
        ["grep", "-v", "x"],
        ["head", "-1"],
      ],
      output: { file: "out", appends: true },
    },
  ],
  ["k apply -f - <<'EOF'", { ...plain, commands: [["k", "apply", "-f", "-"]], textEnd: "EOF" }],
  [
    "sort < a > b",
    { ...plain, commands: [["sort"]], input: "a", output: { file: "b", appends: false } },
  ],
]);

test("parseLine() refuses what it does not understand", () => {
  for (const line of ["a |", "| a", "a >", "a > | b", "a 'b", 'a "b']) {
    assert.throws(() => parseLine(line), /^LineError$|syntax error|quote/, line);
  }
});

checkCases("wordsToComplete", wordsToComplete, [
  ["", [""]],
  ["kub", ["kub"]],
  ["k get ", ["k", "get", ""]],
  ["k get po | gr", ["gr"]],
  ["k get 'po", undefined],
]);

/** The line and the place of the cursor after some keys; ← is the arrow, and so on. */
checkCases(
  "LineEditor after",
  (keys: string) => {
    const names: Record<string, string> = {
      "←": "\u001b[D",
      "→": "\u001b[C",
      "↑": "\u001b[A",
      "↓": "\u001b[B",
      "⌫": "\u007f",
      "⇤": "\u0001",
      "⌧": "\u0017",
    };
    const editor = new LineEditor();
    for (const key of keys) {
      if (editor.press(names[key] ?? key) === "enter") editor.take(true);
    }
    return `${editor.text.slice(0, editor.cursor)}|${editor.text.slice(editor.cursor)}`;
  },
  [
    ["abc", "abc|"],
    ["abc←←x", "ax|bc"],
    ["abc⇤⌫x", "x|abc"],
    ["get pods⌧x", "get x|"],
    ["one\rtwo\r↑↑", "one|"],
    ["one\rtwo\rdr↑↓", "dr|"],
    ["one\r↑↑x", "onex|"],
    ["容⌫", "|"],
  ],
);

test("LineEditor.firstKey() splits what was typed into keys", () => {
  const keys: string[] = [];
  let rest = "a\u001b[1;5C\u001bb\r容";
  while (rest !== "") {
    const key = LineEditor.firstKey(rest);
    keys.push(key);
    rest = rest.slice(key.length);
  }
  assert.deepEqual(keys, ["a", "\u001b[1;5C", "\u001bb", "\r", "容"]);
});

/** What a tool prints for an input, and its exit code if it is not 0. */
async function run(words: readonly string[], input: string): Promise<string> {
  let output = "";
  const streams: ToolStreams = {
    folder: "/",
    input: (async function* () {
      // In pieces that end within lines.
      for (let at = 0; at < input.length; at += 3) yield Buffer.from(input.slice(at, at + 3));
    })(),
    write(text) {
      output += text;
    },
  };
  const [name = "", ...args] = words;
  const code = await textTools[name]?.(args, streams);
  return code === 0 ? output : `${output}(${code})`;
}

const text = "web 2\napi 10\nDB 1\nweb 2\n";
for (const [line, expected] of [
  ["grep web", "web 2\nweb 2\n"],
  ["grep -iv WEB", "api 10\nDB 1\n"],
  ["grep -c web", "2\n"],
  ["grep -no 1.?", "2:10\n3:1\n"],
  ["grep nothing", "(1)"],
  ["head -n 1", "web 2\n"],
  ["head -2", "web 2\napi 10\n"],
  ["tail -n1", "web 2\n"],
  ["sort -u", "DB 1\napi 10\nweb 2\n"],
  ["sort -r", "web 2\nweb 2\napi 10\nDB 1\n"],
  ["wc -l", "4\n"],
  ["cat", text],
] as const) {
  test(`${line} prints ${JSON.stringify(expected)}`, async () => {
    assert.equal(await run(line.split(" "), text), expected);
  });
}
