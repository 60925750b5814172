import assert from "node:assert/strict";
import { test } from "node:test";
import { chooseResolvConf } from "./choose-resolv-conf.ts";

const usual = "/etc/resolv.conf";
const resolved = "/run/systemd/resolve/resolv.conf";

const cases: readonly { name: string; files: Record<string, string>; expected: string }[] = [
  {
    name: "the machine's own servers",
    files: { [usual]: "nameserver 192.168.1.1\n", [resolved]: "nameserver 10.0.0.1\n" },
    expected: usual,
  },
  {
    name: "systemd-resolved's stub",
    files: {
      [usual]: "# stub\nnameserver 127.0.0.53\noptions edns0\n",
      [resolved]: "nameserver 10.0.0.1\n",
    },
    expected: resolved,
  },
  {
    name: "systemd-resolved's other stub",
    files: { [usual]: "nameserver 127.0.0.54", [resolved]: "nameserver fe80::1\n" },
    expected: resolved,
  },
  {
    name: "a stub that has no servers behind it yet",
    files: { [usual]: "nameserver 127.0.0.53\n", [resolved]: "search lan\n" },
    expected: usual,
  },
  {
    name: "a stub with nothing but itself behind it",
    files: { [usual]: "nameserver 127.0.0.53\n", [resolved]: "nameserver 127.0.0.1\n" },
    expected: usual,
  },
  { name: "a stub alone", files: { [usual]: "nameserver 127.0.0.53\n" }, expected: usual },
  {
    name: "another server of the machine's own",
    files: { [usual]: "nameserver 127.0.0.1\n", [resolved]: "nameserver 10.0.0.1\n" },
    expected: usual,
  },
  { name: "no file", files: {}, expected: usual },
];

for (const { name, files, expected } of cases) {
  test(`chooseResolvConf() with ${name}`, () =>
    assert.equal(
      chooseResolvConf((path) => files[path]),
      expected,
    ));
}
