import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { until } from "#/testing/until.ts";

const program = fileURLToPath(new URL("../../../bin/kubectl.ts", import.meta.url));
const head = "apiVersion: kubectl.config.k8s.io/v1beta1\nkind: Preference\n";

/** Preferences that are refused, and why. */
const refused: readonly (readonly [name: string, kuberc: string, message: RegExp])[] = [
  [
    "an alias of a program",
    `${head}aliases: [{name: run, command: evil}, {name: ev, command: evil}]\n`,
    /command "evil" not found to set alias "ev"/,
  ],
  [
    "an alias of a path",
    `${head}aliases: [{name: ev, command: /bin/sh, appendArgs: [-c, "touch {mark}"]}]\n`,
    /command "\/bin\/sh" not found to set alias "ev"/,
  ],
  [
    "a flag named after a member of every object",
    `${head}aliases: [{name: ev, command: get, options: [{name: constructor, default: x}]}]\n`,
    /invalid alias flag constructor in alias/,
  ],
  [
    "a flag named __proto__",
    `${head}aliases: [{name: ev, command: get, options: [{name: __proto__, default: x}]}]\n`,
    /invalid alias flag __proto__ in alias/,
  ],
  [
    "a version named after a member of every object",
    "apiVersion: constructor\nkind: Preference\naliases: [{name: ev, command: version}]\n",
    /no valid preferences found in/,
  ],
  ["no YAML", "{{{{", /no valid preferences found in/],
  ["bytes", "\u0000\u0001\ufffd", /no valid preferences found in/],
  ["20 MB of brackets", "[".repeat(20 << 20), /no valid preferences found in/],
  [
    "aliases of YAML that multiply",
    `${head}a: &a [x,x,x,x,x,x,x,x,x]\n${Array.from({ length: 12 }, (_, n) => {
      const [own, before] = [String.fromCharCode(98 + n), String.fromCharCode(97 + n)];
      return `${own}: &${own} [${Array(9).fill(`*${before}`)}]`;
    }).join("\n")}\n`,
    /no valid preferences found in|excessive aliasing/,
  ],
  [
    "an unknown policy",
    `${head}credentialPluginPolicy: allowall\n`,
    /unknown plugin policy: "allowall"/,
  ],
  [
    "an empty allowlist",
    `${head}credentialPluginPolicy: Allowlist\ncredentialPluginAllowlist: []\n`,
    /allowlist is (empty|unspecified)/,
  ],
];

/** Policies, and whether the plugin may run under them. */
const policies: readonly (readonly [text: string, runs: boolean])[] = [
  ["credentialPluginPolicy: AllowAll", true],
  ["credentialPluginPolicy: DenyAll", false],
  [
    "credentialPluginPolicy: Allowlist\ncredentialPluginAllowlist: [{command: /other/plugin}]",
    false,
  ],
  ["credentialPluginPolicy: Allowlist\ncredentialPluginAllowlist: [{command: other}]", false],
  ["credentialPluginPolicy: Allowlist\ncredentialPluginAllowlist: [{command: {plugin}}]", true],
];

describe("hostile kuberc and exec plugins", () => {
  const folder = mkdtempSync(join(tmpdir(), "k8ts-kuberc-"));
  const mark = join(folder, "mark");
  const plugin = join(folder, "bin", "plugin");
  const server = createServer((_, response) => response.end("{}"));

  before(async () => {
    mkdirSync(join(folder, "bin"));
    writeFileSync(join(folder, "bin", "kubectl-evil"), `#!/bin/sh\ntouch ${mark}\n`, {
      mode: 0o755,
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const exec = {
      command: plugin,
      apiVersion: "client.authentication.k8s.io/v1",
      interactiveMode: "Never",
    };
    writeFileSync(
      join(folder, "config"),
      JSON.stringify({
        "current-context": "c",
        contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
        clusters: [{ name: "c", cluster: { server: `http://127.0.0.1:${port}` } }],
        users: [{ name: "u", user: { exec } }],
      }),
    );
  });
  after(() => {
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true });
  });

  const start = (args: readonly string[]) =>
    spawn(process.execPath, [program, ...args], {
      env: {
        PATH: `${join(folder, "bin")}:/usr/bin:/bin`,
        HOME: folder,
        KUBECONFIG: join(folder, "config"),
      },
      stdio: ["ignore", "pipe", "pipe"],
    });

  async function run(args: readonly string[]): Promise<{ code: number; err: string }> {
    const child = start(args);
    const [err, [code]] = await Promise.all([
      child.stderr.setEncoding("utf8").toArray(),
      once(child, "close"),
      child.stdout.resume(),
    ]);
    return { code: code as number, err: err.join("") };
  }
  const kuberc = (text: string): string => {
    const file = join(folder, "kuberc");
    writeFileSync(file, text.replaceAll("{mark}", mark).replaceAll("{plugin}", plugin));
    return `--kuberc=${file}`;
  };
  const installPlugin = (script: string): void =>
    writeFileSync(plugin, `#!/bin/sh\n${script}\n`, { mode: 0o755 });

  test("a harmless alias and default work", async () => {
    const file = kuberc(`${head}aliases: [{name: ev, command: version, appendArgs: [--client]}]\n`);
    assert.deepEqual(await run(["ev", file]), { code: 0, err: "" });
  });

  for (const [name, text, message] of refused) {
    test(`${name} in a kuberc is refused, and runs nothing`, async () => {
      const { code, err } = await run(["ev", kuberc(text)]);
      assert.equal(code, 1, err);
      assert.match(err.slice(0, 2000), message);
      assert.equal(existsSync(mark), false);
    });
  }

  for (const [text, runs] of policies) {
    test(`the policy ${text.replaceAll("\n", ", ")} ${runs ? "allows" : "refuses"} the plugin`, async () => {
      const ran = join(folder, "ran");
      rmSync(ran, { force: true });
      installPlugin(`touch ${ran}; exit 1`);
      const { err } = await run(["get", "--raw=/", kuberc(`${head}${text}\n`)]);
      assert.equal(existsSync(ran), runs, err);
      assert.match(
        err,
        runs ? /failed with exit code 1/ : /not allowed|is not permitted|cannot be/,
      );
    });
  }

  test("an interrupt ends a command whose plugin hangs, and the plugin", async () => {
    const started = join(folder, "started");
    installPlugin(`echo $$ > ${started}.new; mv ${started}.new ${started}; exec sleep 1000`);
    const child = start(["api-versions"]);
    child.stdout.resume();
    child.stderr.resume();
    // The plugin holds the standard error: its end closes the stream.
    const closed = once(child, "close");
    await until("the plugin runs", () => existsSync(started));
    child.kill("SIGINT");
    assert.deepEqual(await closed, [null, "SIGINT"]);
  });
});
