import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { test } from "node:test";
import type { Logger } from "#/std/log/log.ts";
import { Loggers } from "#/std/log/loggers.ts";
import { ProgramError, type RunProgram } from "#/std/process/run-program.ts";
import { mayMakeNamespaces, NetworkNamespace } from "#/testing/network-namespace.ts";
import { supportedFamilies } from "./supported-families.ts";

/** A kernel that lacks nftables' `fib` for one family. */
const lacking =
  (family: "ip " | "ip6 "): RunProgram =>
  async (program, _args, input = "") => {
    if (!input.includes(`table ${family}`)) return "";
    throw new ProgramError(program, 1, "Error: Could not process rule: No such file or directory");
  };

function listening(): { log: Logger; lines: string[] } {
  const lines: string[] = [];
  const log = new Loggers({ write: (line) => void lines.push(line) }).logger("proxy-test");
  return { log, lines };
}

test("supportedFamilies() leaves out a family that the kernel lacks, with one line", async () => {
  const { log, lines } = listening();
  const options = { mode: "nftables", primary: "IPv4", log } as const;
  assert.deepEqual(await supportedFamilies({ ...options, run: lacking("ip6 ") }), ["IPv4"]);
  assert.equal(lines.length, 1);
  assert.match(lines[0] ?? "", /"no nftables support for family" .*ipFamily="IPv6"/);
});

test("supportedFamilies() throws if the primary family is lacking", async () => {
  const { log } = listening();
  const options = { mode: "nftables", primary: "IPv4", log } as const;
  await assert.rejects(supportedFamilies({ ...options, run: lacking("ip ") }), {
    message: 'no support for primary IP family "IPv4"',
  });
});

const options = { skip: !mayMakeNamespaces && "needs root" };
test(
  "supportedFamilies() finds the families of this kernel, and leaves no table",
  options,
  async () => {
    await using namespace = await NetworkNamespace.create();
    const expected = existsSync("/proc/net/if_inet6") ? ["IPv4", "IPv6"] : ["IPv4"];
    for (const mode of ["nftables", "iptables"] as const) {
      const { log } = listening();
      const found = await supportedFamilies({ mode, primary: "IPv4", run: namespace.run, log });
      assert.deepEqual(found, expected);
    }
    assert.equal(await namespace.sh("nft list ruleset"), "");
  },
);
