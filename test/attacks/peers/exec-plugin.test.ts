import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { ExecCredentials } from "#/client/kubeconfig/exec-credentials.ts";
import { openCredentials } from "#/client/transport/credentials.ts";
import { FakeClock } from "#/testing/fake-clock.ts";

const apiVersion = "client.authentication.k8s.io/v1";
const folder = mkdtempSync(join(tmpdir(), "k8ts-plugin-"));
after(() => rmSync(folder, { recursive: true }));

/** The headers that come of a plugin, a shell script. */
async function headersOf(script: string): Promise<object> {
  const command = join(folder, "plugin");
  writeFileSync(command, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const exec = { command, apiVersion, interactiveMode: "Never" } as const;
  const base = openCredentials({});
  const cluster = { server: "https://127.0.0.1:1" };
  using credentials = new ExecCredentials(exec, cluster, base, { clock: new FakeClock() });
  return await credentials.headers();
}
const prints = (value: unknown): string => `echo '${JSON.stringify(value)}'`;
const credential = (status: unknown): string =>
  prints({ apiVersion, kind: "ExecCredential", status });

test("a harmless exec plugin's token is used", async () => {
  assert.deepEqual(await headersOf(credential({ token: "t" })), { authorization: "Bearer t" });
});

const attacks: readonly (readonly [name: string, script: string, message: RegExp])[] = [
  [
    "writes without an end",
    "yes",
    /^getting credentials: exec: executable .* wrote more than 1048576 characters$/,
  ],
  [
    "writes no JSON",
    "echo '<html>'",
    /^getting credentials: decoding stdout: couldn't get version\/kind; json parse error: /,
  ],
  [
    "writes null",
    prints(null),
    /^getting credentials: exec plugin is configured to use API version .*, plugin returned version $/,
  ],
  ["writes another version", prints({ apiVersion: "v1" }), /plugin returned version v1$/],
  [
    "writes no status",
    prints({ apiVersion }),
    /^getting credentials: exec plugin didn't return a status field$/,
  ],
  [
    "writes no token",
    credential({}),
    /^getting credentials: exec plugin didn't return a token or cert\/key pair$/,
  ],
  [
    "writes half a pair",
    credential({ clientKeyData: "k" }),
    /exec plugin returned only certificate or key, not both$/,
  ],
  [
    "writes a token that is an object",
    credential({ token: { a: "b" } }),
    /^getting credentials: decoding stdout: json: cannot unmarshal object into Go struct field ExecCredentialStatus.status.token of type string$/,
  ],
  ["fails", "exit 3", /^getting credentials: exec: executable .* failed with exit code 3$/],
  [
    "is killed",
    "kill -9 $$",
    /^getting credentials: exec: executable .* failed with exit code -1$/,
  ],
];

for (const [name, script, message] of attacks) {
  test(`an exec plugin that ${name} is refused`, async () => {
    await assert.rejects(headersOf(script), { message });
  });
}
