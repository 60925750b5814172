import assert from "node:assert/strict";
import { test } from "node:test";
import { neutralText } from "./neutral-text.ts";
import { screenText } from "./screen-text.ts";

const screens: readonly (readonly [name: string, output: string, shown: string])[] = [
  ["plain lines", "one\r\ntwo\r\n", "one\ntwo\n"],
  ["a line that was redrawn", "waiting 1 s\rdone\u001b[K\r\n", "done\n"],
  ["an erased line", "waiting 1 s\r\u001b[2Kok\r\n", "ok\n"],
  ["a shorter text over a longer one", "abcdef\rxy\r\n", "xycdef\n"],
  ["colours", "\u001b[32mgreen\u001b[0m  \r\n", "green\n"],
];
for (const [name, output, shown] of screens) {
  test(`screenText() shows ${name}`, () => assert.equal(screenText(output), shown));
}

test("neutralText() removes a machine's values, and keeps columns", () => {
  const machine = { name: "abcd", home: "/tmp/x", root: "/srv/k8ts", hostname: "vm" };
  const text =
    "cluster abcd      12.3 s\n  ✓ node vm-abcd (1.2 s)\n context in /tmp/x/.kube/config, 10.191.7.9, 2 CPU, 24 GiB";
  assert.equal(
    neutralText(text, machine),
    "cluster demo       3.0 s\n  ✓ node host-demo (0.5 s)\n context in ~/.kube/config, 10.191.0.2, 4 CPU, 8 GiB",
  );
});
